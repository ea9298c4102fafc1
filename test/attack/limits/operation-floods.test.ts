import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const quiet = (f) => { try { return f() } catch {} };
export const sync = () => { for (;;) quiet(() => Deno.statSync("/work/a")) };
export const async = () => { for (;;) quiet(() => void Deno.stat("/work/a").catch(() => {})) };
export const awaited = async () => { for (;;) { try { await Deno.stat("/work/a") } catch {} } };
export const mixed = async () => { for (;;) { void Deno.stat("/work/a").catch(() => {}); quiet(() => Deno.statSync("/work/a")); await 0 } };
export const inFinally = () => { try { return sync() } finally { for (;;) quiet(() => Deno.removeSync("/work/a")) } };
`;

it("attack: endless operations, also while the call ends [B3.operations] [B3.pendingOperations]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { operations: 200, pendingOperations: 10 };
  for (const name of ["sync", "async", "awaited", "mixed", "inFinally"]) {
    let acts = 0;
    const hostCall = async () => (acts++, { ok: true as const, value: { isFile: true } });
    expect(await call(name, { limits, hostCall }), name).toMatchObject({
      kind: "exhausted",
      limit: expect.stringMatching(/^(operations|pendingOperations)$/),
    });
    expect(acts, name).toBeLessThanOrEqual(200);
  }
});
