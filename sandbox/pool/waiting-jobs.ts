/** Jobs that wait for a worker: callers take turns, so that one with thousands of calls costs another a turn (SPEC LV3). */

import type { Job } from "./job.ts";

export class WaitingJobs {
  /** Calls that have begun, and lost their worker. */
  #first: Job[] = [];
  /** By caller, in the order of their turns. Empty lines are not kept. */
  #lines: Map<string, Job[]> = new Map();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many calls of one caller wait. */
  sizeOf(caller: string): number {
    return this.#lines.get(caller)?.length ?? 0;
  }

  add(job: Job): void {
    this.#size++;
    const line = this.#lines.get(callerOf(job));
    if (line === undefined) this.#lines.set(callerOf(job), [job]);
    else line.push(job);
  }

  /** Before all others. */
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

  /** In no order. A copy. */
  values(): readonly Job[] {
    return [...this.#first, ...[...this.#lines.values()].flat()];
  }

  /** All of them, turn by turn. A caller whose next one comes back has the first turn the next time. */
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

/** Loads, and calls on behalf of no caller in particular, are one. */
function callerOf(job: Job): string {
  return (job.kind === "call" ? job.invocation.caller : undefined) ?? "";
}
