import { afterEach, describe, expect, it } from "vitest";
import type { HostCallHandler } from "../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const SOURCE = `
const sum = (bytes) => { let all = 0; for (const byte of bytes) all += byte; return [bytes.length, all]; };
export async function one() { return sum(await Deno.readFile("1")); }
export async function several() { return Promise.all(["1", "2", "3"].map(async (name) => sum(await Deno.readFile(name)))); }
export async function keeps() { const first = await Deno.readFile("1"); await Deno.readFile("2"); return sum(first); }
export async function leaves() { Deno.readFile("1"); return 1; }
`;
const BYTES = 100_000;

/** A file's bytes are all its name's number. */
const files: HostCallHandler = ({ args }) => {
  const number = Number(String(typeof args === "object" && args !== null && Reflect.get(args, "path")).replaceAll(/\D/g, ""));
  return Promise.resolve({ ok: true, value: null, bytes: new Uint8Array(BYTES).fill(number) });
};

describe("large answers", () => {
  let box: TestSandbox;
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("each bring their own bytes, one after the other or at once [B5.bytes]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", SOURCE);
    for (let round = 0; round < 3; round++) {
      expect(outputOf(await box.call("p", "one", { hostCall: files }))).toEqual([BYTES, BYTES]);
      expect(outputOf(await box.call("p", "several", { hostCall: files }))).toEqual([1, 2, 3].map((number) => [BYTES, number * BYTES]));
      expect(outputOf(await box.call("p", "keeps", { hostCall: files }))).toEqual([BYTES, BYTES]);
    }
  });

  it("come through for other calls when one left without its own [B4.unawaited]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", SOURCE);
    for (let round = 0; round < 5; round++) {
      expect(outputOf(await box.call("p", "leaves", { hostCall: files }))).toBe(1);
      expect(outputOf(await box.call("p", "one", { hostCall: files }))).toEqual([BYTES, BYTES]);
    }
  });
});
