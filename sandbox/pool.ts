/**
 * The pool: workers, which job goes where, and the watchdog that ends what does not end by itself.
 *
 * One warm spare is always booting or ready, so that a worker that had to be ended costs nobody a start (SPEC B3).
 * Calls of one plugin share a worker before calls of two plugins do, a worker whose guest holds its thread gets no new
 * calls, and those it has not begun are taken back (SPEC B10). Jobs in the guest's hands are watched through shared
 * status words, because a spinning worker answers no message.
 */

import type { Fault } from "./fault.ts";
import type { Image } from "./image.ts";
import { type EngineBuild, loadEngine } from "./engine-build.ts";
import { imageFileName, readImageFile, writeImageFile } from "./image-file.ts";
import { type CallJob, type Job, settleWithFault, usedUntil } from "./job.ts";
import { choosePlace, isBusy } from "./placement.ts";
import type { WorkerLauncher } from "./worker/port.ts";
import type { WorkerMessage } from "./worker/protocol.ts";
import { CANCEL_GRACE_MS, judgeCall, judgeEntry, WATCH_EVERY_MS } from "./watchdog.ts";
import { Thread } from "./worker/thread.ts";

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
  /** Something is wrong with a worker, not with a guest. */
  readonly onDefect: (message: string) => void;
}

/** A guest that holds its thread this long makes the thread a bad place for other calls. */
const BUSY_AFTER_MS = 20;
const MAXIMUM_ATTEMPTS = 3;
const SPARE_AFTER_MS = 200;
/** A worker that is not ready by then is given up; a start takes a tenth of a second. */
const START_WITHIN_MS = 10_000;

export class Pool {
  readonly #options: PoolOptions;
  readonly #threads: Set<Thread> = new Set();
  readonly #jobs: Map<number, Job> = new Map();
  readonly #waiting: Job[] = [];
  #spare: Thread | undefined;
  #module: WebAssembly.Module | undefined;
  #base: Image | undefined;
  #starting: Promise<void> | undefined;
  #cancelWatch: (() => void) | undefined;
  #cancelSpare: (() => void) | undefined;
  #imageFile = "";
  #failedStarts = 0;
  #holding = false;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Begins to start the first worker, so that the first call finds it. */
  start(): Promise<void> {
    this.#starting ??= this.#startFirst();
    return this.#starting;
  }

  /** Calls that wait for a worker. */
  get queued(): number {
    return this.#waiting.length;
  }

  job(number: number): Job | undefined {
    return this.#jobs.get(number);
  }

