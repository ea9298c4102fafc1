/**
 * The pool: which job goes to which worker, and the watchdog that ends what does not end by itself.
 *
 * Workers come from the crew (`crew.ts`), places from `placement.ts`, verdicts from `watchdog.ts`. A worker whose guest
 * holds its thread gets no new calls, and those it has not begun are taken back (SPEC B10). Jobs are watched by shared words.
 */

import { Apart } from "./apart.ts";
import { Crew, START_WITHIN_MS } from "./crew.ts";
import { canSuspend } from "../engine/engine.ts";
import type { EngineBuild } from "../engine/engine-build.ts";
import type { Fault } from "../fault.ts";
import type { BaseImage } from "../image/image.ts";
import { InFlight } from "./in-flight.ts";
import { type CallJob, digestOf, isBrief, type Job, nameOf, type Said, settleWithFault, usedUntil } from "./job.ts";
import { OwnTime } from "./own-time.ts";
import type { Parking } from "../image/parked.ts";
import { canMove, claimRest, dropRest, forgetRest, isDue, sendAnswer } from "./resting-jobs.ts";
import { choosePlace, isBusy } from "./placement.ts";
import { type SandboxUse, useOf } from "./use.ts";
import type { WorkerLauncher } from "../worker/port.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import {
  CANCEL_GRACE_MS,
  type Circumstances,
  isOverdue,
  judgeCall,
  judgeEntry,
  judgeWaiting,
  type Look,
  WATCH_EVERY_MS,
} from "./watchdog.ts";
import type { Thread } from "../worker/thread.ts";
import { WaitingJobs } from "./waiting-jobs.ts";

export interface PoolOptions {
  readonly launcher: WorkerLauncher;
  /** Workers that take calls, the spare not counted. */
  readonly maximumWorkers: number;
  /** What a worker says about a job; the pool itself acts on starts, ends and time. */
  readonly onMessage: (thread: Thread, message: WorkerMessage) => void;
  /** The request for a job, and whatever the worker needs before it. */
  readonly give: (thread: Thread, job: Job) => void;
  /** True for plugins, by name, that share a worker with no other (SPEC B1). */
  readonly isIsolated: (name: string) => boolean;
  readonly engine: EngineBuild;
  readonly parking: Parking;
  /** Something is wrong with a worker, not with a guest. */
  readonly onDefect: (message: string) => void;
}

/** A guest that holds its thread this long makes the thread a bad place for other calls. */
const BUSY_AFTER_MS = 20;
/** What rests from one look to the next is let go: a burst of calls is over by then, and a start takes a hundredth of it. */
export const REST_MS = 10_000;
const MAXIMUM_ATTEMPTS = 3;
/** Workers say that they are full where calls that came together do not fit; a call that is sent back more often never will. */
const MAXIMUM_REFUSALS = 100;

