import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../../host/doors/cli/arguments.ts";
import type { OptionSpec } from "../../../../host/doors/cli/arguments.ts";

const SPECS: readonly OptionSpec[] = [
  { name: "json", about: "" },
  { name: "args", value: "file", about: "" },
  { name: "allow-read", short: "R", value: "path", optionalValue: true, about: "" },
];

function parse(...args: readonly string[]): unknown {
  const parsed = parseArguments(args, SPECS);
  if (!parsed.ok) return { message: parsed.message, suggestion: parsed.suggestion };
  const options = Object.fromEntries(
    SPECS.filter(({ name }) => parsed.options.has(name)).map(({ name }) => [name, parsed.options.all(name)]),
  );
  return { positionals: parsed.positionals, options };
}

describe("parseArguments()", () => {
  it("accepts an option by its short letter [I2.parsing] [C3.flags]", () => {
    expect(parse("-R", "words", "-R=a,b")).toEqual({ positionals: ["words"], options: { "allow-read": [true, "a,b"] } });
    expect(parse("-Ra")).toMatchObject({ message: 'Unknown option "-Ra"' });
    expect(parse("-x")).toMatchObject({ message: 'Unknown option "-x"' });
  });

  it("parses positionals, flags and values in any order [I2.parsing]", () => {
    expect(parse("grep", "--json", "a=1", "--args", "file.json")).toEqual({
      positionals: ["grep", "a=1"],
      options: { json: [true], args: ["file.json"] },
    });
    expect(parse("--args=a=b")).toEqual({ positionals: [], options: { args: ["a=b"] } });
  });

  it("reads an optional value only after = [I2.parsing]", () => {
    expect(parse("--allow-read", "words")).toEqual({ positionals: ["words"], options: { "allow-read": [true] } });
    expect(parse("--allow-read=a", "--allow-read=b,c")).toEqual({ positionals: [], options: { "allow-read": ["a", "b,c"] } });
  });

  it("treats everything after --, a single - and negative numbers as positionals [I2.parsing]", () => {
    expect(parse("-", "-5", "--", "--json")).toEqual({ positionals: ["-", "-5", "--json"], options: {} });
  });

  it("suggests the nearest option for a mistyped one [I2.nearest]", () => {
    expect(parse("--alow-read=.")).toEqual({ message: 'Unknown option "--alow-read"', suggestion: "--allow-read" });
    expect(parse("--zzzzzzzz")).toEqual({ message: 'Unknown option "--zzzzzzzz"', suggestion: undefined });
  });

  it("explains what is wrong with an option [I2.parsing]", () => {
    expect(parse("--json=yes")).toEqual({ message: 'Option "--json" takes no value', suggestion: undefined });
    expect(parse("--args")).toEqual({ message: 'Option "--args" needs a value: --args=<file>', suggestion: undefined });
    expect(parse("--allow-read=")).toEqual({
      message: `Option "--allow-read=" has an empty value (quote $ in a shell: '--allow-read=$workspace')`,
      suggestion: undefined,
    });
  });

  it("treats an option named like a member of Object.prototype as unknown [I2.parsing]", () => {
    expect(parse("--constructor")).toEqual({ message: 'Unknown option "--constructor"', suggestion: undefined });
  });
});
