/** Which worker a job goes to. Pure over the workers' state. */

import type { Thread } from "./worker/thread.ts";

export interface PlacementRules {
  readonly maximumWorkers: number;
  readonly now: number;
  /** A guest that holds its thread this long makes the thread a bad place for other calls. */
  readonly busyAfterMs: number;
}

export interface Place {
  /** Where the job goes if no worker is started for it; undefined: it waits. */
  readonly thread: Thread | undefined;
  /** A fresh worker is better, as long as there are fewer than this. */
  readonly startBelow: number;
}

const MAXIMUM_CALLS_A_THREAD = 64;

/**
 * An idle worker first, then a fresh one, then one that serves the same plugin, then a shared one; never one whose
 * guest holds its thread. One plugin never has all workers, so another plugin's call always finds one; where two
 * plugins hold them all, a third may have a worker beyond the maximum.
 */
export function choosePlace(threads: Iterable<Thread>, digest: string, rules: PlacementRules): Place {
  const { maximumWorkers } = rules;
  let own = 0;
  let apart: Thread | undefined;
  let shared: Thread | undefined;
  for (const thread of threads) {
    if (thread.serves(digest)) own++;
    if (!thread.ready || thread.jobs.size >= MAXIMUM_CALLS_A_THREAD || isBusy(thread, rules.now, rules.busyAfterMs)) continue;
    if (thread.servesOthers(digest)) shared = lessLoaded(thread, shared);
    else apart = lessLoaded(thread, apart);
  }
  const mayHaveMore = own < Math.max(1, maximumWorkers - 1);
  if (!mayHaveMore) return { thread: apart?.serves(digest) === true ? apart : undefined, startBelow: 0 };
  if (apart?.jobs.size === 0) return { thread: apart, startBelow: 0 };
  const thread = apart ?? shared;
  return { thread, startBelow: own === 0 && thread === undefined ? maximumWorkers * 2 : maximumWorkers };
}

export function isBusy(thread: Thread, now: number, busyAfterMs: number): boolean {
  const { entry } = thread;
  return entry !== undefined && now - entry.enteredAt > busyAfterMs;
}

function lessLoaded(thread: Thread, other: Thread | undefined): Thread {
  return other === undefined || thread.jobs.size < other.jobs.size ? thread : other;
}
