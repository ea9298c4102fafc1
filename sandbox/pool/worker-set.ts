/**
 * The worker set of a pool: starts workers with the engine and the base image, keeps them warm, and ends them.
 *
 * One warm spare is always starting or ready, so that no call waits for a start when a worker had to be ended (SPEC B3). A sandbox for
 * one command starts it when a job wants it.
 */

import { isRewritten } from "../engine/engine.ts";
import { type EngineBuild, loadEngine } from "./engine-build.ts";
import type { BaseImage } from "../engine/image.ts";
import { afterUsedTime } from "./used-time.ts";
import type { Parking } from "../image/parked.ts";
import { imageFileName, readImageFile, writeImageFile } from "./image-file.ts";
import type { WorkerLauncher } from "../wire/port.ts";
import type { WorkerMessage } from "../wire/protocol.ts";
import { Thread } from "./thread.ts";

interface WorkerSetOptions {
  readonly launcher: WorkerLauncher;
  /** Maximum number of shared workers, without the spare. */
  readonly maximumWorkers: number;
  readonly warmWorkers: WarmWorkers;
  readonly engine: EngineBuild;
  readonly parking: Parking;
  /** Called when waiting jobs may find space. */
  readonly onReady: () => void;
  readonly onMessage: (thread: Thread, message: WorkerMessage) => void;
  /** Called when a worker broke, ended by itself, or never became ready. The worker must still be let go. */
  readonly onLost: (thread: Thread, why: string) => void;
  /** Reports a problem with the engine or a cached file. */
  readonly onDefect: (message: string) => void;
}

/**
 * Workers that are started in advance: the first one and a spare, the first one only, or none. The others are started when a job wants
 * them.
 */
export type WarmWorkers = "spare" | "first" | "none";

const SPARE_AFTER_MS = 200;
/** Limits the back-off to about a minute. */
const MAXIMUM_DOUBLINGS = 8;
/** Time limit for a start, and for taking up a job, in the host's own time. A start usually takes a tenth of a second. */
export const START_WITHIN_MS = 10_000;

/**
 * Bytes of dropped images after which a worker is replaced: some hundred edits of a plugin. V8 does not account for shared memory, so an
 * idle worker keeps what it dropped. A host of four workers that only reloads reaches four times this size.
 */
export const WORN_AFTER_BYTES: number = 32 * 1024 * 1024;

/**
 * Memory above which an idle worker is replaced: three freshly started instances. An idle worker never frees the memory that a burst of
 * calls used.
 */
export const LARGE_BYTES: number = 24 * 1024 * 1024;

export class WorkerSet {
  readonly #options: WorkerSetOptions;
  readonly #threads: Set<Thread> = new Set();
  #spare: Thread | undefined;
  #engine: Uint8Array | undefined;
  #module: WebAssembly.Module | undefined;
  #compiling: Promise<void> | undefined;
  #base: BaseImage | undefined;
  #imageFile = "";
  #cancelSpare: (() => void) | undefined;
  /** Number of spares lost in a row. */
  #sparesLost = 0;
  #isHeld = false;
  #closed = false;
  isMetered = false;

  constructor(options: WorkerSetOptions) {
    this.#options = options;
  }

  /** Workers that take jobs. */
  get threads(): ReadonlySet<Thread> {
    return this.#threads;
  }

  /** Workers that take jobs, and the spare. */
  get all(): readonly Thread[] {
    return this.#spare === undefined ? [...this.#threads] : [...this.#threads, this.#spare];
  }

  /** The base image that all plugins are loaded on top of; undefined until it is known. */
  get base(): BaseImage | undefined {
    return this.#base;
  }

  /** Hash of everything that the base image depends on. */
  get baseName(): string {
    return this.#imageFile;
  }

