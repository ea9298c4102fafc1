/**
 * The processes of a sandbox: a shared one, one for each plugin that never shares, and a warm spare.
 *
 * A process that ends or stops making progress is killed, and the spare replaces it. The new process loads the plugins from their files:
 * nothing that a process made is passed to another one.
 */

import { Child, type ProcessJob } from "./child.ts";
import { BASE_IMAGE_BYTES } from "./messages.ts";
import { loadWallMs } from "../wire/load-clock.ts";
import { afterUsedTime } from "../pool/used-time.ts";
import type { ProcessConnection, ProcessLauncher } from "./port.ts";
import type { ProcessMessage, ProcessRequest } from "./protocol.ts";

interface ProcessSetOptions {
  readonly launcher: Pick<ProcessLauncher, "now" | "after" | "writeCache">;
  readonly onMessage: (child: Child, message: ProcessMessage) => void;
  /** Called with the jobs that need another process or an answer. `overdue` contains those that exceeded their limit. */
  readonly onLost: (child: Child, why: string, overdue: ReadonlySet<ProcessJob>) => void;
  readonly onDefect: (message: string) => void;
}

/** First frame sent to every process. */
interface BootFrame {
  readonly head: Extract<ProcessRequest, { type: "boot" }>;
  readonly parts: readonly Uint8Array[];
}

const SPARE_AFTER_MS = 200;
/** Ping interval for processes with jobs, in the host's own time, like the limits below. */
const ASK_EVERY_MS = 1_000;
/** A start usually takes half a second. */
const START_WITHIN_MS = 30_000;
/** A running process answers within milliseconds, on a loaded machine within a second or two. */
const ANSWER_WITHIN_MS = 10_000;
/** Time on top of the limits of its jobs, to start workers and process queues. */
const PROGRESS_WITHIN_MS = 15_000;
/** Maximum number of consecutive failed starts. */
const MAXIMUM_FAILED_STARTS = 3;

export class ProcessSet {
  readonly #options: ProcessSetOptions;
  /** Processes by home: a plugin's name, or "" for the shared process. */
  readonly #children: Map<string, Child> = new Map();
  #spare: Child | undefined;
  #startProcess: (() => ProcessConnection) | undefined;
  #boot: BootFrame | undefined;
  #failedStarts = 0;
  #isWatching = false;
  #isSparePlanned = false;
  #closed = false;

  constructor(options: ProcessSetOptions) {
    this.#options = options;
  }

