/**
 * CPU-bound guest code of the kinds that plugins have: the interpreter, strings, regular expressions, JSON, maps, sorting, typed
 * arrays.
 */

export const CPU_PROGRAMS: readonly string[] = [
  "arithmetic",
  "strings",
  "objects",
  "sort",
  "json",
  "regexp",
  "closures",
  "calls",
  "typed",
  "classes",
];

export const CPU_SOURCE: string = `
export function arithmetic() { let x = 0; for (let i = 0; i < 60_000; i++) x = (x * 31 + i) % 1_000_003; return x; }
export function strings() { let s = ""; for (let i = 0; i < 8_000; i++) s += String.fromCharCode(97 + (i % 26)); return s.split("a").join("b").toUpperCase().length; }
export function objects() { const m = new Map(); for (let i = 0; i < 4_000; i++) m.set("k" + i, { i }); let n = 0; for (const [, v] of m) n += v.i; return n; }
export function sort() { const v = Array.from({ length: 4_000 }, (_, i) => (i * 7_919) % 10_007); v.sort((a, b) => a - b); return v[5]; }
export function json() { const rows = Array.from({ length: 800 }, (_, id) => ({ id, name: "n" + id, tags: ["a", "b"] })); return JSON.parse(JSON.stringify(rows)).length; }
export function regexp() { let n = 0; for (const m of "the quick brown fox jumps over the lazy dog ".repeat(120).matchAll(/(\\w+)\\s+(\\w+)/g)) n += m[1].length; return n; }
export function closures() { return Array.from({ length: 4_000 }, (_, i) => i).map((x) => x * 2).filter((x) => x % 3 === 0).reduce((a, b) => a + b, 0); }
export function calls() { const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(17); }
export function typed() { const a = new Uint32Array(8_000); for (let i = 0; i < a.length; i++) a[i] = i * i; let h = 0; for (const v of a) h = (h ^ v) >>> 1; return h; }
export function classes() { class P { #x; constructor(x) { this.#x = x; } get x() { return this.#x; } } let n = 0; for (let i = 0; i < 6_000; i++) n += new P(i).x; return n; }
`;
