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
  it("knows an option by its letter too [I2.parsing] [C3.flags]", () => {
    expect(parse("-R", "words", "-R=a,b")).toEqual({ positionals: ["words"], options: { "allow-read": [true, "a,b"] } });
    expect(parse("-Ra")).toMatchObject({ message: 'There is no option "-Ra" here' });
    expect(parse("-x")).toMatchObject({ message: 'There is no option "-x" here' });
  });

  it("reads positionals, flags and values in any order [I2.parsing]", () => {
    expect(parse("grep", "--json", "a=1", "--args", "file.json")).toEqual({
      positionals: ["grep", "a=1"],
      options: { json: [true], args: ["file.json"] },
    });
    expect(parse("--args=a=b")).toEqual({ positionals: [], options: { args: ["a=b"] } });
  });

  it("gives an option whose value may be left out its value with = only [I2.parsing]", () => {
    expect(parse("--allow-read", "words")).toEqual({ positionals: ["words"], options: { "allow-read": [true] } });
    expect(parse("--allow-read=a", "--allow-read=b,c")).toEqual({ positionals: [], options: { "allow-read": ["a", "b,c"] } });
  });

  it("takes everything after -- , a single - and negative numbers as positionals [I2.parsing]", () => {
    expect(parse("-", "-5", "--", "--json")).toEqual({ positionals: ["-", "-5", "--json"], options: {} });
  });

  it("names the nearest option for a mistyped one [I2.nearest]", () => {
    expect(parse("--alow-read=.")).toEqual({ message: 'There is no option "--alow-read" here', suggestion: "--allow-read" });
    expect(parse("--zzzzzzzz")).toEqual({ message: 'There is no option "--zzzzzzzz" here', suggestion: undefined });
  });

  it("says what a wrong option lacks [I2.parsing]", () => {
    expect(parse("--json=yes")).toEqual({ message: 'Option "--json" takes no value', suggestion: undefined });
    expect(parse("--args")).toEqual({ message: 'Option "--args" needs a value: --args=<file>', suggestion: undefined });
    expect(parse("--allow-read=")).toEqual({
      message: `Option "--allow-read=" names nothing (in a shell, quote what begins with $: '--allow-read=$workspace')`,
      suggestion: undefined,
    });
  });

  it("keeps options named like members of Object.prototype apart from them [I2.parsing]", () => {
    expect(parse("--constructor")).toEqual({ message: 'There is no option "--constructor" here', suggestion: undefined });
  });
});
