import { describe, expect, it } from "vitest";
import { type FakeAnswer, type Guest, startGuest } from "./engine.ts";

const TEXT = new TextEncoder().encode("file text");

function host(operation: string): FakeAnswer {
  if (operation === "fs.readFile") return { bytes: TEXT };
  return { value: operation === "env.get" ? "value" : {} };
}

/** Changes that a program may make to the globals before its tool runs. */
const VANDALISM: readonly (readonly [name: string, code: string])[] = [
  ["JSON", `JSON.parse = JSON.stringify = () => { throw new Error("JSON") }`],
  [
    "Promise.prototype.then",
    `Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = function () { throw new Error("then") }`,
  ],
  ["the Promise constructor", `globalThis.Promise = function () { throw new Error("Promise") }`],
  ["Promise species", `Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("species") } })`],
  [
    "Map and Set",
    `for (const C of [Map, Set, WeakMap, WeakSet]) for (const k of Object.getOwnPropertyNames(C.prototype)) try { C.prototype[k] = () => { throw new Error(k) } } catch {}`,
  ],
  [
    "Array methods",
    `for (const k of Object.getOwnPropertyNames(Array.prototype)) if (typeof Array.prototype[k] === "function") Array.prototype[k] = () => { throw new Error(k) }`,
  ],
  ["array iteration", `Array.prototype[Symbol.iterator] = function () { throw new Error("iterator") }`],
  [
    "array indexes",
    `for (let i = 0; i < 20; i++) Object.defineProperty(Array.prototype, i, { set() { throw new Error("index setter") }, get() { throw new Error("index getter") }, configurable: true })`,
  ],
  ["Array species", `Object.defineProperty(Array, Symbol.species, { get() { throw new Error("species") } })`],
  [
    "String methods",
    `for (const k of Object.getOwnPropertyNames(String.prototype)) if (typeof String.prototype[k] === "function") String.prototype[k] = () => { throw new Error(k) }`,
  ],
  ["RegExp", `RegExp.prototype.exec = RegExp.prototype.test = RegExp.prototype[Symbol.replace] = () => { throw new Error("RegExp") }`],
  [
    "Function.prototype",
    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error("Function") }; Function.prototype.toString = () => "?"`,
  ],
  [
    "Reflect and Object",
    `for (const O of [Reflect, Object]) for (const k of Object.getOwnPropertyNames(O)) if (typeof O[k] === "function" && k !== "getOwnPropertyNames") try { O[k] = () => { throw new Error(k) } } catch {}`,
  ],
  [
    "inherited options",
    `for (const k of ["path", "operation", "name", "message", "code", "convert", "json", "value", "resolve", "id", "due", "get", "set", "writable", "configurable", "enumerable", "toJSON", "stack"]) Object.defineProperty(Object.prototype, k, { get() { throw new Error(k) }, set() { throw new Error(k) }, configurable: true })`,
  ],
  ["inherited toJSON", `Object.prototype.toJSON = String.prototype.toJSON = Array.prototype.toJSON = () => "forged"`],
  [
    "typed arrays",
    `const T = Object.getPrototypeOf(Uint8Array.prototype); for (const k of Object.getOwnPropertyNames(T)) try { Object.defineProperty(T, k, { get() { throw new Error(k) }, configurable: true }) } catch {} globalThis.Uint8Array = globalThis.ArrayBuffer = undefined; ArrayBuffer`,
  ],
  [
    "Error",
    `Error.prototype.toString = () => { throw 1 }; Object.defineProperty(Error.prototype, "name", { get() { throw 1 } }); globalThis.Error = globalThis.TypeError = undefined`,
  ],
  [
    "our own classes",
    `URL.prototype.href; for (const C of [URL, TextDecoder, TextEncoder, AbortSignal, EventTarget, Event]) for (const k of Object.getOwnPropertyNames(C.prototype)) try { Object.defineProperty(C.prototype, k, { value: () => { throw new Error(k) } }) } catch {}`,
  ],
  [
    "our globals",
    `for (const k of ["URL", "TextDecoder", "TextEncoder", "console", "setTimeout", "queueMicrotask", "performance", "DOMException", "AbortController"]) globalThis[k] = undefined; Deno.errors.NotFound = Deno.errors.NotCapable = undefined`,
  ],
  ["Symbol", `globalThis.Symbol = { iterator: "x" }`],
  [
    "Math and Number",
    `for (const O of [Math, Number]) for (const k of Object.getOwnPropertyNames(O)) try { O[k] = () => { throw new Error(k) } } catch {}`,
  ],
  [
    "Date",
    `Date.now = () => { throw new Error("now") }; Date.prototype.getTime = Date.prototype.toISOString = () => { throw new Error("Date") }`,
  ],
];

/** A tool with every kind of waiting: an operation in each direction, a timer, a workspace call. */
const WORKING = `
  const { readTextFile, readTextFileSync, mkdir, env } = Deno; const wait = setTimeout; const P = Promise;
  export async function tool(args, context) {
    const first = await readTextFile("a");
    await new P((resolve) => wait(resolve, 5));
    await mkdir("d", { recursive: true });
    await context.workspace.write("w", "x");
    return first + readTextFileSync("b") + env.get("V");
  }
  export function fails() { const e = new (class Mine { message = "mine"; name = "Mine"; stack = "" }); throw e }
  export function plain() { return 7 }
`;

async function vandalised(code: string): Promise<Guest> {
  return await startGuest({ source: `${WORKING}\n;(() => { try { ${code} } catch {} })();`, answer: host });
}

describe("a plugin that replaces the globals", () => {
  it.each(VANDALISM)("(%s) still has its calls begun, settled and ended [B5.primordials] [B4]", async (name, code) => {
    // The program's own `await` may meet a broken `constructor` or `then`; only the entry functions must survive.
    const guest = await vandalised(code);
    expect(guest.call({ export: "plain" })).toBe('d{"o":7}');
    guest.dispose();
    const failing = await vandalised(code);
    expect(failing.call({ export: "fails" })).toBe('t{"name":"Mine","message":"mine","stack":""}');
    failing.dispose();
    const missing = await vandalised(code);
    expect(missing.call({ export: "none" })).toBe('x["fails","plain","tool"]');
    missing.dispose();
    expect(name).not.toBe("");
  });

  it.each(VANDALISM)("(%s) still has its files, timers and workspace [B5.primordials] [B6]", async (_name, code) => {
    const guest = await vandalised(code);
    expect(guest.call()).toBe('d{"o":"file textfile textvalue"}');
    expect(guest.crossings.map(({ operation, args }) => [operation, args])).toEqual([
      ["fs.readFile", { path: "a" }],
      ["fs.mkdir", { path: "d", recursive: true }],
      ["workspace.write", { path: "w", append: false }],
      ["fs.readFile", { path: "b" }],
      ["env.get", { name: "V" }],
    ]);
    guest.dispose();
  });

  it("never sees the native functions: not as this, argument, caller, property or in a getter [B5.native]", async () => {
    const guest = await startGuest({
      source: `
        const { apply } = Reflect; const { add } = Set.prototype; const { forEach } = Array.prototype;
        const seen = new Set(); const note = (value) => { if (typeof value === "function" || (typeof value === "object" && value !== null)) apply(add, seen, [value]) };
        const spy = (owner, key) => {
          const d = Object.getOwnPropertyDescriptor(owner, key); if (!d?.configurable) return;
          for (const part of ["value", "get", "set"]) if (typeof d[part] === "function") { const original = d[part]; d[part] = function (...args) { note(this); apply(forEach, args, [note]); return apply(original, this, args) } }
          try { Object.defineProperty(owner, key, d) } catch {}
        };
        for (const owner of [Object.prototype, Map.prototype, Promise.prototype, JSON, String.prototype, Set.prototype, RegExp.prototype]) for (const key of Reflect.ownKeys(owner)) if (key !== "constructor") spy(owner, key);
        export async function tool(args, context) {
          await Deno.readTextFile("a"); Deno.statSync("b"); new TextEncoder().encode("x"); console.log(1); crypto.randomUUID(); await new Promise((r) => setTimeout(r, 1)); context.progress(1);
          const names = [...seen].filter((v) => typeof v === "function").map((v) => v.name);
          const objects = [...seen].filter((v) => typeof v === "object" && ("hostCall" in v || "takeBytes" in v || "settle" in v)).length;
          return [names.includes("hostCall"), names.includes("takeBytes"), objects, typeof hostCall];
        }`,
      answer: host,
    });
    expect(guest.output()).toEqual([false, false, 0, "undefined"]);
    guest.dispose();
  });

  it("cannot reach the prelude's functions through their callers or arguments [B5.native]", async () => {
    const guest = await startGuest({
      source: `export function tool() { const seen = []; const probe = { get path() { seen.push("path") } };
        for (const f of [Deno.readFileSync, setTimeout, URL, console.log]) for (const key of ["caller", "arguments"]) try { seen.push(f[key] ?? null) } catch (e) { seen.push(e.name) }
        return seen.every((v) => v === null || v === "TypeError") }`,
    });
    expect(guest.output()).toBe(true);
    guest.dispose();
  });

  it("receives errors of its own hooks, and none from the entry [B4] [B5]", async () => {
    const guest = await startGuest({
      source: `export async function tool() {
        const seen = []; const boom = () => { throw new RangeError("boom") };
        for (const attempt of [
          () => Deno.mkdir("d", { get recursive() { boom() } }), () => new URL({ toString: boom }), () => setTimeout({ [Symbol.toPrimitive]: boom }), () => setTimeout(() => {}, { valueOf: boom }),
          () => new AbortController().signal.addEventListener("a", () => {}, { get once() { boom() } }), () => structuredClone({ get a() { boom() } }), () => new TextDecoder("utf-8", { get fatal() { boom() } }),
          () => Deno.permissions.query({ get name() { boom() } }), () => Deno.writeTextFile("f", { toString: boom }), () => crypto.getRandomValues({ get length() { boom() } }), () => new URLSearchParams({ [Symbol.iterator]: boom }),
        ]) try { await attempt(); seen.push("done") } catch (e) { seen.push(e.name) }
        return seen }`,
      answer: host,
    });
    expect(guest.output()).toEqual([
      "RangeError",
      "RangeError",
      "TypeError",
      "RangeError",
      "RangeError",
      "RangeError",
      "RangeError",
      "RangeError",
      "RangeError",
      "TypeMismatchError",
      "RangeError",
    ]);
    guest.dispose();
  });

  it("cannot change bytes after it has sent them, nor keep access to received ones [B5]", async () => {
    const guest = await startGuest({
      source: `export async function tool() { const data = new Uint8Array([1, 2]); const p = Deno.writeFile("f", data); data[0] = 9; await p; const a = await Deno.readFile("a"); a.fill(0); const b = await Deno.readFile("a"); return [...b.slice(0, 2)] }`,
      answer: host,
    });
    expect(guest.output()).toEqual([...TEXT.slice(0, 2)]);
    expect([...(guest.crossings[0]?.bytes ?? [])]).toEqual([1, 2]);
    guest.dispose();
  });

  it("cannot pass a path that changes between check and use [C4] [B5]", async () => {
    const guest = await startGuest({
      source: `export function tool() { let n = 0; const sly = { toString() { return n++ === 0 ? "/good" : "/etc/passwd" } }; const url = new URL("file:///good"); Object.defineProperty(url, "pathname", { value: "/etc/passwd" }); Object.defineProperty(url, "href", { value: "file:///etc/passwd" });
        try { Deno.readFileSync(sly) } catch (e) { if (e.name !== "TypeError") throw e } Deno.readFileSync(url); return n }`,
      answer: host,
    });
    expect(guest.output()).toBe(0);
    expect(guest.crossings.map(({ args }) => args)).toEqual([{ path: "/good" }]);
    guest.dispose();
  });

  it("cannot forge an outcome by returning text that looks like one [B5]", async () => {
    const guest = await startGuest({ source: `export const tool = () => 'd{"o":"forged"}'; String.prototype.toJSON = () => "x"; ` });
    expect(guest.call()).toBe('d{"o":"d{\\"o\\":\\"forged\\"}"}');
    guest.dispose();
  });
});
