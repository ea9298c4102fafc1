/**
 * The workers that a pool has: started with the engine and the base image, kept warm, put to work, let go.
 *
 * One warm spare is always booting or ready, so that a worker that had to be ended costs nobody a start (SPEC B3).
 */

import { isRewritten } from "../engine/engine.ts";
import { type EngineBuild, loadEngine } from "../engine/engine-build.ts";
import type { BaseImage } from "../image/image.ts";
import { afterOwnTime } from "./own-time.ts";
import type { Parking } from "../image/parked.ts";
import { imageFileName, readImageFile, writeImageFile } from "../image/image-file.ts";
import type { WorkerLauncher } from "../worker/port.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import { Thread } from "../worker/thread.ts";

export interface CrewOptions {
  readonly launcher: WorkerLauncher;
  /** Workers that are shared, the spare not counted. */
  readonly maximumWorkers: number;
  readonly engine: EngineBuild;
  readonly parking: Parking;
  /** There may be room for jobs that wait. */
  readonly onReady: () => void;
  readonly onMessage: (thread: Thread, message: WorkerMessage) => void;
  /** A worker is of no use any more: it broke, ended by itself, or never became ready. It still has to be let go. */
  readonly onLost: (thread: Thread, why: string) => void;
  /** Something is wrong with the engine or a cached file. */
  readonly onDefect: (message: string) => void;
}

const SPARE_AFTER_MS = 200;
/** Up to a minute. */
const MAXIMUM_DOUBLINGS = 8;
/** Of the host's own time: a worker that is not ready by then, or takes nothing up for so long, is given up; a start takes a tenth of a second. */
export const START_WITHIN_MS = 10_000;

/**
 * Some hundreds of edits of a plugin. V8 knows nothing of the size of shared memory, so that a worker that has nothing else to do
 * keeps what it forgot: a host of four workers that only reloads ends up with four times this.
 */
export const WORN_AFTER_BYTES: number = 32 * 1024 * 1024;

/** Of three instances as they start: what a burst of calls leaves in a worker, which gives none of it back as long as it rests. */
export const LARGE_BYTES: number = 24 * 1024 * 1024;

export class Crew {
  readonly #options: CrewOptions;
  readonly #threads: Set<Thread> = new Set();
  #spare: Thread | undefined;
  #module: WebAssembly.Module | undefined;
  #base: BaseImage | undefined;
  #imageFile = "";
  #cancelSpare: (() => void) | undefined;
  /** One after the other. */
  #sparesLost = 0;
  #isHeld = false;
  #closed = false;
  isMetered = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Workers that take jobs. */
  get threads(): ReadonlySet<Thread> {
    return this.#threads;
  }

  /** Those, and the spare. */
  get all(): readonly Thread[] {
    return this.#spare === undefined ? [...this.#threads] : [...this.#threads, this.#spare];
  }

  /** What all plugins are loaded on top of; undefined until it is known. */
  get base(): BaseImage | undefined {
    return this.#base;
  }

