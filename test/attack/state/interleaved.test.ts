/**
 * Calls that leave state behind and end in every way (an answer, an error, a timeout, a cancellation, no memory, no stack, waiting) in
 * plugins of several sizes at once, on one worker: each call begins in a fresh state, whatever ran before or is parked meanwhile.
 */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../../support/seed.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";
import { createRandom } from "../../fuzz/random.ts";

/** A plugin with its own heap of this size; `name` is in everything that it leaves behind. */
const plugin = (name: string, heapBytes: number): string => `
const heap = new Uint8Array(${heapBytes}).fill(${name.charCodeAt(0)});
const kept = [];
const word = /${name}/g;
const seen = () => [
  Reflect.ownKeys(globalThis).filter((key) => String(key).startsWith("planted")),
  Object.keys(Object.prototype),
  kept.length,
  word.lastIndex,
  heap.length,
  heap.length > 0 && heap[heap.length >> 1] !== ${name.charCodeAt(0)},
  Object.hasOwn(Array.prototype, "at") && String(Array.prototype.at).includes("native"),
].join();
const plant = () => {
  globalThis["planted ${name}"] = kept;
  Object.prototype["planted ${name}"] = "${name}";
  Array.prototype.at = () => "planted";
  kept.push(new Uint8Array(50_000).fill(7), Symbol.for("planted ${name}"));
  word.test("${name} and more");
  heap.fill(0xa5);
  setInterval(() => kept.push(1), 1);
  new FinalizationRegistry(() => kept.push(2)).register({}, 1);
};
const overflow = () => overflow() + 1;
export async function run({ ends, sees }) {
  const before = seen();
  if (before !== sees) return "saw " + before;
  plant();
  if (ends === "answers") return "fresh";
  if (ends === "throws") throw new Error("fresh");
  if (ends === "spins") for (;;) kept.push(kept.length % 7) > 1e5 && (kept.length = 0);
  if (ends === "overflows") overflow();
  if (ends === "hoards") for (;;) kept.push(new Uint8Array(1 << 20).fill(1));
  await new Promise((resolve) => setTimeout(resolve, ends === "waits" ? 30 : 60_000));
  return heap[5] === (heap.length === 0 ? undefined : 0xa5) ? "fresh" : "another's heap";
}
export const sees = () => seen();
`;

const SIZES = { a: 0, b: 100_000, c: 4 << 20, d: 16 << 20 } as const;
const NAMES = ["a", "b", "c", "d"] as const;
const ENDS = {
  answers: "fresh",
  throws: "threw",
  overflows: "exhausted stack",
  hoards: "exhausted memory",
  waits: "fresh",
  cancelled: "cancelled",
  late: "timeout",
  spins: "timeout",
} as const;
const WAYS = ["answers", "throws", "overflows", "hoards", "waits", "cancelled", "late"] as const;
const CALLS = 24;
const AT_ONCE = 8;

describe.each([
  ["marked pages", { engine: "metered", parking: "needed" }],
  ["marked pages, always parked", { engine: "metered", parking: "always" }],
  ["plain copy", { engine: "plain", parking: "always" }],
] as const)("calls of many plugins that leave state behind and end in every way, restored by %s", (_name, options) => {
  it("always begin in a fresh state [B1.switch] [B2.ends] [B2.parked]", { timeout: 120_000 }, async () => {
    await using box = startSandbox({ maximumWorkers: 1, ...options });
    const fresh = new Map<string, string>();
    for (const [name, bytes] of Object.entries(SIZES)) {
      expect(await box.load(name, plugin(name, bytes))).toMatchObject({ ok: true });
      fresh.set(name, String(outputOf(await box.call(name, "sees"))));
    }
    const random = createRandom(FUZZ_SEED);
    const wrong: string[] = [];
    for (let left = CALLS; left > 0; left -= AT_ONCE) {
      const calls = Array.from({ length: AT_ONCE }, async () => {
        const name = random.pick(NAMES);
        // On the published engine a spinning guest may be killed with its worker, and the other calls of the worker run again.
        const ends = options.engine === "metered" && random.oneIn(8) ? "spins" : random.pick(WAYS);
        const end = await endOf(box, name, ends, fresh.get(name) ?? "");
        if (end !== ENDS[ends]) wrong.push(`${name} ${ends}: ${end}`);
      });
      await Promise.all(calls);
    }
    expect(wrong, `seed ${FUZZ_SEED}`).toEqual([]);
    expect(box.defects).toEqual([]);
  });
});

async function endOf(box: TestSandbox, name: string, ends: string, sees: string): Promise<string> {
  const abort = new AbortController();
  const cpuMs = ends === "spins" ? 20 : 20_000;
  const limits = { cpuMs, wallMs: ends === "late" ? 60 : 60_000 };
  const call = box.call(name, "run", { args: { ends, sees }, limits, signal: abort.signal });
  if (ends === "cancelled") abort.abort();
  const outcome = await call;
  if (outcome.ok) return String(outputOf(outcome));
  const { fault } = outcome;
  return fault.kind === "exhausted" ? `${fault.kind} ${fault.limit}` : fault.kind;
}
