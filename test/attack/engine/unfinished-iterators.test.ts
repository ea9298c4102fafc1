import { expect, it } from "vitest";
import type { HostAnswer } from "../../../sandbox/mod.ts";
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
  // A call may yield twice; then the host refuses, which ends the generator within the call.
  const hostCall = async ({ name }: { readonly name: string }): Promise<HostAnswer> => {
    acts.push(name);
    const yielded = acts.filter((act) => act === "yield").length;
    return name === "yield" && yielded > 2 ? { ok: false, error: { name: "RangeError", message: "Too much" } } : { ok: true, value: null };
  };
  expect(await call("left", { hostCall })).toBe("left");
  expect(acts).toEqual([]);
  expect(await call("returned", { hostCall })).toMatchObject({ kind: "threw", message: "Too much" });
  expect(acts.splice(0)).toEqual(["yield", "yield", "yield", "fs.writeFile"]);
  expect(await call("waiting", { hostCall })).toMatchObject({ kind: "threw", message: "Too much" });
  expect(acts.splice(0)).toEqual(["yield", "yield", "yield"]);
  expect(await call("locked", { hostCall })).toEqual({ kind: "never_settles" });
  expect(["gone", "there"]).toContain(await call("finalizer", { hostCall }));
  expect(acts).toEqual([]);
});
