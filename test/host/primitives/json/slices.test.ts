import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../manifests/mod.ts";
import { checkSlices, checkValue } from "../../../../manifests/mod.ts";
import { hashOf } from "../../../../host/primitives/json/json-hash.ts";
import { copyJson } from "../../../../host/primitives/json/json.ts";
import { readJsonText } from "../../../../host/primitives/json/json-text.ts";
import { sizeOf } from "../../../../host/primitives/json/known-size.ts";
import { MAX_MEMBERS, readSlices } from "../../../../host/primitives/json/read-slices.ts";
import { hashSlices, jsonPieces, writeSlices } from "../../../../host/primitives/json/write-slices.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 64 };

/** Runs the generator; returns its value and the number of slices. */
function drain<T>(work: Generator<unknown, T>): { readonly value: T; readonly turns: number } {
  for (let turns = 1; ; turns++) {
    const { done, value } = work.next();
    if (done === true) return { value, turns };
  }
}

const TEXTS = [
  "null",
  " [ 1 , -2.5e3 , true , false , null ] ",
  '{"a":{"b":[{},[],""]},"a":2,"10":1,"9":1}',
  '"\\u0041\\n\\ud83d\\ude00 \ud83d\ude00 \\"x\\\\"',
  JSON.stringify({ text: "ä\n😀".repeat(20_000), list: Array.from({ length: 3_000 }, (_, index) => ({ index })) }),
  "",
  "{",
  "[1,]",
  "[1 2]",
  '{"a" 1}',
  '{"a":1,}',
  "tru",
  "01",
  '"a\u0001"',
  '"\\x"',
  "[}",
  "1 2",
  "{1:2}",
];

describe("readSlices()", () => {
  it.each(TEXTS)("reads the same texts as JSON.parse, and finds the same mistakes: %.40s [LV2.arguments]", (text) => {
    expect(drain(readSlices(text, BOUNDS)).value).toEqual(readJsonText(text, BOUNDS));
  });

  it("drops __proto__, freezes everything, and measures large values like copyJson [LV2.arguments]", () => {
    const text = `{"__proto__":{"x":1},"list":[${Array.from({ length: 40_000 }, () => '"ä"').join(",")}],"in":{"deep":[[1]]}}`;
    const read = drain(readSlices(text, BOUNDS)).value;
    const value = read.ok ? (read.value as { list: unknown; in: unknown }) : undefined;
    const copy = copyJson(JSON.parse(text), BOUNDS);
    expect([value, Object.isFrozen(value), Object.isFrozen(value?.list), Object.isFrozen(value?.in)]).toEqual([
      copy.ok && copy.value,
      true,
      true,
      true,
    ]);
    expect(sizeOf(value)).toEqual({ bytes: copy.ok && copy.bytes, depth: 4 });
    expect(copyJson(value, { ...BOUNDS, maxDepth: 3 })).toMatchObject({ ok: false, reason: "too_deep" });
    expect(copyJson(value, { ...BOUNDS, maxBytes: 70_000 })).toMatchObject({ ok: false, reason: "too_large" });
  });

  it("refuses depth and members above the bounds [LV2.arguments]", () => {
    const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;
    expect(drain(readSlices("[".repeat(65), BOUNDS)).value).toEqual({ ok: false, tooLarge: "depth" });
    expect(drain(readSlices(members(MAX_MEMBERS + 1), BOUNDS)).value).toEqual({ ok: false, tooLarge: "members" });
    expect(drain(readSlices(members(MAX_MEMBERS), BOUNDS)).value).toMatchObject({ ok: true });
    expect(drain(readSlices(members(2), { ...BOUNDS, maxBytes: 5 })).value).toEqual({ ok: false, tooLarge: "bytes" });
  });

  it.each([
    ["one long string", `"${"x".repeat(1024 * 1024)}"`],
    ["escapes", `"${"\\n".repeat(512 * 1024)}"`],
    ["empty lists", `[${"[],".repeat(300_000)}1]`],
    ["white space", `[${" ".repeat(1024 * 1024)}1]`],
  ])("yields at least every 64 KB: %s [LV2.arguments]", (_name, text) => {
    expect(drain(readSlices(text, BOUNDS)).turns).toBeGreaterThanOrEqual(text.length / (64 * 1024));
  });
});

describe("writeSlices()", () => {
  const VALUES = TEXTS.slice(0, 5).map((text) => JSON.parse(text) as JsonValue);

  it.each(VALUES)("writes the same text as JSON.stringify, and the same hash as hashOf [LV2.arguments]", async (value) => {
    const { sha256 } = memoryPlatform();
    expect(drain(writeSlices(value)).value).toBe(JSON.stringify(value));
    expect(drain(hashSlices(value, sha256)).value).toMatchObject({ sha256: await hashOf(value) });
  });

  it("hides members, and writes in pieces [LV2.arguments]", () => {
    const value = { token: "t", inside: [{ Token: { a: 1 }, text: "\u0000".repeat(1024 * 1024) }] };
    const pieces = [...jsonPieces(value, { isHidden: (name) => name.toLowerCase() === "token" })];
    expect(JSON.parse(pieces.join(""))).toEqual({
      token: "[redacted]",
      inside: [{ Token: "[redacted]", text: value.inside[0]?.text }],
    });
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });
});

it("checkSlices() finds the same problems as checkValue(), in slices [LV2.arguments]", () => {
  const schema = {
    type: "object",
    required: ["z"],
    properties: { list: { type: "array", items: { type: "object", properties: { a: { type: "number" } }, additionalProperties: false } } },
  } as const;
  const value = { list: Array.from({ length: 20_000 }, (_, index) => (index % 4_000 === 3 ? { a: "x", b: 1 } : { a: 1 })) };
  const { value: errors, turns } = drain(checkSlices(schema, value));
  expect(errors).toEqual(checkValue(schema, value));
  expect(errors.map(({ pointer }) => pointer)).toEqual([
    "/z",
    ...[3, 4_003, 8_003, 12_003, 16_003].flatMap((index) => [`/list/${index}/a`, `/list/${index}/b`]),
  ]);
  expect(turns).toBeGreaterThan(10);
});
