import { readdirSync, readFileSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { describe, expect, it } from "vitest";
import { CasesSchema } from "../../../host/testing/case-schema.ts";
import { readCases } from "../../../host/testing/cases.ts";

/** Returns whether schema and reader accept a file; they must agree. */
function verdict(document: unknown): boolean {
  const read = readCases(JSON.stringify(document)).ok;
  expect(Value.Check(CasesSchema, document)).toBe(read);
  return read;
}

const CASE = { name: "a", tool: "b", expect: { ok: true } };

describe("cases.schema.json", () => {
  it("accepts every case that ships [I7.schema]", () => {
    const folder = new URL("../../../plugins/", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\/cases\/[^/]+\.json$/.test(path));
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(verdict(JSON.parse(readFileSync(new URL(file, folder), "utf8")))).toBe(true);
  });

  it("agrees with the reader about answers, seeds and times [I7.answers]", () => {
    const answer = { operation: "fs.readFile", args: { path: "a" } };
    const error = { name: "NotFound", message: "x", code: "ENOENT" };
    const good = [{}, { value: [1] }, { text: "x" }, { base64: "QQ==" }, { sha256: "0".repeat(64) }, { error }];
    for (const more of good)
      expect(verdict([{ ...CASE, seed: "s", time: "2026-01-31T12:00:00Z", answers: [{ ...answer, ...more }] }])).toBe(true);
    const bad = [{ operation: 1 }, { value: 1, other: 2 }, { text: 1 }, { base64: 1 }, { error: {} }, { error: "x" }];
    for (const more of bad) expect(verdict([{ ...CASE, answers: [{ ...answer, ...more }] }])).toBe(false);
    for (const more of [{ seed: 1 }, { time: 1 }, { answers: {} }, { answers: [null] }, { answers: [{ args: {} }] }, { surprise: 1 }])
      expect(verdict([{ ...CASE, ...more }])).toBe(false);
    // The schema cannot express these.
    for (const more of [{ time: "noon" }, { answers: [{ ...answer, base64: "?" }] }])
      expect(readCases(JSON.stringify([{ ...CASE, ...more }]))).toEqual({
        ok: false,
        message: expect.stringContaining(Object.keys(more)[0] ?? ""),
      });
  });
});
