import { describe, expect, it } from "vitest";
import { readCallArguments, wordsToArguments } from "../../../../host/doors/cli/call-arguments.ts";
import { createMemoryPlatform } from "../../../../host/platform/mod.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    path: { type: "string" },
    lines: { type: "integer" },
    deep: { type: "boolean" },
    list: { type: "array" },
    any: {},
    either: { type: ["string", "null"] },
  },
  required: ["path"],
};

describe("wordsToArguments()", () => {
  it("reads values as the types in the tool's schema [I2.arguments]", () => {
    expect({ ...wordsToArguments(["path=12", "lines=3", "deep=true", "list=[1,2]", "either=null"], SCHEMA, "peek") }).toEqual({
      path: "12",
      lines: 3,
      deep: true,
      list: [1, 2],
      either: "null",
    });
  });

  it("guesses the type without a schema, and reads JSON after := [I2.arguments]", () => {
    expect({ ...wordsToArguments(["a=12", "b=word", 'c:="12"', 'any={"x":1}'], undefined, "peek") }).toEqual({
      a: 12,
      b: "word",
      c: "12",
      any: { x: 1 },
    });
  });

  it("keeps = in values, and __proto__ as an ordinary key [I2.arguments]", () => {
    const args = wordsToArguments(["path=a=b", "__proto__=x"], SCHEMA, "peek");
    expect(Object.entries(args)).toEqual([
      ["path", "a=b"],
      ["__proto__", "x"],
    ]);
  });

  it("suggests what to write for a word without a key [I2.nearest]", () => {
    expect(() => wordsToArguments(["README.md"], SCHEMA, "peek")).toThrow(
      expect.objectContaining({ hints: ["Did you mean path=README.md?"], exitCode: 2 }),
    );
    expect(() => wordsToArguments(["x"], { type: "object" }, "ping")).toThrow(
      expect.objectContaining({ hints: ['Tool "ping" takes no arguments'] }),
    );
  });

  it("refuses a value of the wrong type, and a key given twice [I2.arguments]", () => {
    expect(() => wordsToArguments(["lines=many"], SCHEMA, "peek")).toThrow('Argument "lines" must be of type integer, not "many"');
    expect(() => wordsToArguments(["path=a", "path=b"], SCHEMA, "peek")).toThrow('Argument "path" is given twice');
  });
});

describe("readCallArguments()", () => {
  const platform = createMemoryPlatform({ files: { "/workspace/args.json": '{"a":1}' }, input: '{"b":2}' });

  it("reads words, JSON, a file or stdin [I2.arguments]", async () => {
    expect(await readCallArguments([], undefined, platform)).toEqual({ kind: "words", words: [] });
    expect(await readCallArguments(["a=1"], undefined, platform)).toEqual({ kind: "words", words: ["a=1"] });
    expect(await readCallArguments(['{"a"'], undefined, platform)).toEqual({ kind: "text", text: '{"a"' });
    expect(await readCallArguments([], "args.json", platform)).toEqual({ kind: "text", text: '{"a":1}' });
    expect(await readCallArguments(["-"], undefined, platform)).toEqual({ kind: "text", text: '{"b":2}' });
    expect(await readCallArguments([], "-", platform)).toEqual({ kind: "text", text: '{"b":2}' });
  });

  it("names the file that cannot be read [I2.arguments]", async () => {
    await expect(readCallArguments([], "missing.json", platform)).rejects.toThrow('Cannot read "/workspace/missing.json" (from --args): ');
  });

  it("refuses two forms at once [I2.arguments]", async () => {
    await expect(readCallArguments(["a=1"], "args.json", platform)).rejects.toThrow(
      "Give the arguments either with --args or after the tool, not both",
    );
  });
});
