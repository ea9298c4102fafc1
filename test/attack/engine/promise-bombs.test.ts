import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const million = async () => { const all = []; for (let i = 0; i < 2e6; i++) all.push(new Promise(() => {})); await Promise.race(all); };
export const wide = () => Promise.all(Array.from({ length: 1e6 }, async () => { await 0 })).then((all) => all.length);
export const chain = () => { let p = Promise.resolve(0); for (let i = 0; i < 1e6; i++) p = p.then((n) => n + 1); return p };
export const doubling = () => { const f = () => Promise.resolve().then(() => { f(); f() }); f(); return new Promise(() => {}) };
export const async_recursion = async () => { const f = async () => { await f() }; await f() };
`;

it("attack: more promises than memory can hold [B3.memory] [B4.promises]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { cpuMs: 50 };
  for (const name of ["million", "wide", "chain", "doubling", "async_recursion"])
    expect(await call(name, { limits }), name).toMatchObject({ kind: expect.stringMatching(/^(exhausted|timeout|never_settles)$/) });
});