  submit(job: Job): void {
    if (this.#threads.size === 0 && this.#module !== undefined) this.#threads.add(this.#newThread(true));
    this.#jobs.set(job.number, job);
    this.#place(job);
    this.#hold();
    this.#watch();
  }

  /** The job is answered: frees its place. @returns false if it was answered before. */
  settle(job: Job): boolean {
    if (!this.#jobs.delete(job.number)) return false;
    const { thread } = job;
    if (thread === undefined) this.#waiting.splice(this.#waiting.indexOf(job), 1);
    else {
      thread.settle(job.number);
      this.#dropSurplus(thread);
    }
    this.#placeWaiting();
    return true;
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

  forget(digest: string): void {
    for (const thread of this.#allThreads()) {
      if (!thread.images.delete(digest)) continue;
      thread.send({ type: "forget", digest });
      // The plugin it was kept for is gone, or will be loaded again on a fresh one.
      if (thread.reservedFor !== undefined && thread.images.size === 0 && thread.jobs.size === 0) this.#endThread(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWatch?.();
    this.#cancelSpare?.();
    const threads = this.#allThreads();
    for (const job of [...this.#jobs.values()]) this.#answer(job, { kind: "cancelled" }, 0);
    await Promise.all(threads.map((thread) => thread.end()));
    this.#threads.clear();
    this.#spare = undefined;
  }

  #now(): number {
    return this.#options.launcher.now();
  }

  #allThreads(): Thread[] {
    return this.#spare === undefined ? [...this.#threads] : [...this.#threads, this.#spare];
  }

  async #startFirst(): Promise<void> {
    const engine = await loadEngine(this.#options.launcher, this.#options.engine, this.#options.onDefect);
    const [module, file] = await Promise.all([WebAssembly.compile(engine), this.#findImage(engine)]);
    this.#module = module;
    this.#imageFile = file;
    if (!this.#closed) this.#threads.add(this.#newThread(true));
  }

  /** The base image of an earlier start, if it is still there and whole. */
  async #findImage(engine: Uint8Array): Promise<string> {
    const { launcher, onDefect } = this.#options;
    const name = await imageFileName(engine);
    const file = await launcher.readCache(name);
    this.#base = file === undefined ? undefined : await readImageFile(file);
    if (file !== undefined && this.#base === undefined) onDefect(`The cached base image ${name} is damaged; it is made anew`);
    return name;
  }

  async #keepImage(base: Image): Promise<void> {
    this.#base = base;
    await this.#options.launcher.writeCache(this.#imageFile, await writeImageFile(base));
  }

  #newThread(isWanted: boolean): Thread {
    if (this.#module === undefined) throw new Error("The engine is not compiled yet");
    const thread = new Thread(
      this.#options.launcher,
      this.#module,
      { base: this.#base, prepareToLoad: this.#threads.size === 0, isWanted: isWanted || this.#holding },
      {
        onReady: (_thread, base) => {
          if (this.#base === undefined) void this.#keepImage(base);
          this.#spareSoon();
          this.#placeWaiting();
        },
        onMessage: (from, message) => {
          if (message.type === "broken") this.#replace(from, undefined, { kind: "trap", message: message.message });
          else this.#options.onMessage(from, message);
        },
        onExit: (ended, reason) => this.#replace(ended, ended.entry?.number, { kind: "trap", message: reason }),
      },
    );
    this.#options.launcher.after(START_WITHIN_MS, () => {
      const isOurs = this.#threads.has(thread) || thread === this.#spare;
      if (!thread.ready && isOurs)
        this.#replace(thread, undefined, { kind: "trap", message: `A worker did not start within ${START_WITHIN_MS} ms` });
    });
    return thread;
  }

  /** Not at once: while a host starts, its first calls need the processor more. */
  #spareSoon(): void {
    if (this.#spare !== undefined || this.#cancelSpare !== undefined) return;
    this.#cancelSpare = this.#options.launcher.after(SPARE_AFTER_MS, () => {
      this.#cancelSpare = undefined;
      this.#ensureSpare();
    });
  }

  #ensureSpare(): void {
    if (!this.#closed && this.#spare === undefined) this.#spare = this.#newThread(false);
  }

  /** Puts the spare to work. */
  #promote(): Thread | undefined {
    const spare = this.#spare;
    if (spare === undefined || !spare.ready) return undefined;
    this.#threads.add(spare);
    this.#spare = undefined;
    this.#ensureSpare();
    return spare;
  }

  /** @returns false if the job has to wait. */
  #place(job: Job): boolean {
    const thread = this.#pick(job);
    if (thread === undefined) {
      this.#waiting.push(job);
      return false;
    }
    job.thread = thread;
    job.givenAt = this.#now();
    job.attempts++;
    this.#options.give(thread, job);
    return true;
  }

  /** From its worker back to the queue, as if it had never left. */
  #wait(job: Job): void {
    job.thread = undefined;
    job.begunAt = undefined;
    this.#waiting.push(job);
  }

  #placeWaiting(): void {
    if (!this.#closed) this.#placeAll();
    this.#hold();
  }

  /** As long as a job waits, the threads keep the process alive: a busy one whose own calls are answered does not by itself. */
  #hold(): void {
    const on = this.#waiting.length > 0;
    if (on === this.#holding) return;
    this.#holding = on;
    for (const thread of this.#allThreads()) thread.hold(on);
  }

  #placeAll(): void {
    // What one call of a plugin cannot have now, its next call cannot have either.
    const refused = new Set<string>();
    for (const job of this.#waiting.splice(0)) {
      if (refused.has(digestOf(job))) this.#waiting.push(job);
      else if (!this.#place(job)) refused.add(digestOf(job));
    }
  }

  #pick(job: Job): Thread | undefined {
    const name = job.kind === "call" ? job.plugin.source.name : job.source.name;
    const reservation = this.#options.isIsolated(name) ? name : undefined;
    const rules = { maximumWorkers: this.#options.maximumWorkers, now: this.#now(), busyAfterMs: BUSY_AFTER_MS };
    const place = choosePlace(this.#threads, { digest: digestOf(job), reservation }, rules);
    const fresh = place.wantsFresh ? this.#promote() : undefined;
    if (fresh === undefined) return place.thread;
    fresh.reservedFor = reservation;
    return fresh;
  }

  /** Workers beyond the maximum were for calls that found all others held; they go when they are idle. */
  #dropSurplus(thread: Thread): void {
    if (thread.jobs.size > 0 || thread.reservedFor !== undefined) return;
    const shared = [...this.#threads].filter((other) => other.reservedFor === undefined);
    if (shared.length <= this.#options.maximumWorkers) return;
    this.#endThread(thread);
  }

  #endThread(thread: Thread): void {
    this.#threads.delete(thread);
    void thread.end();
  }

  #watch(): void {
    if (this.#cancelWatch !== undefined || this.#closed) return;
    this.#cancelWatch = this.#options.launcher.after(WATCH_EVERY_MS, () => {
      this.#cancelWatch = undefined;
      this.#look();
      if (this.#jobs.size > 0) this.#watch();
    });
  }

  #look(): void {
    const now = this.#now();
    for (const thread of [...this.#threads]) {
      if (thread.jobs.size === 0) continue;
      const { entry } = thread;
      const running = entry === undefined ? undefined : this.#jobs.get(entry.number);
      const fault = entry === undefined || running === undefined ? undefined : judgeEntry(entry, running, now);
      if (entry !== undefined && fault !== undefined) {
        this.#replace(thread, entry.number, fault, now - entry.enteredAt);
        continue;
      }
      if (isBusy(thread, now, BUSY_AFTER_MS)) this.#takeBackFrom(thread);
      for (const number of [...thread.jobs.keys()]) this.#lookAtJob(thread, number, now);
    }
    this.#placeWaiting();
  }

  #lookAtJob(thread: Thread, number: number, now: number): void {
    const job = this.#jobs.get(number);
    if (job === undefined || job.kind !== "call") return;
    if (thread.hasBegun(number)) job.begunAt ??= now;
    const isRunning = thread.entry?.number === number;
    const verdict = judgeCall(job, isRunning, now);
    if (verdict.kind === "fine") return;
    if (verdict.kind === "kill") return this.#replace(thread, number, verdict.fault);
    if (isRunning) thread.interrupt(number);
    thread.send({ type: "end", number });
    if (verdict.kind === "answer") this.#answer(job, verdict.fault, 0);
  }

  /** Takes back what a busy thread has not begun. */
  #takeBackFrom(thread: Thread): void {
    for (const number of [...thread.jobs.keys()]) {
      const job = this.#jobs.get(number);
      if (job === undefined || job.kind !== "call" || !thread.takeBack(number)) continue;
      thread.settle(number);
      this.#wait(job);
    }
  }

