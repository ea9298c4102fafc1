/**
 * Judges whether a job's time is over, from the worker's status words. Runs on the host's thread. Pure.
 *
 * The engine's own interrupt acts first. The watchdog handles guests that it does not reach.
 */

import type { Fault } from "../wire/fault.ts";
import { type CallJob, cpuMsOf, type Job, lastingMsOf, wallMsOf } from "./job.ts";
import type { GuestEntry } from "./thread.ts";

/** Interval of the pool's checks while jobs are running. */
export const WATCH_EVERY_MS: number = 5;
/** Time in which a cancelled call may stop by itself (SPEC T3). */
export const CANCEL_GRACE_MS: number = 250;
/** Time that a guest may run after its deadline until the engine's own interrupt must have stopped it. */
interface Grace {
  /** For a guest that polled until its deadline. */
  readonly pollingMs: number;
  /** For a guest that did not. */
  readonly silentMs: number;
}

/**
 * Metered native loops poll too. A guest that polled until its deadline only waits for a processor, and ending its worker would harm
 * others.
 */
const METERED: Grace = { pollingMs: 500, silentMs: 40 };
/** The guest may be in a native loop that never polls, which has 50 ms (SPEC B3). */
const UNMETERED: Grace = { pollingMs: 35, silentMs: 14 };
/**
 * Extra time if calls with effects, which cannot run again, would be lost with the worker. A thread without a processor looks like one in
 * a loop that never polls, so other calls wait instead of being lost. In the host's own time, which hardly advances when processors are
 * short.
 */
const HARMFUL_MS = 1_000;
const POLLED_WITHIN_MS = 200;
/** Time after a call's deadline at which the host answers for a worker that did not. */
const ANSWER_GRACE_MS = 30;

/** The worker's circumstances that the watchdog considers. */
export interface Circumstances {
  /**
   * True if native loops poll too. Then a guest that was entered and has not polled has not had a processor yet; otherwise it may be in
   * such a loop. A cancelled guest that polls ends by itself as soon as it gets a processor.
   */
  readonly isMetered: boolean;
  /** Returns true if calls of others would be lost with the worker. */
  readonly harmsOthers: () => boolean;
}

/** True if a running guest should have stopped. */
export function isOverdue(job: Job, entry: GuestEntry, now: number): boolean {
  return now > entry.endBy || (job.kind === "call" && job.cancelBy !== undefined && now > job.cancelBy);
}

/** Returns the fault for which the worker must be ended because of its running guest; undefined if it need not be. */
export function judgeEntry(entry: GuestEntry, job: Job, now: number, { isMetered, harmsOthers }: Circumstances): Fault | undefined {
  const hasRun = entry.lastPoll > entry.enteredAt;
  const polled = (hasRun || isMetered) && entry.lastPoll > entry.endBy - POLLED_WITHIN_MS;
  const { pollingMs, silentMs } = isMetered ? METERED : UNMETERED;
  if (now <= entry.endBy + (polled ? pollingMs : silentMs)) return undefined;
  if (job.overdueMs <= HARMFUL_MS && harmsOthers()) return undefined;
  if (job.kind === "call" && job.cancelBy !== undefined) return { kind: "cancelled" };
  const wallMs = wallMsOf(job);
  const byWall = entry.endBy >= (job.begunAt ?? job.givenAt) + lastingMsOf(job) - 2 * WATCH_EVERY_MS || wallMs <= cpuMsOf(job);
  return byWall ? { kind: "timeout", limit: "wall", limitMs: wallMs } : { kind: "timeout", limit: "cpu", limitMs: cpuMsOf(job) };
}

/** The action to take on a call, whatever its worker runs now. */
type Verdict =
  | { readonly kind: "fine" }
  /** Tell the worker to end it. */
  | { readonly kind: "stop" }
  /** Tell the worker to end it, and answer for the worker. */
  | { readonly kind: "answer"; readonly fault: Fault }
  /** The guest runs and does not stop: end the worker. */
  | { readonly kind: "kill"; readonly fault: Fault };

/**
 * Enforces the grace period of a cancellation and, if the worker does not, the wall limit.
 *
 * @param entry the call's own running guest; undefined if it waits, or if another call's guest runs
 */
export function judgeCall(job: CallJob, entry: GuestEntry | undefined, now: number, { isMetered, harmsOthers }: Circumstances): Verdict {
  if (job.cancelBy !== undefined && now > job.cancelBy) {
    if (now <= job.cancelBy + ANSWER_GRACE_MS) return { kind: "stop" };
    const willStop = entry === undefined || (isMetered && entry.lastPoll > job.cancelBy - POLLED_WITHIN_MS);
    if (!willStop && job.overdueMs <= HARMFUL_MS && harmsOthers()) return { kind: "stop" };
    return { kind: willStop ? "answer" : "kill", fault: { kind: "cancelled" } };
  }
  if (job.begunAt === undefined || now <= job.begunAt + lastingMsOf(job) + ANSWER_GRACE_MS) return { kind: "fine" };
  return { kind: "answer", fault: { kind: "timeout", limit: "wall", limitMs: wallMsOf(job) } };
}

/** Time of the pool's check, and the time since the previous one. */
export interface Look {
  readonly now: number;
  readonly elapsedMs: number;
}

/** Returns the fault of a call that waits for a worker and must end; undefined if it need not, or has not started. */
export function judgeWaiting(job: Job, { now, elapsedMs }: Look): Fault | undefined {
  if (job.kind !== "call" || job.begunAt === undefined) return undefined;
  if (job.asking > 0) job.askingMs += elapsedMs;
  const verdict = judgeCall(job, undefined, now, { isMetered: true, harmsOthers: () => false });
  if (verdict.kind === "fine") return undefined;
  return verdict.kind === "stop" ? { kind: "cancelled" } : verdict.fault;
}
