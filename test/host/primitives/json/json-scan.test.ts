import { describe, expect, it } from "vitest";
import { JsonScan, type JsonShape } from "../../../../host/primitives/json/json-scan.ts";

const encoder = new TextEncoder();

function scan(text: string, pieceBytes = 1, maxDepth = 8): JsonShape | undefined {
  const bytes = encoder.encode(text);
  const scanning = new JsonScan(maxDepth);
  for (let at = 0; at < bytes.length; at += pieceBytes) scanning.push(bytes.subarray(at, at + pieceBytes));
  return scanning.end();
}

const GOOD = [
  "0",
  "-1",
  "1.5",
  "1e5",
  "-0.25E-10",
  "12345",
  '""',
  '"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é\u{1f600}"',
  "true",
  "false",
  "null",
];
const MORE = [
  "[]",
  "{}",
  "[1,2]",
  '{"a":1,"b":[{}]}',
  "[[],[[]]]",
  '["]","}"]',
  '{"":{"\\"":null}}',
  "[0,-0,1e1]",
  '{"a":0}',
  "[true,false,null]",
];
const BAD = [
  "",
  " 1",
  "1 ",
  "[1, 2]",
  "01",
  "-",
  "1.",
  ".5",
  "1e",
  "1e+",
  "+1",
  "tru",
  "truee",
  "nul",
  '"',
  '"\\x"',
  '"\\u12g4"',
  '"\n"',
  "[",
  "[1",
  "[1,",
];
const WORSE = [
  "[,]",
  "[1,]",
  "]",
  "{",
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  "{a:1}",
  '{"a",1}',
  '{"a":1]',
  "[1}",
  "1,2",
  "{}{}",
  '""""',
  "\n",
  "1\n2",
  "{,}",
];

describe("JsonScan", () => {
  it("accepts the same texts as JSON.parse, in pieces of any size [LV2.json]", () => {
    for (const text of [...GOOD, ...MORE]) {
      expect(() => void JSON.parse(text), text).not.toThrow();
      for (const size of [1, 2, 3, 100]) expect(scan(text, size), text).toBeDefined();
    }
    for (const text of [...BAD, ...WORSE]) for (const size of [1, 2, 3, 100]) expect(scan(text, size), text).toBeUndefined();
  });

  it("agrees with JSON.parse about every text with one changed byte [LV2.json]", () => {
    const base = '{"a":[1,-2.5e3,"x\\n\\u0041",true,{"b":null}],"c":"é"}';
    for (let at = 0; at < base.length; at++) {
      for (const put of ["", '"', "\\", ",", ":", "[", "]", "{", "}", "0", "-", ".", "e", "t", "u", "\u0001"]) {
        const text = base.slice(0, at) + put + base.slice(at + 1);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(scan(text, 7) !== undefined, text).toBe(isJson);
      }
    }
  });

  it("returns type, depth and size [LV2.json]", () => {
    expect(scan('[[1],{"a":[]},3]')).toEqual({ type: "array", count: 3, depth: 3 });
    expect(scan('{"a":[1,2],"b":2}')).toEqual({ type: "object", count: 2, depth: 2 });
    expect(scan('"x"')).toEqual({ type: "string", count: 0, depth: 0 });
    expect(scan("[[[]]]", 1, 3)).toEqual({ type: "array", count: 1, depth: 3 });
    expect(scan("[[[]]]", 1, 2)).toBeUndefined();
  });
});
