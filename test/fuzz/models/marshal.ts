/** Data between host and guest: JSON and bytes arrive unchanged, and everything that a guest sends is bounded. */

import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { engineFault } from "../../../sandbox/worker/call/call-faults.ts";
import { EngineInterrupted } from "../../../sandbox/engine/fuel.ts";
import { nestsWithin, parseGuestJson } from "../../../sandbox/wire/marshal.ts";
import { readLogLine, readStatus } from "../../../sandbox/wire/status.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { type InThreadPlugin, loadInThread, meteredModule } from "../../support/in-thread.ts";
import { model, type Model } from "./model.ts";

const GUEST = `
export function echo({ value }) { return value; }
export function again({ value }) { return JSON.parse(JSON.stringify(value)); }
export function describe({ value }) { const seen = []; (function walk(v) { if (typeof v === "object" && v !== null) { seen.push(Object.keys(v).length, Object.getPrototypeOf(v) === Object.prototype || Array.isArray(v)); Object.values(v).forEach(walk); } else seen.push(typeof v === "string" ? v.length : v); })(value); return seen; }
export function run({ code }) { return (0, eval)(code); }
`;

/** Keys with a meaning on either side, and text of every kind. */
const key = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toJSON", "then", "o", "t", "length", "0", "\0", "\ud800", ""),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 1.5, 5e-324, 1.7976931348623157e308, 2 ** 53, -1e-7),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
}));
/** Expressions of a guest that are not plain values. */
const hostile = fc.constantFrom(
  "let a = []; for (let i = 0; i < 5000; i++) a = [a]; a",
  "const o = {}; o.o = o; o",
  "({ toJSON() { return { toJSON() { return this } } } })",
  "({ get a() { throw { toString() { throw 1 } } } })",
  "new Proxy([], { get(t, k) { if (k === 'length') return 4e9; throw 1 } })",
  "Object.defineProperty([], 'length', { value: 4e9 })",
  "[1n]",
  "Symbol('x')",
  "() => 1",
  "({ then(r) { r(1) } })",
  "({ [Symbol.toPrimitive]() { throw 1 }, valueOf: null })",
  "'x'.repeat(1 << 20)",
  "throw null",
  "throw Object.create(null)",
  "throw { message: { toString: null }, name: 'x'.repeat(1e6), stack: 1n }",
  "throw new Proxy(new Error('p'), { get() { throw 1 } })",
  "const e = new Error('c'); e.cause = e; throw e",
  "Object.prototype.toJSON = () => undefined; ({})",
  "Array.prototype.toJSON = () => 'x'; [1]",
  "-0",
  "NaN",
  "Infinity",
  "new Date(NaN)",
  "new Map([[1, 2]])",
  "new Uint8Array(3)",
  "'\\ud800'",
);
const statusText = fc.tuple(
  fc.constantFrom("w", "d", "t", "r", "n", "x", "u", "l", "", "?"),
  fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constantFrom("[".repeat(1_000), "1e999", "-1", "NaN")),
);

let guest: Promise<InThreadPlugin> | undefined;
function loaded(): Promise<InThreadPlugin> {
  guest ??= loadInThread(GUEST, trackedRestore, { module: meteredModule, budgetMs: 200 });
  return guest;
}

async function call(name: string, args: unknown): Promise<string> {
  const plugin = await loaded();
  plugin.restore();
  try {
    return plugin.call(name, args);
  } catch (error) {
    // As in a run: the instance is not used again, and the call gets its fault.
    guest = undefined;
    const fault = engineFault(error, { limits: DEFAULT_LIMITS, modules: { authorStack: (stack) => stack }, memoryExhausted: false });
    if (fault.kind === "trap" && !(error instanceof EngineInterrupted)) throw error;
    return `t${JSON.stringify({ name: fault.kind, message: "", stack: "" })}`;
  }
}

export const marshalModels: readonly Model[] = [
  model("marshal: a guest returns every JSON value unchanged [B5.equal]", anyJson, async (value) => {
    const sent = JSON.stringify(value);
    for (const name of ["echo", "again"]) {
      const answer = await call(name, { value: JSON.parse(sent) });
      if (answer !== `d{"o":${sent}}`) throw new Error(`${name}: ${sent} is returned as ${answer}`);
    }
  }),
  model("marshal: a guest sees only own properties of plain objects [B5.plain]", anyJson, async (value) => {
    const sent: unknown = JSON.parse(JSON.stringify(value));
    const seen: unknown[] = [];
    const walk = (at: unknown): void => {
      if (typeof at === "object" && at !== null) {
        seen.push(Object.keys(at).length, true);
        Object.values(at).forEach(walk);
      } else seen.push(typeof at === "string" ? at.length : at);
    };
    walk(sent);
    const answer = await call("describe", { value: sent });
    if (answer !== `d{"o":${JSON.stringify(seen)}}`) throw new Error(`${JSON.stringify(sent)} is seen as ${answer}`);
  }),
  model(
    "marshal: any value that a guest returns or throws is a bounded answer that the host reads without throwing [B5.hostile]",
    fc.tuple(hostile, fc.boolean()),
    async ([code, isDeferred]) => {
      const body =
        code.includes(";") || code.startsWith("throw")
          ? `(() => { ${code.replace(/; ([^;]+)$/, "; return $1").replace(/return throw/, "throw")} })()`
          : `(${code})`;
      const answer = await call("run", { code: isDeferred ? `(async () => ${body})()` : body });
      if (answer.length > (1 << 23) + 100) throw new Error(`${answer.length} characters`);
      const status = readStatus(answer);
      if (status.kind === "done") parseGuestJson(status.output, 65);
      if (status.kind === "error" && status.error.message.length + status.error.stack.length + status.error.name.length > 200_000)
        throw new Error("An error above all bounds");
    },
  ),
  model(
    "marshal: any text is a status, a line and JSON within its depth, or rejected [B5.text]",
    fc.tuple(statusText, fc.nat(6)),
    ([[kind, text], depth]) => {
      readStatus(kind + text);
      const [level] = readLogLine(text);
      if (!["debug", "info", "warn", "error"].includes(level)) throw new Error(`A line of level ${level}`);
      const value = parseGuestJson(text, depth);
      if (value !== undefined && !nestsWithin(JSON.stringify(value), depth)) throw new Error("Deeper than allowed");
    },
  ),
];
