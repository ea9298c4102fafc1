/**
 * Whether a job's time is over, judged from the host's thread by what the worker's status words show. Pure.
 *
 * The engine's own interrupt comes first; the watchdog is for what it does not reach.
 */

import type { Fault } from "../fault.ts";
import { type CallJob, cpuMsOf, type Job, lastingMsOf, wallMsOf } from "./job.ts";
import type { GuestEntry } from "../worker/thread.ts";

/** How often the pool looks while jobs are under way. */
export const WATCH_EVERY_MS: number = 5;
/** How long a cancelled call may take to stop by itself (SPEC T3). */
export const CANCEL_GRACE_MS: number = 250;
/** How long a guest that reached its end may still run: until the engine's own interrupt has stopped it, or for ever. */
interface Grace {
  /** One that was asking whether to go on until its end. */
  readonly pollingMs: number;
  /** One that was not. */
  readonly silentMs: number;
}

/** Native loops ask too: who asked until the end is only waiting for a processor, and ending its worker would harm others. */
const METERED: Grace = { pollingMs: 500, silentMs: 40 };
/** It may have gone into a loop that never asks, which has 50 ms (SPEC B3). */
const UNMETERED: Grace = { pollingMs: 35, silentMs: 14 };
/**
 * With the worker go calls that have had an effect, and cannot run again. A thread that gets no processor looks like one in a loop that
 * never asks: others wait rather than are lost. Of the host's own time, which hardly goes on either where processors are short.
 */
const HARMFUL_MS = 1_000;
const POLLED_WITHIN_MS = 200;
/** How long after its time is over the host answers for a call whose worker did not. */
const ANSWER_GRACE_MS = 30;

/** What of the worker matters. */
export interface Circumstances {
  /**
   * Whether native loops ask too: a guest that was only entered has then not had the processor yet, while otherwise it may be in such a loop.
   * And a cancelled guest that asks is ended when it has a processor again; until then it is the machine that holds its worker up.
   */
  readonly isMetered: boolean;
  /** Whether others' calls would be lost with the worker. */
  readonly harmsOthers: () => boolean;
}

/** Whether a guest that runs should have stopped by now. */
export function isOverdue(job: Job, entry: GuestEntry, now: number): boolean {
  return now > entry.endBy || (job.kind === "call" && job.cancelBy !== undefined && now > job.cancelBy);
}

/** Why the worker has to be ended because of the guest that runs on it now; undefined: it need not be. */
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

/** What to do about a call whatever its worker runs now. */
export type Verdict =
  | { readonly kind: "fine" }
  /** Ask the worker to end it. */
  | { readonly kind: "stop" }
  /** Ask the worker to end it, and answer for it. */
  | { readonly kind: "answer"; readonly fault: Fault }
  /** It spins and does not stop: end the worker. */
  | { readonly kind: "kill"; readonly fault: Fault };

/**
 * Keeps the grace period of a cancellation and, should the worker not, the wall time.
 *
 * @param entry where the call's own guest runs now; undefined: it waits, or another call's guest runs
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

/** When the pool looks, and how long after it did before. */
export interface Look {
  readonly now: number;
  readonly elapsedMs: number;
}

/** Why a call that waits for a worker has to end; undefined for one that need not, or has not begun. */
export function judgeWaiting(job: Job, { now, elapsedMs }: Look): Fault | undefined {
  if (job.kind !== "call" || job.begunAt === undefined) return undefined;
  if (job.asking > 0) job.askingMs += elapsedMs;
  const verdict = judgeCall(job, undefined, now, { isMetered: true, harmsOthers: () => false });
  if (verdict.kind === "fine") return undefined;
  return verdict.kind === "stop" ? { kind: "cancelled" } : verdict.fault;
}
