/** Which worker a job goes to. Pure over the workers' state. */

import type { Thread } from "../worker/thread.ts";

/** What placement reads of a worker. */
export type Seat = Pick<Thread, "ready" | "active" | "isFull" | "entry" | "runs" | "loads" | "reservedFor" | "serves" | "servesOthers"> & {
  readonly jobs: { readonly size: number };
};

export interface PlacementRules {
  /** Workers that are shared; reserved ones come on top. */
  readonly maximumWorkers: number;
  readonly now: number;
  /** A guest that holds its thread this long makes the thread a bad place for other calls. */
  readonly busyAfterMs: number;
  /** Whether guests that compute are suspended for others (`worker/scheduler.ts`). */
  readonly preempts: boolean;
}

/** Who wants a place. */
export interface Applicant {
  readonly digest: string;
  /** A plugin to load, not a call. */
  readonly isLoad: boolean;
  /** A call of a kind that takes less time than waking another thread. */
  readonly isBrief: boolean;
  /** Name of a plugin that shares no worker with any other; undefined for those that do. */
  readonly reservation: string | undefined;
}

export interface Place<S extends Seat> {
  /** Where the job goes if no worker is started for it; undefined: it waits. */
  readonly thread: S | undefined;
  /** A fresh worker is better, if one can be had. */
  readonly wantsFresh: boolean;
}

/** Calls that run or have not begun. */
const ACTIVE_CALLS_A_THREAD = 64;
/** With those that wait, which cost memory only. */
const MAXIMUM_CALLS_A_THREAD = 1_024;

/** Brief calls wait behind so many others of their plugin before they go elsewhere. */
const BRIEF_CALLS_A_THREAD = 32;
/** A guest that has held its thread this long was not brief. */
const BRIEF_HELD_MS = 1;

/**
 * Brief calls keep to the worker that is awake for their plugin already. Loads keep to workers that have loaded before: what strips types takes tens of megabytes in each.
 *
 * For calls an idle worker first, then a fresh one, then one that serves the same plugin, then a shared one; never one whose
 * guest holds its thread. Where guests are not suspended for others, a call that may be long never joins calls of another plugin: it
 * would hold them up. What prepares a load (types, modules) is not suspended either, so loads share a worker with calls of others only
 * where there is no other. One plugin never has all workers, so another plugin's call always finds one; where two
 * plugins hold them all, a third may have a worker beyond the maximum.
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
    // One that another plugin holds is not the plugin's.
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
