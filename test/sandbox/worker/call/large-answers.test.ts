import { afterEach, describe, expect, it } from "vitest";
import type { HostCallHandler } from "../../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

const SOURCE = `
const sum = (bytes) => { let all = 0; for (const byte of bytes) all += byte; return [bytes.length, all]; };
export async function one() { return sum(await Deno.readFile("1")); }
export async function several() { return Promise.all(["1", "2", "3"].map(async (name) => sum(await Deno.readFile(name)))); }
export async function keeps() { const first = await Deno.readFile("1"); await Deno.readFile("2"); return sum(first); }
export async function leaves() { Deno.readFile("1"); return 1; }
`;
const TEXTS = `
export async function waits() { return await Deno.readTextFile("f"); }
export function blocks() { return Deno.readTextFileSync("f"); }
export function reads(_args, context) { return context.workspace.read("f"); }
export async function decodes() { return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await Deno.readFile("f")); }
`;
const CROWDED = `
export async function reads() {
  const held = [];
  try { for (;;) held.push(new Uint8Array(1 << 20)); } catch { /* Less than a mebibyte is left. */ }
  return [(await Deno.readFile("f")).length, held.length];
}
export async function readsText() {
  const held = [];
  try { for (;;) held.push(new Uint8Array(1 << 20)); } catch { /* Less than a mebibyte is left. */ }
  return [(await Deno.readTextFile("f")).length, held.length];
}
`;
const BYTES = 100_000;

/** Files whose bytes all equal the number in their name. */
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

  it("each deliver their own bytes, sequentially and concurrently [B5.bytes]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", SOURCE);
    for (let round = 0; round < 3; round++) {
      expect(outputOf(await box.call("p", "one", { hostCall: files }))).toEqual([BYTES, BYTES]);
      expect(outputOf(await box.call("p", "several", { hostCall: files }))).toEqual([1, 2, 3].map((number) => [BYTES, number * BYTES]));
      expect(outputOf(await box.call("p", "keeps", { hostCall: files }))).toEqual([BYTES, BYTES]);
    }
  });

  it("reach other calls after a call ended without taking its own [B4.unawaited]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", SOURCE);
    for (let round = 0; round < 5; round++) {
      expect(outputOf(await box.call("p", "leaves", { hostCall: files }))).toBe(1);
      expect(outputOf(await box.call("p", "one", { hostCall: files }))).toEqual([BYTES, BYTES]);
    }
  });
});

describe("the bytes of an answer", () => {
  const answering =
    (bytes: Uint8Array): HostCallHandler =>
    () =>
      Promise.resolve({ ok: true, value: null, bytes });

  it("give the same text on every way to read them, for any bytes [PB1.text]", async () => {
    await using box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", TEXTS);
    const texts = ["", "text", "\ufeffmark", "é 日本 😀", "a\0b", "\0", "x".repeat(BYTES)].map((text) => new TextEncoder().encode(text));
    const malformed = [
      [0xff, 0x41],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0x41, 0xff, 0],
    ].map((bytes) => new Uint8Array(bytes));
    for (const bytes of [...texts, ...malformed]) {
      const call = { hostCall: answering(bytes) };
      const expected = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      for (const name of ["waits", "blocks", "reads", "decodes"])
        expect([name, outputOf(await box.call("p", name, call))]).toEqual([name, expected]);
    }
  });

  it("fail the call if the guest has no memory for them, and never arrive empty [B3.answer-memory]", async () => {
    await using box = startSandbox({ maximumWorkers: 1 });
    await box.load("p", CROWDED);
    const call = { hostCall: answering(new Uint8Array(4 << 20).fill(0x61)) };
    for (const name of ["reads", "readsText"])
      expect(await box.call("p", name, call)).toMatchObject({ ok: false, fault: { kind: "exhausted", limit: "memory" } });
  });
});
