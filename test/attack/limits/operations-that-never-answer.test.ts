import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const sync = () => Deno.readTextFileSync("/work/a");
export const async = () => Deno.readTextFile("/work/a");
export const hoard = () => { for (let i = 0; i < 1e3; i++) Deno.readTextFile("/work/a").catch(() => {}); return new Promise(() => {}) };
export const afterAbort = async (args, context) => { await new Promise((r) => context.signal.addEventListener("abort", r)); for (;;); };
`;
const never = (): Promise<never> => new Promise(() => {});

it("attack: blocking a worker by waiting for an answer that never comes [B3.wall] [B1]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { wallMs: 200, pendingOperations: 20 };
  expect(await call("sync", { limits, hostCall: never })).toEqual({ kind: "timeout", limit: "wall", limitMs: 200 });
  expect(await call("async", { limits, hostCall: never })).toEqual({ kind: "timeout", limit: "wall", limitMs: 200 });
  expect(await call("hoard", { limits, hostCall: never })).toEqual({ kind: "exhausted", limit: "pendingOperations", allowed: 20 });
});

it("attack: a cancelled tool that keeps spinning [T3] [B3.kill]", async () => {
  const { call } = await attacker(EVIL);
  const control = new AbortController();
  const ended = call("afterAbort", { signal: control.signal });
  setImmediate(() => control.abort());
  expect(await ended).toEqual({ kind: "cancelled" });
});
