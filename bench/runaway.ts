/**
 * `runaway`: time from the deadline to the answer for calls that do not end by themselves. The worker must survive; if it had to
 * be ended, the sample is infinite.
 */

import { setTimeout as wait } from "node:timers/promises";
import { DEFAULT_LIMITS } from "../manifests/mod.ts";
import { startSandbox, type TestSandbox } from "../test/support/sandbox.ts";
import { type Bench, type Measured, median, percentile } from "./measure.ts";
import { RUNAWAY_LOOPS } from "./runaway-loops.ts";

const DEADLINE_MS = 100;
const ROUNDS = 5;
/** SPEC appendix C: minimum number of kinds. */
const KINDS_AT_LEAST = 33;
const SPARE_MS = 5_000;

export const runaway: Bench = {
  id: "runaway",
  async run(): Promise<Measured> {
    const names = Object.keys(RUNAWAY_LOOPS);
    await using box = startSandbox();
    const loaded = await box.load("runaway", functions(), names);
    if (!loaded.ok) throw new Error(`The loops do not load: ${loaded.fault.message}`);
    const answeredMs = async (name: string): Promise<number> => {
      const begin = performance.now();
      const outcome = await box.call("runaway", name, { limits: { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, cpuMs: DEADLINE_MS } });
      if (outcome.ok || outcome.fault.kind !== "timeout")
        throw new Error(`"${name}" ended by itself with ${JSON.stringify(outcome.ok ? outcome.output : outcome.fault)}`);
      return performance.now() - begin;
    };
    // The first call also starts the spare worker.
    await answeredMs("forEver");
    await spareIsReady(box);

    const past = new Map<string, number[]>(names.map((name) => [name, []]));
    const ended: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of names) {
        const { workersStarted } = box;
        const pastMs = Math.max(0, (await answeredMs(name)) - DEADLINE_MS);
        const survived = box.workersStarted === workersStarted;
        if (!survived) ended.push(name);
        past.get(name)?.push(survived ? pastMs : Number.POSITIVE_INFINITY);
      }
    }
    if (past.size < KINDS_AT_LEAST) throw new Error(`Only ${past.size} kinds of loops`);
    const value = percentile([...past.values()].flat(), 0.99);
    if (!Number.isFinite(value)) throw new Error(`The worker did not survive ${ended.join(", ")}`);
    const note = `${past.size} kinds; slowest medians: ${worst(past)}${ended.length === 0 ? "" : `; the worker did not survive ${ended.join(", ")}`}`;
    return { value, unit: "ms", baseline: null, ratio: null, note };
  },
};

function functions(): string {
  return Object.entries(RUNAWAY_LOOPS)
    .map(([name, body]) => `export function ${name}() { ${body} }`)
    .join("\n");
}

/** A spare worker is started once; each later start replaces a worker that did not survive. */
async function spareIsReady(box: TestSandbox): Promise<void> {
  const begin = performance.now();
  while (box.workersStarted < 2 && performance.now() - begin < SPARE_MS) await wait(20);
}

/** Returns the kinds with the largest medians. */
function worst(past: ReadonlyMap<string, readonly number[]>): string {
  const medians = [...past].map(([name, ms]) => ({ name, ms: median(ms) })).toSorted((a, b) => b.ms - a.ms);
  return medians
    .slice(0, 5)
    .map(({ name, ms }) => `${name} ${ms.toFixed(1)}`)
    .join(", ");
}
