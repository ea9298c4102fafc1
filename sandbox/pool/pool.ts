/**
 * The pool: assigns jobs to workers, and replaces workers that had to be ended.
 *
 * Workers come from the worker set (`worker-set.ts`), places from `placement.ts`. While jobs run, `watch.ts` ends those that do not end by
 * themselves. A worker whose guest holds its thread gets no new calls, and its unstarted calls are taken back (SPEC B10).
 */

import { Apart } from "./apart.ts";
import { type WarmWorkers, WorkerSet } from "./worker-set.ts";
import { canSuspend } from "../engine/engine.ts";
import type { EngineBuild } from "./engine-build.ts";
import type { Fault } from "../wire/fault.ts";
import type { BaseImage } from "../engine/image.ts";
import { InFlight } from "../wire/in-flight.ts";
import { type CallJob, digestOf, isBrief, type Job, nameOf, type Said, settleWithFault, usedUntil } from "./job.ts";
import type { Parking } from "../image/parked.ts";
import { claimRest, dropRest, sendAnswer } from "./resting-jobs.ts";
import { BUSY_AFTER_MS, choosePlace, isBusy } from "./placement.ts";
import { type SandboxUse, useOf } from "./use.ts";
import type { WorkerLauncher } from "../wire/port.ts";
import type { WorkerMessage } from "../wire/protocol.ts";
import { Watch } from "./watch.ts";
import { CANCEL_GRACE_MS } from "./watchdog.ts";
import type { Thread } from "./thread.ts";
import { WaitingJobs } from "./waiting-jobs.ts";

interface PoolOptions {
  readonly launcher: WorkerLauncher;
  /** Maximum number of workers that take calls, without the spare. */
  readonly maximumWorkers: number;
  /** Handles a worker's messages about jobs. The pool itself handles starts, ends and time. */
  readonly onMessage: (thread: Thread, message: WorkerMessage) => void;
  /** Sends a job to a worker, after anything that the worker needs for it. */
  readonly give: (thread: Thread, job: Job) => void;
  /** Returns true for plugin names that never share a worker (SPEC B1). */
  readonly isIsolated: (name: string) => boolean;
  readonly warmWorkers: WarmWorkers;
  readonly engine: EngineBuild;
  readonly parking: Parking;
  /** Reports a problem with a worker, not with a guest. */
  readonly onDefect: (message: string) => void;
}

/** Interval after which idle workers are ended. A burst of calls is over by then, and a start takes a hundredth of this time. */
export const REST_MS = 10_000;
const MAXIMUM_ATTEMPTS = 3;
/** A worker refuses calls if too many arrive at once. A call that is refused more often than this will never fit. */
const MAXIMUM_REFUSALS = 100;

