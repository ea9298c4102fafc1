/** `runaway`: how far past its deadline a call that does not end by itself is answered, over many kinds of loops. */

import { DEFAULT_LIMITS } from "../manifests/mod.ts";
import { startSandbox } from "../test/support/sandbox.ts";
import { type Bench, percentile } from "./measure.ts";

const DEADLINE_MS = 100;
const ROUNDS = 3;

/** Script loops, swallowed interrupts, floods of jobs, and native functions that the engine's interrupt does not reach. */
const LOOPS: Readonly<Record<string, string>> = {
  forEver: "for (;;);",
  doWhile: "do {} while (true)",
  functionCalls: "const f = () => 1; for (;;) f();",
  closures: "for (;;) [1, 2, 3].map((x) => x + 1);",
  strings: `let s = ""; for (;;) { s = "a".repeat(1000) + s.slice(0, 10); }`,
  tryCatch: "for (;;) { try { throw 1; } catch {} }",
  tryFinally: "function f() { try { for (;;); } finally { for (;;); } } f();",
  generator: "function* g() { for (;;) yield 1; } for (const _ of g());",
  getter: "const o = { get a() { for (;;); } }; o.a;",
  proxy: "const p = new Proxy({}, { get() { for (;;); } }); p.x;",
  toJson: "return { toJSON() { for (;;); } };",
  promiseExecutor: "new Promise(() => { for (;;); });",
  asyncSwallow: "return (async () => { for (;;) { try { await (async () => { for (;;); })(); } catch {} } })();",
  microtasks: "const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});",
  queueMicrotask: "const f = () => queueMicrotask(f); f(); return new Promise(() => {});",
  timers: "const f = () => setTimeout(f, 0); f(); return new Promise(() => {});",
  intervals: "setInterval(() => {}, 0); return new Promise(() => {});",
  sleep: "return new Promise((resolve) => setTimeout(resolve, 1e6));",
  sortCallback: "for (;;) [3, 1, 2].sort((a, b) => a - b);",
  sortHuge: "new Array(1e6).fill(0).map((_, i) => (i * 7919) % 1000003).sort((a, b) => { for (;;); });",
  sparseSort: "const a = []; a.length = 4e9; a.sort();",
  sparseJoin: "new Array(6e7) + '' + new Array(6e7) + new Array(6e7);",
  sparseIndexOf: "const a = []; a.length = 4e9; a.indexOf(1);",
  sparseIncludes: "const a = []; a.length = 4e9; a.includes(1);",
  sparseReverse: "const a = []; a.length = 4e9; a[0] = 1; a.reverse();",
  indexOfText: `const hay = "a".repeat(1 << 22); for (;;) hay.indexOf("a".repeat(1 << 11) + "b");`,
  regexpBacktrack: `/^(a+)+$/.test("a".repeat(40) + "b");`,
  regexpNested: `/(x+x+)+y/.test("x".repeat(60));`,
  replaceAll: `let s = "a".repeat(1 << 20); for (;;) s.replaceAll("a", "b");`,
  bigintMultiply: "let n = 3n; for (;;) n = n * n;",
  bigintText: "(3n ** 3000000n).toString();",
  bigintPower: "7n ** 9000000n;",
  normalize: `"\\u0344".repeat(1 << 22).normalize("NFD").normalize("NFC");`,
  jsonShared: "let v = Array(40).fill(0); for (let i = 0; i < 5; i++) v = Array(40).fill(v); JSON.stringify(v);",
  jsonParse: `const t = "[" + "1,".repeat(2e6) + "1]"; for (;;) JSON.parse(t);`,
  structuredClone: "const a = Array.from({ length: 1e5 }, (_, i) => ({ i })); for (;;) structuredClone(a);",
  typedFill: "const a = new Uint8Array(1 << 24); for (;;) a.fill(1);",
  concat: "let a = new Array(1e6).fill(1); for (;;) a.concat(a);",
};

export const runaway: Bench = {
  id: "runaway",
  what: `ms past the deadline, p99 over ${Object.keys(LOOPS).length} kinds of loops`,
  target: { atMost: 25 },
  async run() {
    await using box = startSandbox();
    const source = Object.entries(LOOPS).map(([name, body]) => `export function ${name}() { ${body} }`);
    const loaded = await box.load("runaway", source.join("\n"));
    if (!loaded.ok) throw new Error(`The loops do not load: ${loaded.fault.message}`);
    const past: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of Object.keys(LOOPS)) {
        const outcome = await box.call("runaway", name, { limits: { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, cpuMs: DEADLINE_MS } });
        // Wall time begins where the tool starts (SPEC T2): waiting for a worker is not the runaway's.
        // Some exhaust their memory before their time: they ended, which is what counts.
        if (outcome.ok) continue;
        past.push(Math.max(0, outcome.used.wallMs - DEADLINE_MS));
      }
    }
    return { id: "runaway", value: percentile(past, 0.99), unit: "ms", baseline: null, ratio: null };
  },
};
