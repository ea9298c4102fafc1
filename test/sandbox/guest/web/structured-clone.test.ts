import { describe, expect, it } from "vitest";
import { evaluateInGuest } from "../engine.ts";
import { askBoth } from "../oracle.ts";

const CLONED = [
  `[() => (function* () {})(), () => (async function* () {})(), () => [].values(), () => new Map().keys(), () => new Set().values(), () => "a"[Symbol.iterator](), () => "a".matchAll(/a/g), () => [].values().map(String), () => Iterator.from({ next() {} }), () => new FinalizationRegistry(() => {})].map(((make) => { try { return [structuredClone(make())]; } catch (error) { return [error.name, error.code]; } }))`,
  `[() => new Proxy({ a: 1 }, {}), () => new Proxy([1], {}), () => ({ a: [new Proxy(new Map(), {})] }), () => new Proxy(new Date(), {}), () => new Proxy(() => {}, {}), () => Proxy.revocable({}, {}).proxy, () => new (class extends Object { constructor() { return new Proxy({}, {}); } })(), () => Reflect.construct(Proxy, [{}, {}])].map(((make) => { try { return [structuredClone(make())]; } catch (error) { return [error.name, error.code]; } }))`,
  `[() => (function () { return arguments; })(1), () => ({ [Symbol.toStringTag]: "Arguments", a: 1 }), () => new (class extends Iterator { a = 1 })(), () => Object.create({ a: 1 }), () => Object.create(null)].map(((make) => { try { return [structuredClone(make())]; } catch (error) { return [error.name, error.code]; } }))`,
  `(() => { const r = Proxy.revocable({ a: 1 }, {}); r.revoke(); try { structuredClone(r.proxy); } catch (error) { return error.name; } })()`,
  `[Proxy.length, Proxy.name, "prototype" in Proxy, Object.hasOwn(Proxy, "prototype"), typeof Proxy, Proxy.revocable.length, new Proxy([1], {}).length, (() => { try { Proxy({}, {}); } catch (error) { return error.name; } })(), (() => { try { new Proxy(1, {}); } catch (error) { return error.name; } })()]`,
  `(() => { const { port1, port2 } = new MessageChannel(); try { port1.postMessage(new Proxy({}, {})); } catch (error) { return error.name; } finally { port1.close(); port2.close(); } })()`,
  `structuredClone(1)`,
  `structuredClone("a\\0\\ud800")`,
  `structuredClone(null)`,
  `structuredClone(undefined)`,
  `structuredClone(10n)`,
  `structuredClone(-0)`,
  `structuredClone({ a: 1, [Symbol("s")]: 2, get b() { return 3 } })`,
  `structuredClone(Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } }))`,
  `structuredClone(JSON.parse('{"__proto__": 1}'))`,
  `structuredClone([1, , 3])`,
  `structuredClone(Object.assign([1], { x: 2 }))`,
  `structuredClone(new (class Foo { x = 1 })).constructor === Object`,
  `structuredClone(new Map([[{ a: 1 }, new Set([1])]]))`,
  `structuredClone(new Date(5))`,
  `(() => { const r = /x/gi; r.lastIndex = 3; const c = structuredClone(r); return [c, c.lastIndex] })()`,
  `structuredClone(Object(1))`,
  `structuredClone(Object("s"))`,
  `structuredClone(Object(1n))`,
  `structuredClone(Object(false))`,
  `structuredClone(new Uint8Array([1, 2, 3]).subarray(1))`,
  `structuredClone(new Uint8Array([1, 2, 3]).subarray(1)).buffer.byteLength`,
  `structuredClone(new DataView(new ArrayBuffer(4), 1, 2))`,
  `structuredClone(new Float64Array([1.5]))`,
  `structuredClone(new ArrayBuffer(2))`,
  `structuredClone(new ArrayBuffer(2, { maxByteLength: 4 })).maxByteLength`,
  `(() => { const a = { }; a.self = a; a.list = [a]; const c = structuredClone(a); return [c !== a, c.self === c, c.list[0] === c] })()`,
  `(() => { const b = new ArrayBuffer(4); const c = structuredClone([new Uint8Array(b), new Uint8Array(b)]); return c[0].buffer === c[1].buffer })()`,
  `(() => { const e = structuredClone(new RangeError("m", { cause: { a: 1 } })); return [e.name, e.message, e.cause, e instanceof RangeError, Object.keys(e)] })()`,
  `(() => { class Foo extends Error { name = "Foo"; extra = 1 } const e = structuredClone(new Foo("m")); return [e.name, e.message, e.constructor === Error, "extra" in e] })()`,
  `(() => { const e = structuredClone(new DOMException("m", "AbortError")); return [e.name, e.message, e.code, e instanceof DOMException] })()`,
  `structuredClone(() => {})`,
  `structuredClone(Symbol("s"))`,
  `structuredClone({ a: [() => {}] })`,
  `structuredClone(new WeakMap())`,
  `structuredClone(new WeakSet())`,
  `structuredClone(new WeakRef({}))`,
  `structuredClone(Promise.resolve())`,
  `structuredClone(new URL("http://a"))`,
  `structuredClone({ get a() { throw new RangeError("mine") } })`,
  `structuredClone()`,
  `structuredClone(1, { transfer: [{}] })`,
  `(() => { const b = new ArrayBuffer(4); const c = structuredClone({ b }, { transfer: [b] }); return [b.detached, b.byteLength, c.b.byteLength] })()`,
  `(() => { const b = new ArrayBuffer(4); b.transfer(); return structuredClone(b, { transfer: [b] }) })()`,
  `(() => { const b = new ArrayBuffer(4); b.transfer(); return structuredClone({ b }) })()`,
  `(() => { const v = new Uint8Array([1, 2]); const c = structuredClone(v, { transfer: [v.buffer] }); return [v.length, c] })()`,
];

