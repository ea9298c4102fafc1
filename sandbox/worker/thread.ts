/** One worker as the host sees it: its connection, its status words, and the jobs given to it. */

import type { Image } from "../image.ts";
import {
  CANCEL,
  claim,
  CONTROL_BYTES,
  type Control,
  CURRENT,
  END_BY,
  ENTERED_AT,
  isOffered,
  LAST_POLL,
  offer,
  openControl,
  SYNC_ANSWERS,
  type SyncAnswer,
  type WorkerMessage,
  type WorkerRequest,
} from "./protocol.ts";
import type { WorkerConnection, WorkerLauncher } from "./port.ts";

export interface ThreadListener {
  onReady(thread: Thread, base: Image): void;
  onMessage(thread: Thread, message: WorkerMessage): void;
  /** The thread ended by itself. Not called after `end`. */
  onExit(thread: Thread, reason: string): void;
}

export interface ThreadBoot {
  /** Undefined: the worker makes it. */
  readonly base: Image | undefined;
  /** Whether plugins will be loaded here rather than called only. */
  readonly prepareToLoad: boolean;
  /** Whether somebody waits for it: a start that nobody waits for keeps no process alive. */
  readonly isWanted: boolean;
}

/** A guest entry that is under way on the thread. */
export interface GuestEntry {
  readonly number: number;
  readonly enteredAt: number;
  readonly endBy: number;
  /** When the engine last asked whether to go on. */
  readonly lastPoll: number;
}

export class Thread {
  ready = false;
  /** Name of the one plugin that may use this worker; undefined: they share it. */
  reservedFor: string | undefined;
  /** Digests whose image the worker holds. */
  readonly images: Set<string> = new Set();
  /** Jobs given to this worker, by number. */
  readonly jobs: Map<number, { readonly ticket: number; readonly digest: string }> = new Map();
  /** How many of them belong to each plugin. */
  readonly #plugins: Map<string, number> = new Map();
  #lastTicket = 0;
  readonly #connection: WorkerConnection;
  readonly #control: Control;
  #ended = false;
  /** Somebody waits for it to be ready. */
  #isWanted = false;
  /** Somebody waits for a place on it. */
  #isHeld = false;

