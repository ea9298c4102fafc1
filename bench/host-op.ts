/** `host_op`: a guest's operation to the main thread and back, against an empty worker round trip, p50. */

import { startSandbox } from "../test/support/sandbox.ts";
import type { HostCallHandler } from "../sandbox/mod.ts";
import { startEmptyWorker } from "./empty-round-trip.ts";
import { againstInUs, type Bench, compareCalls, type Comparison, type Measured, mustBe } from "./measure.ts";

const OPERATIONS = 50;
const SOURCE = `
const read = { async waits() { return (await Deno.readTextFile("x")).length; }, blocks() { return Deno.readTextFileSync("x").length; } };
export async function waits({ times }) { let n = 0; for (let i = 0; i < times; i++) n += await read.waits(); return n; }
export function blocks({ times }) { let n = 0; for (let i = 0; i < times; i++) n += read.blocks(); return n; }
`;
const FILE = new TextEncoder().encode("hello");
/** Answers immediately: the operation's own work does not count. */
const answer: HostCallHandler = () => Promise.resolve({ ok: true, value: null, bytes: FILE.slice() });

export const hostOp: Bench = {
  id: "host_op",
  async run(): Promise<Measured> {
    await using box = startSandbox();
    await using worker = startEmptyWorker();
    await box.load("operations", SOURCE, ["waits", "blocks"]);
    const operations = (name: "waits" | "blocks") => async (): Promise<void> => {
      const outcome = await box.call("operations", name, { args: { times: OPERATIONS }, hostCall: answer });
      mustBe(outcome.ok && outcome.output, { o: OPERATIONS * FILE.length });
    };
    const trips = async (): Promise<void> => {
      for (let trip = 0; trip < OPERATIONS; trip++) await worker.roundTrip();
    };
    // As many round trips as operations; the surrounding call counts for the operations. Each needs some 20,000 until the code on both
    // threads is fully optimized.
    const times = await compareCalls(
      { empty: trips, waits: operations("waits"), blocks: operations("blocks") },
      { rounds: 40, calls: 5, warmCalls: 500 },
    );
    const slower = times.ratio("waits", "blocks") > 1 ? "waits" : "blocks";
    return { ...perOperation(againstInUs(times, slower, "empty")), note: describe(times) };
  },
};

function perOperation(measured: Measured): Measured {
  return { ...measured, value: measured.value / OPERATIONS, baseline: (measured.baseline ?? 0) / OPERATIONS };
}

function describe(times: Comparison<"empty" | "waits" | "blocks">): string {
  const one = (name: "waits" | "blocks"): string =>
    `${((times.medianMs(name) * 1000) / OPERATIONS).toFixed(1)} us (${times.ratio(name, "empty").toFixed(2)})`;
  return `awaited ${one("waits")}, blocking ${one("blocks")}; the row is the slower`;
}
