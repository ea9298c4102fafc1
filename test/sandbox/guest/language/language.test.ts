import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "../engine.ts";
import { askBoth } from "../oracle.ts";
import "../../../support/seed.ts";

const FROM_ASYNC = [
  `Array.fromAsync([1, Promise.resolve(2)])`,
  `Array.fromAsync((async function* () { yield 1; yield 2 })())`,
  `Array.fromAsync(new Set([1, 2]), async (x, i) => x * 10 + i)`,
  `Array.fromAsync({ length: 2, 0: "a", 1: Promise.resolve("b") })`,
  `Array.fromAsync([1], function () { return this.x }, { x: 9 })`,
  `Array.fromAsync("ab")`,
  `Array.fromAsync(3)`,
  `Array.fromAsync(null)`,
  `Array.fromAsync([1], 2)`,
  `Array.fromAsync([Promise.reject(new RangeError("r"))])`,
  `(async () => { let closed = 0; const source = (values) => ({ [Symbol.iterator]: () => ({ next: () => ({ done: values.length === 0, value: values.shift() }), return() { closed++; return {}; } }) }); await Array.fromAsync(source([1, 2])); const whole = closed; await Array.fromAsync(source([1]), () => { throw new Error("mine"); }).catch(() => {}); return [whole, closed]; })()`,
  `(async () => { class L extends Array {} const l = await L.fromAsync([1]); return [l instanceof L, l.length] })()`,
  `[Array.fromAsync.length, Array.fromAsync.name, Object.getOwnPropertyDescriptor(Array, "fromAsync").enumerable]`,
];

const OTHERS = [
  `[typeof Symbol.dispose, typeof Symbol.asyncDispose, Symbol.dispose.toString(), Object.getOwnPropertyDescriptor(Symbol, "dispose").writable]`,
  `(() => { let closed = 0; const it = { __proto__: Iterator.prototype, return() { closed++ } }; it[Symbol.dispose](); return closed })()`,
  `(() => { const o = {}; Error.captureStackTrace(o); return [typeof o.stack, Object.getOwnPropertyDescriptor(o, "stack").enumerable, Error.captureStackTrace.length] })()`,
  `Error.captureStackTrace(1)`,
  `BigInt.asUintN(64, -1n)`,
  `BigInt.asUintN(2 ** 53, 1n)`,
  `BigInt.asUintN(-1, 1n)`,
  `BigInt.asUintN(8, 1)`,
  `BigInt.asUintN(8n, 1n)`,
  `[BigInt.asUintN, BigInt.prototype.toLocaleString, Number.prototype.toLocaleString, Array.prototype.toLocaleString, Uint8Array.prototype.toLocaleString, Date.prototype.toLocaleString, Date.prototype.toLocaleDateString, String.prototype.localeCompare, String.prototype.toLocaleUpperCase, Uint8Array.fromBase64, Uint8Array.prototype.toHex, Uint8Array.prototype.setFromHex, Error.captureStackTrace, Intl.NumberFormat.prototype.resolvedOptions, Intl.Collator.supportedLocalesOf, Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, "format").get, Intl.PluralRules.prototype.select].map((f) => { try { Reflect.construct(Object, [], f); return f.name; } catch (error) { return [Object.hasOwn(f, "prototype"), error.name]; } })`,
  `["setFromHex", "setFromBase64"].map((name) => { const bytes = new Uint8Array(2); bytes.buffer.transfer(); try { bytes[name]("aaaa"); } catch (error) { return error.name; } })`,
  `[BigInt.asUintN("8", "257"), BigInt.asUintN(3.9, 15n), BigInt.asUintN.length]`,
  `[typeof InternalError, typeof std, typeof os, typeof print, typeof scriptArgs, typeof bjson]`,
];

describe("the language", () => {
  it("has the features that the engine lacks, as in Deno [PB1.language]", async () => {
    const cases = [...FROM_ASYNC, ...OTHERS];
    const { deno, guest } = await askBoth(cases);
    expect(guest).toEqual(deno);
  });

  it("has a BigInt.asUintN that is correct for every width and sign [PB1.language]", async () => {
    const guest = await startGuest({
      source: `export function tool({ cases }) { return cases.map(([bits, value]) => String(BigInt.asUintN(bits, BigInt(value)))) }`,
    });
    const cases = fc.sample(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.bigInt({ min: -(2n ** 280n), max: 2n ** 280n })), {
      numRuns: 2_000,
      seed: 1,
    });
    const answers = guest.output({ args: { cases: cases.map(([bits, value]) => [bits, String(value)]) } });
    expect(answers).toEqual(cases.map(([bits, value]) => String(BigInt.asUintN(bits, value))));
    guest.dispose();
  });

  it("gives captured stacks a header and the frames below the omitted one [PB1.language]", async () => {
    const code = `(() => { class E extends Error { constructor(m, out) { super(m); Error.captureStackTrace(this, out) } } const frames = (out) => new E("why", out).stack.split("\\n").slice(0, 2).map((line) => line.replace(/:\\d+:\\d+/, "")); return [frames(), frames(E)] })()`;
    expect(await evaluateInGuest(code)).toEqual([
      ["Error: why", "    at E (main.js)"],
      ["Error: why", "    at frames (main.js)"],
    ]);
  });
});