export class Pool {
  /** Jobs without a worker. */
  readonly waiting: WaitingJobs = new WaitingJobs();
  readonly #options: PoolOptions;
  readonly #workers: WorkerSet;
  readonly #jobs: InFlight<Job> = new InFlight();
  readonly #apart: Apart;
  readonly #watch: Watch;
  #starting: Promise<void> | undefined;
  #cancelRest: (() => void) | undefined;
  #failedStarts = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#apart = new Apart(options.maximumWorkers);
    this.#workers = new WorkerSet({
      ...options,
      onReady: () => this.#placeWaiting(),
      onLost: (thread, why) => this.#replace(thread, thread.entry?.number, { kind: "trap", message: why }),
    });
    this.#watch = new Watch({
      launcher: options.launcher,
      workers: this.#workers,
      jobs: this.#jobs,
      waiting: this.waiting,
      replace: (thread, guilty, fault, cpuMs) => this.#replace(thread, guilty, fault, cpuMs),
      answer: (job, fault) => this.#answer(job, fault, 0),
      requeue: (job) => this.#wait(job),
      move: (job, from) => this.#move(job, from),
      place: () => this.#placeWaiting(),
      onWatch: () => this.#lookForRest(),
    });
  }

  /** Starts the first worker in advance, so that the first call finds it. */
  start(): Promise<void> {
    this.#starting ??= this.#workers.start();
    return this.#starting;
  }

  use(): SandboxUse {
    return useOf([...this.#workers.threads], this.waiting.size);
  }

  /** True if the waiting calls in every worker hold as much memory as they may. */
  get isFull(): boolean {
    const shared = [...this.#workers.threads];
    return shared.length > 0 && shared.every((thread) => thread.isFull);
  }

  /** The base image that all plugins are loaded on top of; undefined until it is known. */
  get base(): BaseImage | undefined {
    return this.#workers.base;
  }

  /** Hash of everything that the base image depends on. */
  get baseName(): string {
    return this.#workers.baseName;
  }

  job(number: number): Job | undefined {
    return this.#jobs.get(number);
  }

  submit(job: Job): void {
    this.#workers.ensureOne();
    this.#jobs.set(job.number, job);
    this.#place(job);
    this.#workers.hold(this.waiting.size > 0);
    this.#watch.start();
  }

  /** Records that a job was answered, and frees its place. @returns false if it was answered before */
  settle(job: Job): boolean {
    if (!this.#jobs.delete(job.number)) return false;
    if (job.kind === "call") dropRest(job);
    const { thread } = job;
    if (thread === undefined) this.waiting.delete(job);
    else {
      thread.settle(job.number);
      this.#workers.letGoSurplus(thread);
      this.#workers.retireWorn(thread);
    }
    this.#placeWaiting();
    return true;
  }

  /** Handles a worker's refusal of a call for lack of memory: queues it again. @returns false if the worker must have started it */
  refuse(job: CallJob): boolean {
    if (job.effects > 0) return false;
    job.refusals++;
    if (job.cancelBy !== undefined) this.#answer(job, { kind: "cancelled" }, 0);
    else if (job.refusals > MAXIMUM_REFUSALS) this.#answer(job, { kind: "overloaded", because: "memory" }, 0);
    else this.#wait(job);
    return true;
  }

  /** Delivers the answer to a call's operation. */
  answer(job: CallJob, said: Said): void {
    const { thread } = job;
    if (this.#jobs.get(job.number) !== job || (thread ?? job.rest) === undefined) return said.brought?.taken();
    job.rest?.answers.push(said);
    if (thread === undefined || (isBusy(thread, this.#now(), BUSY_AFTER_MS) && this.#move(job, thread))) return undefined;
    return sendAnswer(job, thread, said);
  }

  /** Cancels a call: at once if it has not started, otherwise by signal, grace period and end (SPEC T3). */
  cancel(job: CallJob): void {
    if (!this.#jobs.has(job.number)) return;
    if (job.thread === undefined || job.thread.takeBack(job.number)) {
      this.settle(job);
      return job.settle({ ok: false, fault: { kind: "cancelled" }, used: usedUntil(job, job.givenAt, 0) });
    }
    job.cancelBy = this.#now() + CANCEL_GRACE_MS;
    job.thread.send({ type: "abort", number: job.number });
  }

  /** Drops a plugin from all workers. `bytes` is the size of its image. */
  forget(digest: string, bytes: number): void {
    for (const thread of this.#workers.all) {
      if (!thread.images.delete(digest)) continue;
      thread.send({ type: "forget", digest });
      thread.forgottenBytes += bytes;
      this.#workers.retireWorn(thread);
      // The worker was reserved for this plugin, which was removed or will be loaded again on a fresh worker.
      if (thread.reservedFor !== undefined && thread.images.size === 0 && thread.jobs.size === 0) this.#workers.letGo(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.stop();
    this.#cancelRest?.();
    for (const job of this.#jobs.values()) {
      const isFrozen = job.kind === "call" && job.isFrozen;
      // Another process continues it with the same bytes.
      if (isFrozen) job.isFrozen = false;
      this.#answer(job, { kind: isFrozen ? "frozen" : "cancelled" }, 0);
    }
    await this.#workers.close();
  }

  #now(): number {
    return this.#options.launcher.now();
  }

  /** @returns false if the job has to wait */
  #place(job: Job): boolean {
    const thread = this.#pick(job);
    if (thread === undefined) {
      this.waiting.add(job);
      return false;
    }
    this.#giveTo(thread, job);
    return true;
  }

  /** Moves a waiting call to another worker, if one has a place for it. */
  #move(job: CallJob, from: Thread): boolean {
    const to = job.rest && this.#pick(job);
    if (to === undefined || to === from || !claimRest(job, from)) return false;
    from.settle(job.number);
    this.#giveTo(to, job);
    return true;
  }

  #giveTo(thread: Thread, job: Job): void {
    thread.loads ||= job.kind === "load";
    job.thread = thread;
    job.givenAt = this.#now();
    // Rests are counted per assignment to a worker.
    if (job.kind === "call") job.rests = 0;
    job.idleMs = 0;
    job.overdueMs = 0;
    this.#options.give(thread, job);
  }

  /** Moves a job from its worker back to the queue. A call that can be resumed goes to the front. */
  #wait(job: Job): void {
    job.thread?.settle(job.number);
    job.thread = undefined;
    if (job.kind === "call" && job.rest !== undefined) return this.waiting.addFirst(job);
    job.begunAt = undefined;
    return this.waiting.add(job);
  }

  #placeWaiting(): void {
    if (!this.#closed) this.#placeAll();
    this.#workers.hold(this.waiting.size > 0);
  }

  #placeAll(): void {
    // If one call of a plugin finds no place, the plugin's later calls will not either.
    const refused = new Set<string>();
    for (const job of this.waiting.takeAll()) {
      if (refused.has(digestOf(job))) this.waiting.add(job);
      else if (!this.#place(job)) refused.add(digestOf(job));
    }
  }

  #pick(job: Job): Thread | undefined {
    const name = nameOf(job);
    const reservation = this.#options.isIsolated(name) ? name : this.#apart.of(name);
    const rules = { maximumWorkers: this.#options.maximumWorkers, now: this.#now(), busyAfterMs: BUSY_AFTER_MS, preempts: canSuspend() };
    const place = choosePlace(
      this.#workers.threads,
      { digest: digestOf(job), isLoad: job.kind === "load", isBrief: isBrief(job), reservation },
      rules,
    );
    const fresh = place.wantsFresh ? this.#workers.promote() : undefined;
    if (fresh === undefined) return place.thread;
    fresh.reservedFor = reservation;
    return fresh;
  }

  /** Checks for idle workers at intervals, while calls arrive or more than one small worker remains. */
  #lookForRest(): void {
    this.#cancelRest ??= this.#options.launcher.after(REST_MS, () => {
      this.#cancelRest = undefined;
      if (this.#workers.letGoResting()) this.#lookForRest();
    });
  }

  /** Ends a worker: the guilty call gets the fault, laid-out calls resume, calls without effects run again, the others are lost. */
  #replace(thread: Thread, guilty: number | undefined, fault: Fault, cpuMs = 0): void {
    this.#workers.letGo(thread);
    if (fault.kind === "trap") this.#options.onDefect(fault.message);
    this.#failedStarts = thread.ready ? 0 : this.#failedStarts + 1;
    for (const number of thread.jobs.keys()) {
      const job = this.#jobs.get(number);
      if (job === undefined) continue;
      if (number !== guilty && job.kind === "call" && claimRest(job, thread)) {
        this.#wait(job);
        continue;
      }
      const begun = !thread.takeBack(number) || (job.kind === "call" && job.effects > 0);
      // A job that never started is not to blame unless no other job is: its needs may be what ends its worker.
      if (begun || guilty === undefined || number === guilty) job.attempts++;
      const isRepeatable = !begun || job.kind === "load" || job.effects === 0;
      // A worker that ended by itself may have its own reason, but a plugin that was not loaded stays away.
      const isGuilty = number === guilty && !(fault.kind === "trap" && job.kind === "load");
      if (isGuilty) this.#apart.add(nameOf(job));
      if (isGuilty) this.#answer(job, fault, cpuMs);
      else if (isRepeatable && job.attempts < MAXIMUM_ATTEMPTS) this.#wait(job);
      else this.#answer(job, begun && number !== guilty ? { kind: "lost" } : fault, 0);
    }
    if (this.#closed) return;
    if (this.#failedStarts >= MAXIMUM_ATTEMPTS) return this.#giveUp(fault);
    if (this.#workers.promote() === undefined) this.#workers.ensureOne();
    this.#placeWaiting();
  }

  /** Fails all waiting jobs, because workers do not start. The next job tries again. */
  #giveUp(fault: Fault): void {
    this.#failedStarts = 0;
    for (const job of this.waiting.takeAll()) this.#answer(job, fault, 0);
  }

  #answer(job: Job, fault: Fault, cpuMs: number): void {
    if (this.settle(job)) settleWithFault(job, fault, usedUntil(job, this.#now(), cpuMs));
  }
}
