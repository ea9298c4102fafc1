/**
 * Preloaded into a host's process (`--import`, on Deno `--preload`): measures how long its event loop is held, and how late an idle
 * thread wakes, which is caused by the machine.
 *
 * Writes lines to the file named by `LIVENESS_PROBE`: first `pid <n>`, then `<kind> <epoch ms> <ms>`. `loop` is the host's event loop and
 * `idle` the other thread. Both exclude the time waiting for a processor, if the system reports it (Linux).
 */

import { appendFileSync, closeSync, openSync, readSync, writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const EVERY_MS = 5;
/** Minimum duration to report. */
const REPORTED_MS = 5;
/** Durations are stored in microseconds, so a 32-bit word holds half an hour. */
const US_PER_MS = 1_000;

const path = process.env["LIVENESS_PROBE"];
if (isMainThread && path !== undefined) watchHost(path);
else if (!isMainThread && isIdleThread(workerData)) watchIdle(workerData);

interface IdleThread {
  readonly probe: string;
  /** The longest hold of the host's loop since the value was last taken, in microseconds. */
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
    // The other side only replaces the value with 0, so at most a shorter hold is lost.
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

/** Calls back after each turn with its delay, excluding the wait for a processor. */
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
    // The idle thread has no other work, and must not keep the process alive.
    if (isMainThread) timer.unref();
  };
  turn();
}

/** Returns the milliseconds that this thread has waited for a processor; 0 if the system does not report them. */
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
