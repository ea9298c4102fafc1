import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const roots = { this: globalThis, deno: Deno, console, error: new Error(), async: (async () => {}), generator: function* () {}, read: Deno.readTextFile, url: URL, timers: setTimeout, meta: import.meta };
export async function look(args, context) {
  const found = [];
  for (const [name, root] of Object.entries({ ...roots, args, context, workspace: context.workspace, signal: context.signal, log: context.log })) {
    for (const make of [root?.constructor?.constructor, root?.constructor, Object.getPrototypeOf(root)?.constructor]) {
      if (typeof make !== "function") continue;
      for (const code of ["return this", "return globalThis", "return typeof require + typeof module + typeof __dirname", "return typeof process === 'undefined' ? 'none' : typeof process.binding + typeof process.mainModule"]) {
        try {
          const value = await make(code)?.();
          if (value === globalThis || value === undefined || typeof value !== "object") { if (typeof value === "string" && /function|object/.test(value)) found.push(name + ": " + value); continue }
          if (value.Deno !== undefined && value !== globalThis) found.push(name + ": another realm");
        } catch {}
      }
    }
  }
  for (const f of [Deno.readTextFile, setTimeout, context.log, console.log]) { try { if (f.caller ?? f.arguments) found.push("caller") } catch {} }
  try { Deno.readTextFileSync("/x") } catch (e) { if (e.constructor.constructor("return globalThis")() !== globalThis) found.push("an error of another realm") }
  try { await context.workspace.readText("x") } catch (e) { if (e.constructor.constructor("return globalThis")() !== globalThis) found.push("an error of another realm") }
  return found;
}
export const names = () => ["require", "Bun", "XMLHttpRequest", "importScripts", "os", "std", "bjson", "gc", "print", "load", "__filename", "hostCall", "takeBytes"].filter((name) => name in globalThis && globalThis[name] !== undefined);
`;

it("attack: from any object to a constructor, and to code of another realm (escapes of vm2 and of node:vm) [B5.realm]", async () => {
  const { call } = await attacker(EVIL);
  expect(await call("look")).toEqual([]);
});

it("attack: names that other hosts expose [B5.globals]", async () => {
  const { call } = await attacker(EVIL);
  expect(await call("names")).toEqual([]);
});