  constructor(launcher: WorkerLauncher, module: WebAssembly.Module, boot: ThreadBoot, listener: ThreadListener) {
    const control = new SharedArrayBuffer(CONTROL_BYTES);
    this.#control = openControl(control);
    this.#connection = launcher.start({ module, control });
    this.#connection.onMessage((raw) => {
      if (this.#ended || !isWorkerMessage(raw)) return;
      if (raw.type !== "ready") return listener.onMessage(this, raw);
      this.ready = true;
      this.#isWanted = false;
      this.#keepAlive();
      listener.onReady(this, raw.base);
    });
    this.#connection.onExit((reason) => {
      if (!this.#ended) listener.onExit(this, reason);
      this.#ended = true;
    });
    this.#isWanted = boot.isWanted;
    this.#keepAlive();
    this.send({ type: "boot", base: boot.base, prepareToLoad: boot.prepareToLoad });
  }

  send(request: WorkerRequest): void {
    if (!this.#ended) this.#connection.post(request);
  }

  /** Gives a job to the worker. */
  give(number: number, digest: string, request: (ticket: number) => WorkerRequest): void {
    const ticket = ++this.#lastTicket;
    offer(this.#control, ticket);
    this.jobs.set(number, { ticket, digest });
    this.#plugins.set(digest, (this.#plugins.get(digest) ?? 0) + 1);
    this.#keepAlive();
    this.send(request(ticket));
  }

  /** True if the worker had not begun the job yet; it never will then. */
  takeBack(number: number): boolean {
    const job = this.jobs.get(number);
    return job !== undefined && claim(this.#control, job.ticket);
  }

  /** True once the worker took the job up. */
  hasBegun(number: number): boolean {
    const job = this.jobs.get(number);
    return job !== undefined && !isOffered(this.#control, job.ticket);
  }

  /** The job is answered. */
  settle(number: number): void {
    const job = this.jobs.get(number);
    if (job === undefined) return;
    this.jobs.delete(number);
    const left = (this.#plugins.get(job.digest) ?? 1) - 1;
    if (left > 0) this.#plugins.set(job.digest, left);
    else this.#plugins.delete(job.digest);
    if (this.jobs.size === 0) this.#keepAlive();
  }

  /** Whether jobs wait that have no thread yet: nothing else would keep the process alive for them. */
  hold(on: boolean): void {
    this.#isHeld = on;
    this.#keepAlive();
  }

  #keepAlive(): void {
    if (!this.#ended) this.#connection.keepAlive(this.#isWanted || this.#isHeld || this.jobs.size > 0);
  }

  serves(digest: string): boolean {
    return this.#plugins.has(digest);
  }

  /** True if calls of another plugin are here. */
  servesOthers(digest: string): boolean {
    return this.#plugins.size > (this.#plugins.has(digest) ? 1 : 0);
  }

  answerSync(answer: SyncAnswer): void {
    if (this.#ended) return;
    this.#connection.postSyncAnswer(answer);
    Atomics.add(this.#control.words, SYNC_ANSWERS, 1);
    Atomics.notify(this.#control.words, SYNC_ANSWERS);
  }

  /** Asks for an end at the next interrupt poll, or while the guest waits for a synchronous answer. */
  interrupt(number: number): void {
    Atomics.store(this.#control.words, CANCEL, number);
    Atomics.add(this.#control.words, SYNC_ANSWERS, 1);
    Atomics.notify(this.#control.words, SYNC_ANSWERS);
  }

  /** The guest entry under way, if any, whatever the thread is doing. */
  get entry(): GuestEntry | undefined {
    const number = Atomics.load(this.#control.words, CURRENT);
    if (number === 0) return undefined;
    return {
      number,
      enteredAt: this.#control.times[ENTERED_AT] ?? 0,
      endBy: this.#control.times[END_BY] ?? 0,
      lastPoll: this.#control.times[LAST_POLL] ?? 0,
    };
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#connection.terminate();
  }
}

const MESSAGE_TYPES: ReadonlySet<unknown> = new Set(["ready", "broken", "loaded", "refused", "operation", "logs", "done", "failed"]);

/** A worker that lost control of itself may say anything: the shape is checked before the words are read. */
function isWorkerMessage(raw: unknown): raw is WorkerMessage {
  if (typeof raw !== "object" || raw === null) return false;
  const field = (name: string): unknown => Reflect.get(raw, name);
  const type = field("type");
  if (!MESSAGE_TYPES.has(type)) return false;
  if (type === "ready") return typeof field("base") === "object";
  if (type === "broken") return typeof field("message") === "string";
  if (typeof field("number") !== "number") return false;
  if (type === "operation") {
    const bytes = field("bytes");
    return (
      typeof field("operation") === "number" &&
      typeof field("name") === "string" &&
      typeof field("text") === "string" &&
      (bytes === undefined || bytes instanceof Uint8Array)
    );
  }
  if (type === "loaded") return typeof field("image") === "object" && field("image") !== null;
  if (type === "logs") return isLines(field("lines"));
  if (type === "refused") return isFault(field("fault"));
  if (!isUsed(field("used")) || !isLines(field("lines"))) return false;
  if (type !== "done") return isFault(field("fault"));
  const state = field("state");
  return typeof field("output") === "string" && (state === undefined || (typeof state === "object" && state !== null));
}

function isFault(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "kind") === "string";
}

function isUsed(value: unknown): boolean {
  return typeof value === "object" && value !== null && USED_FIELDS.every((name) => typeof Reflect.get(value, name) === "number");
}

function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every((line) => Array.isArray(line) && LEVELS.has(line[0]) && typeof line[1] === "string");
}

const USED_FIELDS = ["wallMs", "cpuMs", "memoryBytes", "outputBytes", "logBytes", "operations", "fuel"];
const LEVELS: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);