export class Pool {
  /** Those without a worker. */
  readonly waiting: WaitingJobs = new WaitingJobs();
  readonly #options: PoolOptions;
  readonly #crew: Crew;
  readonly #jobs: InFlight<Job> = new InFlight();
  readonly #apart: Apart;
  #starting: Promise<void> | undefined;
  #cancelWatch: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #failedStarts = 0;
  #lastLook = 0;
  readonly #ownTime: OwnTime = new OwnTime();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#apart = new Apart(options.maximumWorkers);
    this.#crew = new Crew({
      ...options,
      onReady: () => this.#placeWaiting(),
      onLost: (thread, why) => this.#replace(thread, thread.entry?.number, { kind: "trap", message: why }),
    });
  }

  /** Begins to start the first worker, so that the first call finds it. */
  start(): Promise<void> {
    this.#starting ??= this.#crew.start();
    return this.#starting;
  }

  use(): SandboxUse {
    return useOf([...this.#crew.threads], this.waiting.size);
  }

  /** Calls that wait in workers hold all that they may in each. */
  get isFull(): boolean {
    const shared = [...this.#crew.threads];
    return shared.length > 0 && shared.every((thread) => thread.isFull);
  }

  /** What all plugins are loaded on top of; undefined until it is known. */
  get base(): BaseImage | undefined {
    return this.#crew.base;
  }

  job(number: number): Job | undefined {
    return this.#jobs.get(number);
  }

  submit(job: Job): void {
    this.#crew.ensureOne();
    this.#jobs.set(job.number, job);
    this.#place(job);
    this.#crew.hold(this.waiting.size > 0);
    this.#watch();
  }

  /** The job is answered: frees its place. @returns false if it was answered before. */
  settle(job: Job): boolean {
    if (!this.#jobs.delete(job.number)) return false;
    if (job.kind === "call") dropRest(job);
    const { thread } = job;
    if (thread === undefined) this.waiting.delete(job);
    else {
      thread.settle(job.number);
      this.#crew.letGoSurplus(thread);
      this.#crew.retireWorn(thread);
    }
    this.#placeWaiting();
    return true;
  }

  /** A worker has no room for a call: another one may have, or this one later. @returns false if it must have begun the call */
  refuse(job: CallJob): boolean {
    if (job.effects > 0) return false;
    job.refusals++;
    if (job.cancelBy !== undefined) this.#answer(job, { kind: "cancelled" }, 0);
    else if (job.refusals > MAXIMUM_REFUSALS) this.#answer(job, { kind: "overloaded", because: "memory" }, 0);
    else this.#wait(job);
    return true;
  }

  /** A call's operation is answered. */
  answer(job: CallJob, said: Said): void {
    const { thread } = job;
    if (this.#jobs.get(job.number) !== job || (thread ?? job.rest) === undefined) return said.brought?.taken();
    job.rest?.answers.push(said);
    if (thread === undefined || (isBusy(thread, this.#now(), BUSY_AFTER_MS) && this.#move(job, thread))) return undefined;
    return sendAnswer(job, thread, said);
  }

  /** Cancels a call: at once if it has not begun, else signal, grace period, end (SPEC T3). */
  cancel(job: CallJob): void {
    if (!this.#jobs.has(job.number)) return;
    if (job.thread === undefined || job.thread.takeBack(job.number)) {
      this.settle(job);
      return job.settle({ ok: false, fault: { kind: "cancelled" }, used: usedUntil(job, job.givenAt, 0) });
    }
    job.cancelBy = this.#now() + CANCEL_GRACE_MS;
    job.thread.send({ type: "abort", number: job.number });
  }

  /** No call of this plugin will come; `bytes` is the size of its image. */
  forget(digest: string, bytes: number): void {
    for (const thread of this.#crew.all) {
      if (!thread.images.delete(digest)) continue;
      thread.send({ type: "forget", digest });
      thread.forgottenBytes += bytes;
      this.#crew.retireWorn(thread);
      // The plugin it was kept for is gone, or will be loaded again on a fresh one.
      if (thread.reservedFor !== undefined && thread.images.size === 0 && thread.jobs.size === 0) this.#crew.letGo(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWatch?.();
    this.#cancelRest?.();
    for (const job of this.#jobs.values()) this.#answer(job, { kind: "cancelled" }, 0);
    await this.#crew.close();
  }

  #now(): number {
    return this.#options.launcher.now();
  }

  /** @returns false if the job has to wait. */
  #place(job: Job): boolean {
    const thread = this.#pick(job);
    if (thread === undefined) {
      this.waiting.add(job);
      return false;
    }
    this.#giveTo(thread, job);
    return true;
  }

  /** Has another worker go on with a call that waits, if one has a place for it. */
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
    // Counted from then.
    if (job.kind === "call") job.rests = 0;
    job.idleMs = 0;
    job.overdueMs = 0;
    this.#options.give(thread, job);
  }

  /** From its worker back to the queue, as if it had never left; one that can go on is first. */
  #wait(job: Job): void {
    job.thread?.settle(job.number);
    job.thread = undefined;
    if (job.kind === "call" && job.rest !== undefined) return this.waiting.addFirst(job);
    job.begunAt = undefined;
    return this.waiting.add(job);
  }

  #placeWaiting(): void {
    if (!this.#closed) this.#placeAll();
    this.#crew.hold(this.waiting.size > 0);
  }

  #placeAll(): void {
    // What one call of a plugin cannot have now, its next call cannot have either.
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
      this.#crew.threads,
      { digest: digestOf(job), isLoad: job.kind === "load", isBrief: isBrief(job), reservation },
      rules,
    );
    const fresh = place.wantsFresh ? this.#crew.promote() : undefined;
    if (fresh === undefined) return place.thread;
    fresh.reservedFor = reservation;
    return fresh;
  }

  #watch(): void {
    if (this.#cancelWatch !== undefined || this.#closed) return;
    this.#lookForRest();
    // The time in which there was nothing to look at is nobody's.
    this.#lastLook = this.#now();
    this.#cancelWatch = this.#options.launcher.after(WATCH_EVERY_MS, () => {
      this.#cancelWatch = undefined;
      this.#look();
      if (this.#jobs.size > 0) this.#watch();
    });
  }

  /** Now and then, as long as calls come or have left more than one small worker. */
  #lookForRest(): void {
    this.#cancelRest ??= this.#options.launcher.after(REST_MS, () => {
      this.#cancelRest = undefined;
      if (this.#crew.letGoResting()) this.#lookForRest();
    });
  }

  #look(): void {
    const now = this.#now();
    const elapsedMs = now - this.#lastLook;
    const stepMs = this.#ownTime.tick(now);
    this.#lastLook = now;
    for (const thread of [...this.#crew.threads]) {
      if (thread.jobs.size === 0) continue;
      const { entry } = thread;
      const running = entry === undefined ? undefined : this.#jobs.get(entry.number);
      if (entry !== undefined && running !== undefined && isOverdue(running, entry, now)) running.overdueMs += stepMs;
      const fault =
        entry === undefined || running === undefined ? undefined : judgeEntry(entry, running, now, this.#around(thread, entry.number));
      if (entry !== undefined && fault !== undefined) {
        this.#replace(thread, entry.number, fault, now - entry.enteredAt);
        continue;
      }
      const isIdle = running === undefined && this.#isStuck(thread, stepMs);
      if (isIdle || thread.isLying) {
        const message = isIdle ? `A worker did nothing for ${START_WITHIN_MS} ms` : "A worker says that it runs a guest it was not given";
        this.#replace(thread, undefined, { kind: "trap", message });
        continue;
      }
      const isHeld = isBusy(thread, now, BUSY_AFTER_MS);
      if (thread.isFull || isHeld) this.#takeBackFrom(thread, isHeld ? now : undefined);
      for (const number of thread.jobs.keys()) this.#lookAtJob(thread, number, { now, elapsedMs });
    }
    for (const job of this.waiting.values()) {
      const fault = judgeWaiting(job, { now, elapsedMs });
      if (fault !== undefined) this.#answer(job, fault, 0);
    }
    this.#placeWaiting();
  }

  #around(thread: Thread, number: number): Circumstances {
    const isLost = (other: number): boolean => {
      const job = other === number ? undefined : this.#jobs.get(other);
      return job?.kind === "call" && job.effects > 0 && !canMove(job, thread);
    };
    return { isMetered: this.#crew.isMetered, harmsOthers: () => [...thread.jobs.keys()].some(isLost) };
  }

  /** Runs no guest, and leaves what it was given or does not end what it was told to: nothing of ours takes nearly as long. */
  #isStuck(thread: Thread, stepMs: number): boolean {
    for (const number of thread.jobs.keys()) {
      const job = this.#jobs.get(number);
      if (job === undefined || (job.kind === "call" && thread.hasBegun(number))) continue;
      job.idleMs += stepMs;
      if (job.idleMs > START_WITHIN_MS) return true;
    }
    return thread.owesSince(this.#ownTime.passedMs - START_WITHIN_MS);
  }

  #lookAtJob(thread: Thread, number: number, { now, elapsedMs }: Look): void {
    const job = this.#jobs.get(number);
    if (job === undefined || job.kind !== "call") return;
    forgetRest(job, thread);
    if (job.asking > 0) job.askingMs += elapsedMs;
    if (thread.hasBegun(number)) job.begunAt ??= now;
    const { entry } = thread;
    const own = entry?.number === number ? entry : undefined;
    const verdict = judgeCall(job, own, now, this.#around(thread, number));
    if (verdict.kind === "fine") return;
    if (verdict.kind === "kill") return this.#replace(thread, number, verdict.fault);
    if (own !== undefined) thread.interrupt(number);
    thread.send({ type: "end", number });
    if (verdict.kind !== "answer") return;
    thread.owe(number, this.#ownTime.passedMs);
    this.#answer(job, verdict.fault, 0);
  }

  /** Takes back what a thread has not begun, and where a guest holds it now, what could go on. */
  #takeBackFrom(thread: Thread, heldAt: number | undefined): void {
    for (const number of thread.jobs.keys()) {
      const job = this.#jobs.get(number);
      if (job?.kind === "call" && job.rest !== undefined) {
        if (heldAt !== undefined && isDue(job, heldAt)) this.#move(job, thread);
        continue;
      }
      // What has had an effect has begun, whatever the words say that the worker shares.
      const hasEffect = job?.kind === "call" && job.effects > 0;
      if (job !== undefined && !hasEffect && thread.takeBack(number)) this.#wait(job);
    }
  }

  /** Ends a worker: the guilty call gets its fault, calls that were laid out go on elsewhere, those without effects run again, the others are lost. */
  #replace(thread: Thread, guilty: number | undefined, fault: Fault, cpuMs = 0): void {
    this.#crew.letGo(thread);
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
      // A job that never began is not to blame, unless nobody else is: what it needs may be what ends its worker.
      if (begun || guilty === undefined || number === guilty) job.attempts++;
      const isRepeatable = !begun || job.kind === "load" || job.effects === 0;
      // A worker that ended by itself may have done so for a reason of its own, and a plugin that is not loaded stays away.
      const isGuilty = number === guilty && !(fault.kind === "trap" && job.kind === "load");
      if (isGuilty) this.#apart.add(nameOf(job));
      if (isGuilty) this.#answer(job, fault, cpuMs);
      else if (isRepeatable && job.attempts < MAXIMUM_ATTEMPTS) this.#wait(job);
      else this.#answer(job, begun && number !== guilty ? { kind: "lost" } : fault, 0);
    }
    if (this.#closed) return;
    if (this.#failedStarts >= MAXIMUM_ATTEMPTS) return this.#giveUp(fault);
    if (this.#crew.promote() === undefined) this.#crew.ensureOne();
    this.#placeWaiting();
  }

  /** Workers do not start: nobody waits for one in vain. The next job tries again. */
  #giveUp(fault: Fault): void {
    this.#failedStarts = 0;
    for (const job of this.waiting.takeAll()) this.#answer(job, fault, 0);
  }

  #answer(job: Job, fault: Fault, cpuMs: number): void {
    if (this.settle(job)) settleWithFault(job, fault, usedUntil(job, this.#now(), cpuMs));
  }
}