  /** Starts the shared process, now that the boot data is known. */
  open(startProcess: () => ProcessConnection, boot: BootFrame): void {
    if (this.#closed) return;
    this.#startProcess = startProcess;
    this.#boot = boot;
    this.childFor("");
  }

  /** Returns the process of this home and starts it if necessary; undefined once the sandbox is closed. */
  childFor(home: string): Child | undefined {
    if (this.#closed) return undefined;
    const known = this.#children.get(home);
    const child = known ?? this.#takeSpare() ?? this.#newChild(true);
    if (child === undefined) return undefined;
    if (known === undefined) this.#children.set(home, child);
    this.#watch();
    return child;
  }

  /** Drops a plugin that will not be called again. */
  forget(digest: string): void {
    for (const [home, child] of this.#children) {
      child.unload(digest);
      if (home === "" || child.digests.size > 0 || child.jobs.size > 0) continue;
      this.#children.delete(home);
      void child.end();
    }
  }

  endSession(session: string): void {
    for (const child of this.#children.values()) child.send({ type: "endSession", session });
  }

  jobs(): readonly ProcessJob[] {
    return [...this.#children.values()].flatMap((child) => [...child.jobs.values()]);
  }

  /** Ends all processes. Resolves when they have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#children.values(), ...(this.#spare === undefined ? [] : [this.#spare])];
    await Promise.all(all.map((child) => child.end()));
  }

  #takeSpare(): Child | undefined {
    const spare = this.#spare;
    if (spare === undefined || !spare.ready) return undefined;
    this.#spare = undefined;
    this.#spareSoon();
    return spare;
  }

  #newChild(isWanted: boolean): Child | undefined {
    const { launcher } = this.#options;
    const boot = this.#boot;
    if (this.#startProcess === undefined || boot === undefined) return undefined;
    const child = new Child(this.#startProcess(), launcher.now, isWanted, {
      onMessage: (from, message) => this.#receive(from, message),
      onLost: (lost, why, overdue) => this.#lose(lost, why, overdue),
    });
    child.send(boot.head, boot.parts);
    const isAwaited = (): boolean => !child.ready && this.#has(child);
    afterUsedTime(launcher, START_WITHIN_MS, isAwaited, () => {
      child.lose(`The sandbox's process did not start within ${START_WITHIN_MS} ms`);
    });
    return child;
  }

  #has(child: Child): boolean {
    return child === this.#spare || [...this.#children.values()].includes(child);
  }

  #receive(child: Child, message: ProcessMessage): void {
    if (message.type === "base") return this.#keepBase(child, message);
    if (message.type !== "ready") return this.#options.onMessage(child, message);
    this.#failedStarts = 0;
    this.#spareSoon();
  }

  /** Stores a base image from a process that has not received any plugin, and so has only run our own code. */
  #keepBase(child: Child, { name, bytes }: Extract<ProcessMessage, { type: "base" }>): void {
    const boot = this.#boot;
    if (child.hasPlugins || boot?.head.base !== name || boot.parts.length > 1) return;
    if (bytes === undefined || bytes.length > BASE_IMAGE_BYTES) return;
    this.#boot = { head: boot.head, parts: [...boot.parts, bytes] };
    void this.#options.launcher.writeCache(name, bytes);
  }

  /** Delayed, because the first calls of a starting host go first. */
  #spareSoon(): void {
    if (this.#isSparePlanned || this.#spare !== undefined) return;
    this.#isSparePlanned = true;
    this.#options.launcher.after(SPARE_AFTER_MS, () => {
      this.#isSparePlanned = false;
      if (!this.#closed && this.#failedStarts < MAXIMUM_FAILED_STARTS) this.#spare ??= this.#newChild(false);
    });
  }

  #lose(child: Child, why: string, overdue: ReadonlySet<ProcessJob>): void {
    if (this.#closed) return;
    this.#failedStarts = child.ready ? 0 : this.#failedStarts + 1;
    if (child === this.#spare) {
      this.#spare = undefined;
      return this.#options.onDefect(why);
    }
    for (const [home, other] of this.#children) if (other === child) this.#children.delete(home);
    this.#options.onLost(child, why, overdue);
  }

  #watch(): void {
    if (this.#isWatching || this.#closed) return;
    this.#isWatching = true;
    afterUsedTime(
      this.#options.launcher,
      ASK_EVERY_MS,
      () => true,
      () => {
        this.#isWatching = false;
        const busy = [...this.#children.values()].filter(({ jobs }) => jobs.size > 0);
        for (const child of busy) this.#look(child);
        if (busy.length > 0) this.#watch();
      },
    );
  }

  #look(child: Child): void {
    if (child.ready && child.askedInSilence * ASK_EVERY_MS >= ANSWER_WITHIN_MS) {
      return child.lose(`The sandbox's process did not answer for ${ANSWER_WITHIN_MS} ms`);
    }
    // Some job always runs, and none may take longer than this. Time in which the host runs operations does not count.
    const jobs = [...child.jobs.values()];
    const waitsForHost = jobs.some((job) => job.kind === "call" && job.pendingOperations > 0);
    const allowedMs = Math.max(...jobs.map(limitOf)) + PROGRESS_WITHIN_MS;
    if (child.ready && !waitsForHost && child.askedInVain * ASK_EVERY_MS > allowedMs) {
      const now = this.#options.launcher.now();
      const overdue = jobs.filter((job) => now - job.givenAt > limitOf(job) + PROGRESS_WITHIN_MS);
      return child.lose("The sandbox's process finished no call in time", new Set(overdue));
    }
    child.ask();
  }
}

function limitOf(job: ProcessJob): number {
  return job.kind === "call" ? job.invocation.limits.wallMs : loadWallMs(job.source.loadMs);
}