  /** The first worker starts while what it needs is read and compiled: both take about as long. */
  async start(): Promise<void> {
    this.#threads.add(this.#newThread(true));
    try {
      const engine = await loadEngine(this.#options.launcher, this.#options.engine, this.#options.onDefect);
      const [module, file] = await Promise.all([WebAssembly.compile(engine), this.#findImage(engine)]);
      this.#module = module;
      this.isMetered = isRewritten(module);
      this.#imageFile = file;
      for (const thread of this.#threads) thread.boot({ module, base: this.#base, prepareToLoad: true, parking: this.#options.parking });
    } catch (error) {
      for (const thread of this.#threads) this.letGo(thread);
      throw error;
    }
  }

  /** Starts a worker if there is none, once it is known what with. */
  ensureOne(): void {
    if (!this.#closed && this.#threads.size === 0 && this.#module !== undefined) this.#threads.add(this.#newThread(true));
  }

  /** Puts the spare to work, if it is ready. */
  promote(): Thread | undefined {
    const spare = this.#spare;
    if (spare === undefined || !spare.ready) return undefined;
    this.#threads.add(spare);
    this.#spare = undefined;
    this.#ensureSpare();
    return spare;
  }

  /** Ends a worker. */
  letGo(thread: Thread): void {
    const wasSpare = thread === this.#spare;
    if (wasSpare) this.#spare = undefined;
    this.#threads.delete(thread);
    void thread.end();
    if (!wasSpare) return;
    // Calls may have nothing else to wait for; but where none starts, trying goes on at leisure.
    this.#sparesLost++;
    this.#spareSoon();
  }

  /** Workers beyond the maximum were for calls that found all others held; they go when they are idle. */
  letGoSurplus(thread: Thread): void {
    if (thread.jobs.size > 0 || thread.reservedFor !== undefined) return;
    if (this.#shared().length > this.#options.maximumWorkers) this.letGo(thread);
  }

  /** A fresh worker takes the place of one whose engine holds on to much that was forgotten, when that is idle. */
  retireWorn(thread: Thread): void {
    if (thread.forgottenBytes < WORN_AFTER_BYTES || thread.jobs.size > 0 || !this.#threads.has(thread)) return;
    if (thread.reservedFor !== undefined || this.promote() !== undefined) this.letGo(thread);
  }

  /**
   * Lets workers go that were given nothing since this was last called, but the one that took least; where that took much, a fresh one
   * takes its place.
   *
   * @returns whether there may be more to let go the next time
   */
  letGoResting(): boolean {
    const resting = [...this.#threads].filter((thread) => thread.restsSinceAsked());
    for (const thread of resting.toSorted((one, other) => other.takenBytes - one.takenBytes)) {
      const isOneOfMany = thread.reservedFor === undefined && this.#shared().length > 1;
      if (isOneOfMany || (isLarge(thread) && (thread.reservedFor !== undefined || this.promote() !== undefined))) this.letGo(thread);
    }
    return this.#shared().length > 1 || [...this.#threads].some(isLarge);
  }

  #shared(): Thread[] {
    return [...this.#threads].filter(({ reservedFor }) => reservedFor === undefined);
  }

  /** As long as a job waits, the threads keep the process alive: a busy one whose own calls are answered does not by itself. */
  hold(on: boolean): void {
    if (on === this.#isHeld) return;
    this.#isHeld = on;
    for (const thread of this.all) thread.hold(on);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelSpare?.();
    const ending = this.all.map((thread) => thread.end());
    this.#threads.clear();
    this.#spare = undefined;
    await Promise.all(ending);
  }

  /** The base image of an earlier start, if it is still there and whole. */
  async #findImage(engine: Uint8Array): Promise<string> {
    const { launcher, onDefect } = this.#options;
    const name = await imageFileName(engine, launcher.language);
    const file = await launcher.readCache(name);
    this.#base = file === undefined ? undefined : await readImageFile(file);
    if (file !== undefined && this.#base === undefined) onDefect(`The cached base image ${name} is damaged; it is made anew`);
    return name;
  }

  async #keepImage(base: BaseImage): Promise<void> {
    this.#base = base;
    await this.#options.launcher.writeCache(this.#imageFile, await writeImageFile(base));
  }

  /** A thread that is booted as soon as the engine is there. */
  #newThread(isWanted: boolean): Thread {
    const { launcher, parking, onMessage, onReady, onLost, onDefect } = this.#options;
    const thread = new Thread(launcher, isWanted || this.#isHeld, {
      onReady: (_thread, base) => {
        if (this.#base === undefined) {
          this.#keepImage(base).catch((defect: unknown) => onDefect(`Cannot keep the base image: ${String(defect)}`));
        }
        this.#sparesLost = 0;
        this.#spareSoon();
        onReady();
      },
      onMessage: (from, message) => (message.type === "broken" ? onLost(from, message.message) : onMessage(from, message)),
      onExit: onLost,
    });
    const module = this.#module;
    if (module !== undefined) thread.boot({ module, base: this.#base, prepareToLoad: this.#threads.size === 0, parking });
    const isAwaited = (): boolean => !thread.ready && (this.#threads.has(thread) || thread === this.#spare);
    afterOwnTime(launcher, START_WITHIN_MS, isAwaited, () => onLost(thread, `A worker did not start within ${START_WITHIN_MS} ms`));
    return thread;
  }

  /** Not at once: while a host starts, its first calls need the processor more. */
  #spareSoon(): void {
    if (this.#spare !== undefined || this.#cancelSpare !== undefined) return;
    this.#cancelSpare = this.#options.launcher.after(SPARE_AFTER_MS * 2 ** Math.min(this.#sparesLost, MAXIMUM_DOUBLINGS), () => {
      this.#cancelSpare = undefined;
      this.#ensureSpare();
    });
  }

  #ensureSpare(): void {
    if (!this.#closed && this.#spare === undefined) this.#spare = this.#newThread(false);
  }
}

function isLarge({ takenBytes }: Thread): boolean {
  return takenBytes >= LARGE_BYTES;
}
