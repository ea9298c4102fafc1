/** Chooses the worker for a job. Pure over the workers' state. */

import type { Thread } from "./thread.ts";

/** Time after which a guest that holds its thread makes the thread unsuitable for other calls. */
export const BUSY_AFTER_MS: number = 20;

/** The parts of a worker that placement reads. */
export type Seat = Pick<Thread, "ready" | "active" | "isFull" | "entry" | "runs" | "loads" | "reservedFor" | "serves" | "servesOthers"> & {
  readonly jobs: { readonly size: number };
};

interface PlacementRules {
  /** Maximum number of shared workers. Reserved workers are not counted. */
  readonly maximumWorkers: number;
  readonly now: number;
  /** Time after which a guest that holds its thread makes the thread unsuitable for other calls. */
  readonly busyAfterMs: number;
  /** True if busy guests are suspended for others (`worker/scheduler.ts`). */
  readonly preempts: boolean;
}

/** The job to place. */
interface Applicant {
  readonly digest: string;
  /** True for a plugin to load, false for a call. */
  readonly isLoad: boolean;
  /** True for a call that usually takes less time than waking another thread. */
  readonly isBrief: boolean;
  /** Name of a plugin that never shares a worker; undefined for plugins that do. */
  readonly reservation: string | undefined;
}

interface Place<S extends Seat> {
  /** The worker for the job unless a fresh worker is started; undefined if the job must wait. */
  readonly thread: S | undefined;
  /** True if a fresh worker is better, if one is available. */
  readonly wantsFresh: boolean;
}

/** Maximum number of calls that run or have not started. */
const ACTIVE_CALLS_A_THREAD = 64;
/** Maximum number of all calls. Waiting ones only cost memory. */
const MAXIMUM_CALLS_A_THREAD = 1_024;

/** Maximum number of calls of a plugin that a brief call joins before it goes elsewhere. */
const BRIEF_CALLS_A_THREAD = 32;
/** Time after which a guest on the thread is not brief. */
const BRIEF_HELD_MS = 1;

/**
 * Chooses a place. Brief calls prefer a worker that is already awake for their plugin. Loads prefer workers that have loaded before,
 * because the type stripper takes tens of megabytes in each.
 *
 * Other calls prefer an idle worker, then a fresh one, then one that serves the same plugin, then a shared one; never one whose guest
 * holds its thread. If guests are not suspended for others, a possibly long call never joins calls of another plugin, because it would
 * delay them. The preparation of a load (types, modules) cannot be suspended, so loads only share a worker with other plugins' calls if
 * no other worker is left. One plugin never gets all workers, so another plugin's call always finds one. If two plugins hold all
 * workers, a third may get a worker above the maximum.
 */
export function choosePlace<S extends Seat>(threads: Iterable<S>, applicant: Applicant, rules: PlacementRules): Place<S> {
  const { digest, reservation, isLoad, isBrief } = applicant;
  const maximum = reservation === undefined ? rules.maximumWorkers : 1;
  let count = 0;
  let ownCount = 0;
  let idle: S | undefined;
  let own: S | undefined;
  let shared: S | undefined;
  for (const thread of threads) {
    if (thread.reservedFor !== reservation) continue;
    count++;
    const busy = isBusy(thread, rules.now, rules.busyAfterMs);
    // A worker that another plugin holds does not count as the plugin's own.
    if (thread.serves(digest) && !(busy && thread.runs !== digest)) ownCount++;
    if (busy || !hasRoom(thread, isLoad)) continue;
    if (isLoad && thread.loads && !thread.servesOthers(digest)) return { thread, wantsFresh: false };
    if (isBrief && isAwakeFor(thread, digest, rules.now)) return { thread, wantsFresh: false };
    if (thread.jobs.size === 0) idle ??= thread;
    else if (thread.servesOthers(digest)) {
      if (rules.preempts || isBrief || isLoad) shared = lessLoaded(thread, shared);
    } else own = lessLoaded(thread, own);
  }
  if (reservation === undefined && ownCount >= Math.max(1, maximum - 1)) return { thread: own, wantsFresh: false };
  if (idle !== undefined) return { thread: idle, wantsFresh: false };
  const thread = own ?? shared;
  const isShutOut = reservation === undefined && ownCount === 0 && thread === undefined;
  return { thread, wantsFresh: count < (isShutOut ? maximum * 2 : maximum) };
}

function hasRoom(thread: Seat, isLoad: boolean): boolean {
  if (!thread.ready || (thread.isFull && !isLoad)) return false;
  return thread.active < ACTIVE_CALLS_A_THREAD && thread.jobs.size < MAXIMUM_CALLS_A_THREAD;
}

function isAwakeFor(thread: Seat, digest: string, now: number): boolean {
  return thread.serves(digest) && thread.active < BRIEF_CALLS_A_THREAD && !isBusy(thread, now, BRIEF_HELD_MS);
}

export function isBusy(thread: Pick<Thread, "entry">, now: number, busyAfterMs: number): boolean {
  const { entry } = thread;
  return entry !== undefined && now - entry.enteredAt > busyAfterMs;
}

function lessLoaded<S extends Seat>(thread: S, other: S | undefined): S {
  if (other === undefined) return thread;
  const more = thread.active - other.active || thread.jobs.size - other.jobs.size;
  return more < 0 ? thread : other;
}
