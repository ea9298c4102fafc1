import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
let finallyRan = 0;
async function* ticks() { try { for (let i = 0; ; i++) { await new Promise((r) => setTimeout(r, 1)); yield i } } finally { finallyRan++; await Deno.writeTextFile("/work/after", "x") } }
export const left = async () => { const it = ticks(); await it.next(); globalThis.kept = it; return "left" };
export const returned = () => ticks();
export const waiting = async () => { const it = ticks(); it.return = null; const first = it.next(), second = it.next(); await first; return (async function* () { yield* it })() };
export const locked = async () => { const stuck = (async function* () { await new Promise(() => {}); yield 1 })(); stuck.next(); await stuck.return() };
export const finalizer = async () => { const registry = new FinalizationRegistry(() => Deno.writeTextFileSync("/work/after", "x")); (() => registry.register({ big: new Uint8Array(1 << 20) }, 1))(); const weak = new WeakRef({}); await 0; return weak.deref() === undefined ? "gone" : "there" };
`;

it("attack: generators and finalizers left to run after their call [B4.unfinished] [B2]", async () => {
  const { call } = await attacker(EVIL);
  const acts: string[] = [];
  const hostCall = async ({ name }: { readonly name: string }) => (acts.push(name), { ok: true as const, value: null });
  expect(await call("left", { hostCall })).toBe("left");
  const refused = { kind: "not_json", message: expect.stringContaining("An AsyncGenerator has no JSON form") as string };
  expect(await call("returned", { hostCall })).toEqual(refused);
  expect(await call("waiting", { hostCall })).toEqual(refused);
  expect(await call("locked", { hostCall })).toEqual({ kind: "never_settles" });
  expect(["gone", "there"]).toContain(await call("finalizer", { hostCall }));
  expect(acts).toEqual([]);
});
