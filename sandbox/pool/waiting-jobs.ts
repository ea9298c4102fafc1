/**
 * Jobs that wait for a worker. Callers take turns, so that a caller with thousands of calls delays another caller by one turn (SPEC LV3).
 */

import type { Job } from "./job.ts";

export class WaitingJobs {
  /** Calls that have started and lost their worker. */
  #first: Job[] = [];
  /** Jobs by caller, in the order of their turns. Empty lists are removed. */
  #lines: Map<string, Job[]> = new Map();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of waiting calls of a caller. */
  sizeOf(caller: string): number {
    return this.#lines.get(caller)?.length ?? 0;
  }

  add(job: Job): void {
    this.#size++;
    const line = this.#lines.get(callerOf(job));
    if (line === undefined) this.#lines.set(callerOf(job), [job]);
    else line.push(job);
  }

  /** Adds a job before all others. */
  addFirst(job: Job): void {
    this.#size++;
    this.#first.push(job);
  }

  delete(job: Job): void {
    const caller = callerOf(job);
    this.#first = this.#first.filter((other) => other !== job);
    const line = (this.#lines.get(caller) ?? []).filter((other) => other !== job);
    if (line.length > 0) this.#lines.set(caller, line);
    else this.#lines.delete(caller);
    this.#size = this.#first.length + [...this.#lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns a copy of all jobs, in no particular order. */
  values(): readonly Job[] {
    return [...this.#first, ...[...this.#lines.values()].flat()];
  }

  /** Removes and returns all jobs, in round-robin order. The first caller whose job is added again has the first turn next time. */
  takeAll(): readonly Job[] {
    const taken = this.#first;
    let lines = [...this.#lines.values()];
    this.#first = [];
    this.#lines = new Map();
    this.#size = 0;
    for (let turn = 0; lines.length > 0; turn++) {
      for (const line of lines) {
        const job = line[turn];
        if (job !== undefined) taken.push(job);
      }
      lines = lines.filter(({ length }) => length > turn + 1);
    }
    return taken;
  }
}

/** Loads, and calls without a caller, share one line. */
function callerOf(job: Job): string {
  return (job.kind === "call" ? job.invocation.caller : undefined) ?? "";
}
