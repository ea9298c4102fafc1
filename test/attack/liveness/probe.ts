/**
 * Preloaded into a host's process (`--import`, on Deno `--preload`): measures how long its event loop is held, and beside it how
 * late a thread wakes that has nothing to do, which is the machine's doing.
 *
 * Writes lines to the file that `LIVENESS_PROBE` names: `pid <n>` first, then `<kind> <epoch ms> <ms>`. `loop` is the host's loop
 * and `idle` the other thread, both without the time that they were ready to run and waited for a processor, as far as the
 * system tells (Linux).
 */

import { appendFileSync, closeSync, openSync, readSync, writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const EVERY_MS = 5;
/** Shorter ones are no news. */
const REPORTED_MS = 5;
/** Microseconds: a word of shared memory holds half an hour. */
const US_PER_MS = 1_000;

const path = process.env["LIVENESS_PROBE"];
if (isMainThread && path !== undefined) watchHost(path);
else if (!isMainThread && isIdleThread(workerData)) watchIdle(workerData);

interface IdleThread {
  readonly probe: string;
  /** The longest hold of the host's loop since it was last taken, in microseconds. */
  readonly longest: Int32Array;
}

function isIdleThread(data: unknown): data is IdleThread {
  return typeof data === "object" && data !== null && "probe" in data && "longest" in data;
}

function watchHost(probe: string): void {
  appendFileSync(probe, `pid ${process.pid}\n`);
  const longest = new Int32Array(new SharedArrayBuffer(4));
  const data: IdleThread = { probe, longest };
  new Worker(new URL(import.meta.url), { workerData: data, execArgv: [] }).unref();
  watch((heldMs) => {
    const held = Math.round(heldMs * US_PER_MS);
    // The other side only exchanges it for 0: what is lost is a shorter one.
    if (held > Atomics.load(longest, 0)) Atomics.store(longest, 0, held);
  });
}

function watchIdle({ probe, longest }: IdleThread): void {
  const file = openSync(probe, "a");
  const write = (kind: string, ms: number): void => {
    if (ms >= REPORTED_MS) writeSync(file, `${kind} ${Math.round(performance.timeOrigin + performance.now())} ${ms.toFixed(1)}\n`);
  };
  watch((heldMs) => {
    write("idle", heldMs);
    write("loop", Atomics.exchange(longest, 0, 0) / US_PER_MS);
  });
}

/** Calls back after each turn with how late it was, without the wait for a processor. */
function watch(tell: (heldMs: number) => void): void {
  const waited = createWaitClock();
  const turn = (): void => {
    const begin = performance.now();
    const waitedBefore = waited();
    const timer = setTimeout(() => {
      const late = performance.now() - begin - EVERY_MS;
      tell(Math.max(0, late - (waited() - waitedBefore)));
      turn();
    }, EVERY_MS);
    // The idle thread has nothing else, and is itself no reason for the process to stay.
    if (isMainThread) timer.unref();
  };
  turn();
}

/** Milliseconds that this thread has waited for a processor; 0 where the system does not say. */
function createWaitClock(): () => number {
  let file: number;
  try {
    file = openSync("/proc/thread-self/schedstat", "r");
  } catch {
    return () => 0;
  }
  const bytes = Buffer.alloc(64);
  process.on("exit", () => closeSync(file));
  return () => {
    const [, waitedNs = "0"] = bytes.toString("latin1", 0, readSync(file, bytes, 0, 64, 0)).split(" ");
    return Number(waitedNs) / 1e6;
  };
}
