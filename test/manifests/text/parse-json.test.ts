import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseJson } from "../../../manifests/mod.ts";
import "../../support/seed.ts";

const BOUNDS = { maxBytes: 100_000, maxDepth: 64 };

function valueOf(text: string): unknown {
  const parsed = parseJson(text, BOUNDS);
  return parsed.ok ? parsed.value.value : { problems: parsed.problems };
}

function problemsOf(text: string, bounds = BOUNDS): unknown {
  const parsed = parseJson(text, bounds);
  return parsed.ok ? [] : parsed.problems.map(({ pointer, line, column, message }) => ({ pointer, line, column, message }));
}

describe("parseJson()", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, noUnicodeString: false }), fc.constantFrom(undefined, 2, "\t"), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent);
        // The generator's keys include `__proto__`, which is refused.
        fc.pre(!text.includes('"__proto__"'));
        expect(JSON.stringify(valueOf(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("refuses what JSON.parse refuses", () => {
    const fragment = fc.constantFrom(
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "1",
      "-",
      "0",
      ".",
      "e",
      "+",
      "t",
      "true",
      "null",
      '"a"',
      "\\u00e9",
      "\\u",
      "\\x",
      "\n",
      " ",
      "\t",
      "\u00a0",
      "\x01",
      "//",
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const text = fragments.join("");
        const isJson = canParse(text);
        const parsed = parseJson(text, BOUNDS);
        // Only duplicate keys and numbers that no double can hold are refused in addition.
        if (!parsed.ok && isJson) expect(parsed.problems[0]?.message).toMatch(/Duplicate key|is out of range/);
        else expect(parsed.ok).toBe(isJson);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ["", 1, 1, "Invalid JSON: unexpected end of text at position 0"],
    ["{", 1, 2, "Invalid JSON: unexpected end of text at position 1"],
    ['{\n  "a": 1,\n}', 3, 1, "Invalid JSON: unexpected token at position 12"],
    ["[1 2]", 1, 4, "Invalid JSON: unexpected token at position 3"],
    ["[1,]", 1, 4, "Invalid JSON: unexpected token at position 3"],
    ["[01]", 1, 3, "Invalid JSON: unexpected token at position 2"],
    ['"a\tb"', 1, 3, "Invalid JSON: unexpected token at position 2"],
    ['"a\\qb"', 1, 4, "Invalid JSON: unexpected token at position 3"],
    ["{} x", 1, 4, "Invalid JSON: unexpected token at position 3"],
    ["// c\n{}", 1, 1, "Invalid JSON: unexpected token at position 0"],
    ["[1e999]", 1, 2, 'Number "1e999" is out of range'],
  ])("reports where %j stops being JSON [S3.text] [M4.position]", (text, line, column, message) => {
    expect(problemsOf(text)).toEqual([{ pointer: "", line, column, message }]);
  });

  it.each([
    [" \n", "write a JSON object: { … }"],
    ['{"a": [1', 'it ends too early: close the open ", } or ]'],
    ['{"a": 1,}', 'remove the "," before the "}"'],
    ["[1, 2,\n]", 'remove the "," before the "]"'],
    ["[1,,2]", 'remove one ","'],
    ['{"a": 1\n"b": 2}', 'add a "," before it'],
    ["[1 2]", 'add a "," before it'],
    ['{"a" 1}', 'add a ":" before it'],
    ['{"a": 1]', "no such bracket is open: is one missing, or one too many?"],
    ["{'a': 1}", "write \" instead of '"],
    ["{a: 1}", 'write " around names and strings'],
    ['{"a": undefined}', 'write a string in ", a number, true, false, null, [ … ] or { … }'],
    ['{"a": 1, // one\n"b": 2}', "remove the comment: JSON has none"],
    ['{"a": "x\n"}', 'close the string with " on its line; a line break in a string is \\n'],
    ['{"a": "C:\\d"}', "write \\\\ for a backslash"],
    ["{} {}", "remove the text after the end of the document"],
    ["[[[[[1]]]]]", "make it flatter"],
    ["1e999", "write a smaller one"],
  ])("advises what to do about %j [M4.advice]", (text, fix) => {
    const parsed = parseJson(text, { maxBytes: 1_000, maxDepth: 4 });
    expect(parsed.ok ? "read" : parsed.problems[0]?.fix).toBe(fix);
  });

  it("refuses duplicate keys and __proto__ keys, all of them [M4.proto]", () => {
    const text = '{"a":1,\n "a":2,"b":[{"__proto__":{"x":1}},{"c":1,"\\u0063":2}],"\\u005f_proto__":1}';
    expect(problemsOf(text)).toEqual([
      { pointer: "/a", line: 2, column: 2, message: 'Duplicate key "a"' },
      { pointer: "/b/0/__proto__", line: 2, column: 14, message: 'Key "__proto__" is not allowed' },
      { pointer: "/b/1/c", line: 2, column: 42, message: 'Duplicate key "c"' },
      { pointer: "/__proto__", line: 2, column: 55, message: 'Key "__proto__" is not allowed' },
    ]);
  });

  it("makes objects without a prototype [M4.proto]", () => {
    const value = valueOf('{"constructor": 1}');
    expect([Object.getPrototypeOf(value), Object.keys(value as object)]).toEqual([null, ["constructor"]]);
  });

  it("bounds depth and size, however large the document [M4.bounds]", () => {
    expect(problemsOf("[[[]]]", { maxBytes: 100, maxDepth: 3 })).toEqual([]);
    expect(problemsOf("[[[[]]]]", { maxBytes: 100, maxDepth: 3 })).toEqual([
      { pointer: "", line: 1, column: 4, message: "Document is nested deeper than 3 levels" },
    ]);
    expect(problemsOf("[".repeat(500_000), { maxBytes: 1e8, maxDepth: 1e8 })).toMatchObject([
      { message: "Invalid JSON: unexpected end of text at position 500000" },
    ]);
    expect(problemsOf('"123"', { maxBytes: 5, maxDepth: 1 })).toEqual([]);
    expect(problemsOf('"1234"', { maxBytes: 5, maxDepth: 1 })).toMatchObject([{ message: "Document is larger than 5 bytes" }]);
  });

  it.each([
    ['"é"', 4],
    ['"€"', 5],
    ['"👍"', 6],
    ['"\ud800"', 5],
  ])("counts %j in bytes of UTF-8 [M4.bounds]", (text, bytes) => {
    expect(problemsOf(text, { maxBytes: bytes, maxDepth: 1 })).toEqual([]);
    expect(problemsOf(text, { maxBytes: bytes - 1, maxDepth: 1 })).not.toEqual([]);
  });

  it("reads past a byte order mark and counts columns without it", () => {
    expect(valueOf("\ufeff{}")).toEqual({});
    expect(problemsOf("\ufeff{x}")).toMatchObject([{ line: 1, column: 2 }]);
  });

  it("finds every value and every key again [M4.position]", () => {
    const parsed = parseJson('{\r\n  "a": [1,\n    {"b/c": true, "~": ""}],\r  "": 0}', BOUNDS);
    if (!parsed.ok) throw new Error("Expected JSON");
    const { locate } = parsed.value;
    expect(["", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/~0", "/"].map((pointer) => locate(pointer))).toEqual([
      { line: 1, column: 1 },
      { line: 2, column: 8 },
      { line: 2, column: 9 },
      { line: 3, column: 5 },
      { line: 3, column: 13 },
      { line: 3, column: 24 },
      { line: 4, column: 7 },
    ]);
    expect([locate("/a/1/b~1c", "key"), locate("/a/2"), locate("/nope")]).toEqual([{ line: 3, column: 6 }, undefined, undefined]);
  });
});

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The parser throws as expected.
    return false;
  }
}