  /** Starts the first worker while the engine is read and compiled, because both take about as long. Without a first worker only reads. */
  async start(): Promise<void> {
    const { launcher, engine: build, warmWorkers, onDefect } = this.#options;
    if (warmWorkers !== "none") this.#threads.add(this.#newThread(true));
    try {
      const engine = await loadEngine(launcher, build, onDefect);
      this.#engine = engine;
      const [file] = await Promise.all([this.#findImage(engine), this.#threads.size > 0 && this.#compile(engine)]);
      this.#imageFile = file;
      this.#bootAll();
    } catch (error) {
      for (const thread of this.#threads) this.letGo(thread);
      throw error;
    }
  }

  async #compile(engine: Uint8Array): Promise<void> {
    const module = await WebAssembly.compile(engine);
    this.isMetered = isRewritten(module);
    this.#module = module;
  }

  /** Boots the workers that were started before the engine was compiled. */
  #bootAll(): void {
    const [module, { parking }] = [this.#module, this.#options];
    if (module !== undefined) for (const thread of this.#threads) thread.boot({ module, base: this.#base, prepareToLoad: true, parking });
  }

  /** Starts a worker if there is none, once the engine is loaded. */
  ensureOne(): void {
    const [engine, { onDefect }] = [this.#engine, this.#options];
    if (this.#closed || this.#threads.size > 0 || engine === undefined) return;
    this.#threads.add(this.#newThread(true));
    if (this.#module !== undefined) return;
    this.#compiling ??= this.#compile(engine).then(() => this.#bootAll());
    this.#compiling.catch((defect: unknown) => onDefect(`Cannot compile the engine: ${String(defect)}`));
  }

  /** Makes the spare take jobs, if it is ready. */
  promote(): Thread | undefined {
    const spare = this.#spare;
    if (spare === undefined && this.#threads.size > 0 && [...this.#threads].every(({ ready }) => ready)) this.#spareSoon();
    if (spare === undefined || !spare.ready) return undefined;
    this.#threads.add(spare);
    this.#spare = undefined;
    if (this.#options.warmWorkers === "spare") this.#ensureSpare();
    return spare;
  }

  /** Ends a worker. */
  letGo(thread: Thread): void {
    const wasSpare = thread === this.#spare;
    if (wasSpare) this.#spare = undefined;
    this.#threads.delete(thread);
    void thread.end();
    if (!wasSpare) return;
    // Waiting calls may depend on a spare, so keep trying, but with back-off in case starts fail.
    this.#sparesLost++;
    this.#spareSoon();
  }

  /** Ends an idle worker above the maximum. Such workers are started for calls that found all others held. */
  letGoSurplus(thread: Thread): void {
    if (thread.jobs.size > 0 || thread.reservedFor !== undefined) return;
    if (this.#shared().length > this.#options.maximumWorkers) this.letGo(thread);
  }

  /** Replaces an idle worker whose engine keeps too much dropped memory. */
  retireWorn(thread: Thread): void {
    if (thread.forgottenBytes < WORN_AFTER_BYTES || thread.jobs.size > 0 || !this.#threads.has(thread)) return;
    if (thread.reservedFor !== undefined || this.promote() !== undefined) this.letGo(thread);
  }

  /**
   * Ends workers that got no job since the last call of this method, except for the one with the least memory. If that one is large, a
   * fresh worker replaces it.
   *
   * @returns true if there may be more workers to end next time
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

  /** Keeps the process alive while a job waits. A busy thread does not do so once its own calls are answered. */
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

  /** Reads the base image of an earlier start, if it exists and is undamaged. */
  async #findImage(engine: Uint8Array): Promise<string> {
    const { launcher, onDefect } = this.#options;
    const name = await imageFileName(engine, launcher.language, launcher.sha256);
    const file = await launcher.readCache(name);
    this.#base = file === undefined ? undefined : await readImageFile(file, launcher.sha256);
    if (file !== undefined && this.#base === undefined) onDefect(`The cached base image ${name} is damaged; making it again`);
    return name;
  }

  async #keepImage(base: BaseImage): Promise<void> {
    this.#base = base;
    await this.#options.launcher.writeCache(this.#imageFile, await writeImageFile(base));
  }

  /** Creates a thread that boots as soon as the engine is loaded. */
  #newThread(isWanted: boolean): Thread {
    const { launcher, parking, onMessage, onReady, onLost, onDefect } = this.#options;
    const thread = new Thread(launcher, isWanted || this.#isHeld, {
      onReady: (_thread, base) => {
        if (this.#base === undefined) {
          this.#keepImage(base).catch((defect: unknown) => onDefect(`Cannot keep the base image: ${String(defect)}`));
        }
        this.#sparesLost = 0;
        if (this.#options.warmWorkers === "spare") this.#spareSoon();
        onReady();
      },
      onMessage: (from, message) => (message.type === "broken" ? onLost(from, message.message) : onMessage(from, message)),
      onExit: onLost,
    });
    const module = this.#module;
    if (module !== undefined) thread.boot({ module, base: this.#base, prepareToLoad: this.#threads.size === 0, parking });
    const isAwaited = (): boolean => !thread.ready && (this.#threads.has(thread) || thread === this.#spare);
    afterUsedTime(launcher, START_WITHIN_MS, isAwaited, () => onLost(thread, `A worker did not start within ${START_WITHIN_MS} ms`));
    return thread;
  }

  /** Delayed, because the first calls of a starting host need the processor more. */
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
