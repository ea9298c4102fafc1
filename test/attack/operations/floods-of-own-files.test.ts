/** A plugin reads its own large file dozens of times at once: this costs the host neither work nor memory. */

import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const FILE_BYTES = 1_000_000;
const EVIL = {
  "main.ts": `
const own = new URL("./large.txt", import.meta.url);
export const all = async () => {
  const sizes = await Promise.all(Array.from({ length: 60 }, async () => (await Deno.readFile(own)).length));
  return [sizes.length, new Set(sizes).size, sizes[0]];
};
export const texts = async () => (await Promise.all([own, own, own].map((file) => Deno.readTextFile(file)))).join("").length;
export const blocking = () => { let sum = 0; for (let read = 0; read < 60; read++) sum += Deno.readFileSync(own).length; return sum };
export const endless = async () => { for (;;) await Promise.all(Array.from({ length: 60 }, () => Deno.readFile(own))) };
export const flood = async () => { await Promise.all(Array.from({ length: 65 }, () => Deno.stat(own))) };
export const left = () => { for (let read = 0; read < 60; read++) void Deno.readFile(own); return "left" };
`,
  "large.txt": "x".repeat(FILE_BYTES),
};

it("attack: a flood of reads of its own file sends the host no operation [LV1.own-files, LV2.own]", async () => {
  const { call } = await attacker(EVIL);
  let asked = 0;
  const hostCall = async () => (asked++, { ok: true as const, value: null });
  expect(await call("all", { hostCall })).toEqual([60, 1, FILE_BYTES]);
  expect(await call("texts", { hostCall })).toBe(3 * FILE_BYTES);
  expect(await call("blocking", { hostCall })).toBe(60 * FILE_BYTES);
  expect(await call("left", { hostCall })).toBe("left");
  expect(await call("flood", { hostCall })).toMatchObject({ kind: "exhausted", limit: "pendingOperations" });
  expect(await call("endless", { hostCall, limits: { cpuMs: 300, operations: 5_000 } })).toMatchObject({
    kind: expect.stringMatching(/timeout|exhausted/),
  });
  expect(asked).toBe(0);
});