  /** Ends a worker: the guilty call gets its fault, calls without effects run again elsewhere, the others are lost. */
  #replace(thread: Thread, guilty: number | undefined, fault: Fault, cpuMs = 0): void {
    if (thread === this.#spare) this.#spare = undefined;
    this.#threads.delete(thread);
    if (fault.kind === "trap") this.#options.onDefect(fault.message);
    this.#failedStarts = thread.ready ? 0 : this.#failedStarts + 1;
    void thread.end();
    for (const number of [...thread.jobs.keys()]) {
      const job = this.#jobs.get(number);
      if (job === undefined) continue;
      const begun = !thread.takeBack(number);
      if (number === guilty) this.#answer(job, fault, cpuMs);
      else if (!begun || ((job.kind === "load" || job.effects === 0) && job.attempts < MAXIMUM_ATTEMPTS)) {
        this.#wait(job);
      } else this.#answer(job, { kind: "lost" }, 0);
    }
    if (this.#closed) return;
    if (this.#failedStarts >= MAXIMUM_ATTEMPTS) return this.#giveUp(fault);
    if (this.#promote() === undefined && this.#threads.size === 0) this.#threads.add(this.#newThread(true));
    this.#placeWaiting();
  }

  /** Workers do not start: nobody waits for one in vain. The next job tries again. */
  #giveUp(fault: Fault): void {
    this.#failedStarts = 0;
    for (const job of this.#waiting.splice(0)) this.#answer(job, fault, 0);
  }

  #answer(job: Job, fault: Fault, cpuMs: number): void {
    const used = job.kind === "call" ? usedUntil(job, this.#now(), cpuMs) : NOTHING_USED;
    if (this.settle(job)) settleWithFault(job, fault, used);
  }
}

const NOTHING_USED = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

function digestOf(job: Job): string {
  return job.kind === "call" ? job.invocation.digest : job.source.digest;
}