describe("structuredClone()", () => {
  it("copies and refuses the same values as Deno [PB1.structuredClone]", async () => {
    const { deno, guest } = await askBoth(CLONED);
    expect(guest).toEqual(deno);
  });

  it("follows the standard where Deno does not yet [PB1.structuredClone]", async () => {
    const cases = `[
      structuredClone.length,
      (() => { const b = new ArrayBuffer(4); try { return structuredClone(b, { transfer: [b, b] }) } catch (error) { return error.name } })(),
    ]`;
    expect(await evaluateInGuest(cases)).toEqual([1, "DataCloneError"]);
  });

  it("copies a list of thousands of nested nodes [PB1.structuredClone] [B4]", async () => {
    const deep = `(() => {
      let list;
      for (let i = 0; i < 20_000; i++) list = i % 2 === 0 ? { next: list } : [list];
      let copy = structuredClone(list), length = 0;
      for (; copy !== undefined; copy = Array.isArray(copy) ? copy[0] : copy.next) length++;
      return length;
    })()`;
    expect(await evaluateInGuest(deep)).toBe(20_000);
  });

  it("copies depth first, in the order of the keys [PB1.structuredClone]", async () => {
    const order = `(() => {
      const seen = [];
      const watched = (name, inner) => ({ get [name]() { seen.push(name); return inner } });
      structuredClone([watched("a", watched("b", 1)), new Map([[watched("k", 1), watched("v", 2)]]), watched("c", 3)]);
      return seen;
    })()`;
    expect(await evaluateInGuest(order)).toEqual(["a", "b", "k", "v", "c"]);
  });

  it("ignores a false tag, species or constructor [PB1.structuredClone] [B5]", async () => {
    const lies = `(() => {
      const map = new Map([[1, 2]]);
      Object.defineProperty(map, Symbol.toStringTag, { value: "Set" });
      Object.defineProperty(map, "constructor", { value: Array });
      const bytes = new Uint8Array([7]);
      bytes.constructor = { [Symbol.species]: function () { throw new Error("asked") } };
      bytes.buffer.constructor = { [Symbol.species]: function () { throw new Error("asked") } };
      const copy = structuredClone([map, bytes, { [Symbol.toStringTag]: "Date" }]);
      return [copy[0].get(1), copy[1][0], Object.keys(copy[2])];
    })()`;
    expect(await evaluateInGuest(lies)).toEqual([2, 7, []]);
  });
});
