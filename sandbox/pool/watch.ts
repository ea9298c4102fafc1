/** Checks the workers at intervals while jobs run, and ends jobs that do not end by themselves. Reads the workers' shared status words. */

import type { Fault } from "../wire/fault.ts";
import type { InFlight } from "../wire/in-flight.ts";
import type { WorkerLauncher } from "../wire/port.ts";
import type { CallJob, Job } from "./job.ts";
import { BUSY_AFTER_MS, isBusy } from "./placement.ts";
import { canMove, forgetRest, isDue } from "./resting-jobs.ts";
import type { Thread } from "./thread.ts";
import { UsedTime } from "./used-time.ts";
import type { WaitingJobs } from "./waiting-jobs.ts";
import { type Circumstances, isOverdue, judgeCall, judgeEntry, judgeWaiting, type Look, WATCH_EVERY_MS } from "./watchdog.ts";
import { START_WITHIN_MS, type WorkerSet } from "./worker-set.ts";

/** The state that a watch reads, and the pool's actions for what it finds. */
interface WatchOptions {
  readonly launcher: Pick<WorkerLauncher, "now" | "after">;
  readonly workers: Pick<WorkerSet, "threads" | "isMetered">;
  readonly jobs: Pick<InFlight<Job>, "get" | "size">;
  readonly waiting: Pick<WaitingJobs, "values">;
  /** Ends a worker: the job `guilty` gets the fault. */
  readonly replace: (thread: Thread, guilty: number | undefined, fault: Fault, cpuMs?: number) => void;
  readonly answer: (job: Job, fault: Fault) => void;
  /** Moves a job from its worker back to the queue. */
  readonly requeue: (job: Job) => void;
  /** Moves a waiting call to another worker, if one has a place for it. */
  readonly move: (job: CallJob, from: Thread) => boolean;
  /** Places waiting jobs, at the end of a check. */
  readonly place: () => void;
  /** Called whenever a check is scheduled. */
  readonly onWatch: () => void;
}

export class Watch {
  readonly #options: WatchOptions;
  readonly #ownTime: UsedTime = new UsedTime();
  #cancel: (() => void) | undefined;
  #lastLook = 0;
  #stopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Checks at intervals until no job is left. Does nothing if it already does, or was stopped. */
  start(): void {
    if (this.#cancel !== undefined || this.#stopped) return;
    const { launcher, jobs, onWatch } = this.#options;
    onWatch();
    // Time without jobs does not count.
    this.#lastLook = launcher.now();
    this.#cancel = launcher.after(WATCH_EVERY_MS, () => {
      this.#cancel = undefined;
      this.#round();
      if (jobs.size > 0) this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #round(): void {
    const { launcher, workers, jobs, waiting, replace } = this.#options;
    const now = launcher.now();
    const elapsedMs = now - this.#lastLook;
    const stepMs = this.#ownTime.tick(now);
    this.#lastLook = now;
    for (const thread of [...workers.threads]) {
      if (thread.jobs.size === 0) continue;
      const { entry } = thread;
      const running = entry === undefined ? undefined : jobs.get(entry.number);
      if (entry !== undefined && running !== undefined && isOverdue(running, entry, now)) running.overdueMs += stepMs;
      const fault =
        entry === undefined || running === undefined ? undefined : judgeEntry(entry, running, now, this.#around(thread, entry.number));
      if (entry !== undefined && fault !== undefined) {
        replace(thread, entry.number, fault, now - entry.enteredAt);
        continue;
      }
      const isIdle = running === undefined && this.#isStuck(thread, stepMs);
      if (isIdle || thread.isLying) {
        const message = isIdle ? `A worker did nothing for ${START_WITHIN_MS} ms` : "A worker claims to run a guest that it was not given";
        replace(thread, undefined, { kind: "trap", message });
        continue;
      }
      const isHeld = isBusy(thread, now, BUSY_AFTER_MS);
      if (thread.isFull || isHeld) this.#takeBackFrom(thread, isHeld ? now : undefined);
      for (const number of thread.jobs.keys()) this.#lookAtJob(thread, number, { now, elapsedMs });
    }
    for (const job of waiting.values()) {
      const fault = judgeWaiting(job, { now, elapsedMs });
      if (fault !== undefined) this.#options.answer(job, fault);
    }
    this.#options.place();
  }

  #around(thread: Thread, number: number): Circumstances {
    const isLost = (other: number): boolean => {
      const job = other === number ? undefined : this.#options.jobs.get(other);
      return job?.kind === "call" && job.effects > 0 && !canMove(job, thread);
    };
    return { isMetered: this.#options.workers.isMetered, harmsOthers: () => [...thread.jobs.keys()].some(isLost) };
  }

  /** True if the worker runs no guest, but does not start or end a job in time. Nothing in a worker takes nearly as long. */
  #isStuck(thread: Thread, stepMs: number): boolean {
    for (const number of thread.jobs.keys()) {
      const job = this.#options.jobs.get(number);
      if (job === undefined || (job.kind === "call" && thread.hasBegun(number))) continue;
      job.idleMs += stepMs;
      if (job.idleMs > START_WITHIN_MS) return true;
    }
    return thread.owesSince(this.#ownTime.passedMs - START_WITHIN_MS);
  }

  #lookAtJob(thread: Thread, number: number, { now, elapsedMs }: Look): void {
    const job = this.#options.jobs.get(number);
    if (job === undefined || job.kind !== "call") return;
    forgetRest(job, thread);
    if (job.asking > 0) job.askingMs += elapsedMs;
    if (thread.hasBegun(number)) job.begunAt ??= now;
    const { entry } = thread;
    const own = entry?.number === number ? entry : undefined;
    const verdict = judgeCall(job, own, now, this.#around(thread, number));
    if (verdict.kind === "fine") return;
    if (verdict.kind === "kill") return this.#options.replace(thread, number, verdict.fault);
    if (own !== undefined) thread.interrupt(number);
    thread.send({ type: "end", number });
    if (verdict.kind !== "answer") return;
    thread.owe(number, this.#ownTime.passedMs);
    this.#options.answer(job, verdict.fault);
  }

  /** Takes back jobs that a thread has not started. If a guest holds the thread, also moves waiting calls that could continue. */
  #takeBackFrom(thread: Thread, heldAt: number | undefined): void {
    for (const number of thread.jobs.keys()) {
      const job = this.#options.jobs.get(number);
      if (job?.kind === "call" && job.rest !== undefined) {
        if (heldAt !== undefined && isDue(job, heldAt)) this.#options.move(job, thread);
        continue;
      }
      // A call with effects has started, whatever the worker wrote to the shared words.
      const hasEffect = job?.kind === "call" && job.effects > 0;
      if (job !== undefined && !hasEffect && thread.takeBack(number)) this.#options.requeue(job);
    }
  }
}
