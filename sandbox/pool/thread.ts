/** One worker as the host sees it: its connection, its status words, and its jobs. */

import type { JsonSchema, Limits } from "../../manifests/mod.ts";
import type { BaseImage } from "../engine/image.ts";
import type { Parking } from "../image/parked.ts";
import { InFlight } from "../wire/in-flight.ts";
import { FULL_BYTES } from "../wire/protocol.ts";
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
  LOGS_HEARD,
  nextNumber,
  offer,
  openControl,
  ASLEEP,
  BELL,
  HELD_KB,
  POSTED,
  TAKEN_KB,
  WAITING,
  type SyncAnswer,
  type WorkerMessage,
  type WorkerRequest,
} from "../wire/protocol.ts";
import type { WorkerConnection, WorkerLauncher } from "../wire/port.ts";
import { SlotReader } from "../wire/slot.ts";
import { StayAwake } from "./stay-awake.ts";
import { type Brought, movedWith, Untaken } from "../wire/untaken.ts";
import { ENVELOPE_MESSAGES, packRequest, unpackMessage } from "../wire/wire.ts";
import type { WasmModule } from "../wasm/api-types.ts";

interface ThreadListener {
  onReady(thread: Thread, base: BaseImage): void;
  onMessage(thread: Thread, message: WorkerMessage): void;
  /** Called when the thread ended by itself, not after `end`. */
  onExit(thread: Thread, reason: string): void;
}

interface ThreadBoot {
  readonly module: WasmModule;
  /** Absent: the worker creates it. */
  readonly base: BaseImage | undefined;
  /** True if plugins will be loaded on this worker, and not only called. */
  readonly prepareToLoad: boolean;
  readonly parking: Parking;
}

/** Data about a plugin's calls that the worker already has, so that it need not be sent again. */
export interface ToldOfPlugin {
  /** Limits of the last call. */
  limits: Limits | undefined;
  /** Output schema of the last call of each export. */
  readonly outputSchemas: Map<string, JsonSchema | undefined>;
}

export function toldNothing(): ToldOfPlugin {
  return { limits: undefined, outputSchemas: new Map() };
}

/** A guest entry that is running on the thread. */
export interface GuestEntry {
  readonly number: number;
  readonly enteredAt: number;
  readonly endBy: number;
  /** Time of the engine's last interrupt poll. */
  readonly lastPoll: number;
}

export class Thread {
  ready = false;
  /** Name of the only plugin that may use this worker; undefined if plugins share it. */
  reservedFor: string | undefined;
  /** True once a plugin was loaded here, so that the compiler is in memory. */
  loads = false;
  /** Called once the thread has ended, with all its work. */
  onGone: (() => void) | undefined;
  /** Bytes of images that the worker has dropped. V8 may keep them for long, because it does not account for shared memory. */
  forgottenBytes = 0;
  /** Hashes of the images that the worker holds, each with the data that was last sent for its calls. */
  readonly images: Map<string, ToldOfPlugin> = new Map();
  /** Jobs assigned to this worker, by number. */
  readonly jobs: InFlight<{ readonly ticket: number; readonly digest: string }> = new InFlight();
  /** Number of jobs per plugin. */
  readonly #plugins: Map<string, number> = new Map();
  #lastTicket = 0;
  /** Value of `#lastTicket` when the thread was last found idle. */
  #ticketAtRest = -1;
  /** Jobs that the host has answered itself, with the host's time. The worker must still report their end. */
  readonly #owed: Map<number, number> = new Map();
  /** Number of unexpected messages since a job was last answered. */
  #strikes = 0;
  readonly #connection: WorkerConnection;
  readonly #awake: StayAwake;
  readonly #untaken: Untaken = new Untaken();
  readonly #slot: SlotReader;
  readonly #control: Control;
  readonly #listener: ThreadListener;
  readonly #later: WorkerLauncher["later"];
  readonly #soon: WorkerLauncher["soon"];
  #outbox: unknown[] = [];
  #moved: ArrayBuffer[] = [];
  #ended = false;
  /** True while a caller waits for the worker to be ready. */
  #isWanted = false;
  /** True while a job waits for space on the worker. */
  #isHeld = false;

  /**
   * Starts a thread. Call `boot` before giving it jobs.
   *
   * @param isWanted true if a caller waits for the thread; otherwise its start does not keep the process alive
   */
  constructor(launcher: WorkerLauncher, isWanted: boolean, listener: ThreadListener) {
    const control = new SharedArrayBuffer(CONTROL_BYTES);
    this.#control = openControl(control);
    this.#listener = listener;
    this.#later = launcher.later;
    this.#soon = launcher.soon;
    this.#connection = launcher.start({ control });
    this.#slot = new SlotReader(this.#control);
    this.#awake = new StayAwake(launcher, () => !this.#ended && this.jobs.size > 0, {
      open: () => this.#slot.open(),
      look: () => {
        this.#slot.waitBriefly();
        this.#look();
      },
      close: () => this.#slot.close(),
    });
    this.#connection.onMessage((envelope) => {
      // The slot holds earlier messages.
      this.#look();
      this.#hear(envelope);
      this.#slot.heard();
    });
    this.#connection.onExit((reason) => {
      if (!this.#ended) listener.onExit(this, reason);
      this.#ended = true;
      this.#untaken.end();
      this.onGone?.();
    });
    this.#isWanted = isWanted;
    this.#keepAlive();
  }

  readonly #look = (): void => {
    const envelope = this.#slot.take();
    if (envelope !== undefined) this.#hear(envelope);
  };

  #hear(envelope: unknown): void {
    this.#awake.heard();
    if (!Array.isArray(envelope) || envelope.length === 0 || envelope.length > ENVELOPE_MESSAGES) return this.unheard();
    try {
      for (const packed of envelope) this.#receive(packed);
    } catch (defect) {
      // A defect of the host. A job may wait for this message forever, so the worker is ended instead of the process.
      this.#listener.onExit(this, `Handling a worker message failed: ${String(defect)}`);
    }
  }

  #receive(packed: unknown): void {
    if (this.#ended) return;
    const message = unpackMessage(packed);
    if (message === undefined || (message.type === "ready" && this.ready)) return this.unheard();
    if (message.type === "logs") Atomics.add(this.#control.words, LOGS_HEARD, 1);
    if (message.type === "taken") return this.#untaken.taken(message.number, message.operation) ? undefined : this.unheard();
    if (message.type !== "ready") return this.#listener.onMessage(this, message);
    this.ready = true;
    this.#isWanted = false;
    this.#keepAlive();
    this.#listener.onReady(this, message.base);
  }

  /** Sends the worker what it needs before its first job. Called once. */
  boot(boot: ThreadBoot): void {
    this.loads = boot.prepareToLoad;
    this.send({ type: "boot", ...boot });
  }

  send(request: WorkerRequest): void {
    if (this.#ended) return;
    this.#outbox.push(packRequest(request));
    const later = this.jobs.size > FEW_JOBS ? this.#soon : this.#later;
    const most = Math.max(AT_LEAST_TOGETHER, this.jobs.size / SHARE_TOGETHER);
    if (later === undefined || this.#outbox.length === ENVELOPE_MESSAGES || this.#outbox.length > most) return this.#flush();
    // Answers that arrive together usually lead to calls that can be sent together.
    if (this.#outbox.length === 1) later(this.#flush);
  }

  readonly #flush = (): void => {
    const envelope = this.#outbox;
    const moved = this.#moved;
    if (this.#ended || envelope.length === 0) return;
    this.#outbox = [];
    this.#moved = [];
    Atomics.add(this.#control.words, POSTED, envelope.length);
    this.#connection.post(envelope, moved);
    this.#ring();
  };

  /** Assigns a job to the worker. */
  give(number: number, digest: string, request: (ticket: number) => WorkerRequest): void {
    const ticket = nextNumber(this.#lastTicket);
    this.#lastTicket = ticket;
    offer(this.#control, ticket);
    this.jobs.set(number, { ticket, digest });
    this.#plugins.set(digest, (this.#plugins.get(digest) ?? 0) + 1);
    if (this.jobs.size <= 1) this.#keepAlive();
    this.send(request(ticket));
    this.#awake.expect();
  }

  /** Takes a job back. True if the worker had not started it, and so never will. */
  takeBack(number: number): boolean {
    const job = this.jobs.get(number);
    return job !== undefined && claim(this.#control, job.ticket);
  }

  /** True once the worker has started the job. */
  hasBegun(number: number): boolean {
    const job = this.jobs.get(number);
    return job !== undefined && !isOffered(this.#control, job.ticket);
  }

  /** Records that a job was answered. */
  settle(number: number): void {
    const job = this.jobs.get(number);
    if (job === undefined) return;
    this.#strikes = 0;
    // A synchronous answer that the call did not wait for stays in the port until the worker reads it.
    this.#untaken.taken(number, 0);
    this.jobs.delete(number);
    const left = (this.#plugins.get(job.digest) ?? 1) - 1;
    if (left > 0) this.#plugins.set(job.digest, left);
    else this.#plugins.delete(job.digest);
    if (this.jobs.size <= 1) this.#keepAlive();
  }

  /** Sets whether jobs wait that have no thread yet. Nothing else keeps the process alive for them. */
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

  /** True if calls of another plugin are on this worker. */
  servesOthers(digest: string): boolean {
    return this.#plugins.size > (this.#plugins.has(digest) ? 1 : 0);
  }

  /** Answers an asynchronous operation. */
  answer(number: number, operation: number, answer: string, brought?: Brought): void {
    this.#bring(number, operation, brought);
    if (brought !== undefined) this.#moved.push(...movedWith(brought));
    this.send({ type: "answer", number, operation, answer, ...(brought && { bytes: brought.bytes }) });
    this.#awake.expect(brought?.bytes.length);
  }

  answerSync(number: number, answer: string, brought?: Brought): void {
    this.#bring(number, 0, brought);
    if (this.#ended) return;
    const said: SyncAnswer = { number, answer, ...(brought && { bytes: brought.bytes }) };
    this.#connection.postSyncAnswer(said, brought === undefined ? [] : movedWith(brought));
    this.#ring();
    this.#awake.expect();
  }

  #bring(number: number, operation: number, brought: Brought | undefined): void {
    if (this.#ended) brought?.taken();
    else if (brought !== undefined) this.#untaken.sent(number, operation, brought);
  }

  /** Wakes the worker if it sleeps on the bell. */
  readonly #ring = (): void => {
    const { words } = this.#control;
    Atomics.add(words, BELL, 1);
    if (Atomics.load(words, ASLEEP) === 1) Atomics.notify(words, BELL);
  };

  /** Number of jobs that do not wait. Reported by the worker, so not trusted. */
  get active(): number {
    return this.jobs.size - Math.max(0, Math.min(Atomics.load(this.#control.words, WAITING), this.jobs.size));
  }

  /** True if the waiting calls hold so much memory that the worker starts no others. Ignored if the worker has started no call. */
  get isFull(): boolean {
    if (Atomics.load(this.#control.words, HELD_KB) * 1024 < FULL_BYTES) return false;
    return this.jobs.keys().some((number) => this.hasBegun(number));
  }

  /** Total memory of the worker's instances so far. Reported by the worker, so not trusted. */
  get takenBytes(): number {
    return Atomics.load(this.#control.words, TAKEN_KB) * 1024;
  }

  /** True if the worker is idle, was idle at the last check, and got no job in between. */
  restsSinceAsked(): boolean {
    const ticket = this.ready && this.jobs.size === 0 ? this.#lastTicket : -1;
    const rests = ticket >= 0 && ticket === this.#ticketAtRest;
    this.#ticketAtRest = ticket;
    return rests;
  }

  /** Records that the host answered a job itself. The worker will still report its end. */
  owe(number: number, since: number): void {
    this.#owed.set(number, since);
  }

  /** @returns true if the worker was still expected to report the end of this job */
  pay(number: number): boolean {
    return this.#owed.delete(number);
  }

  /** True if the worker was told before `time` to end a job and has not reported its end. */
  owesSince(time: number): boolean {
    // Ordered by time, so the first entry is the oldest.
    for (const since of this.#owed.values()) return since < time;
    return false;
  }

  /**
   * Counts a message that an honest worker does not send, or sent too late. A few are ignored. A worker that continues would keep the
   * host busy, so it is ended.
   */
  unheard(): void {
    this.#strikes++;
    if (this.#strikes === MAXIMUM_STRIKES) this.#listener.onExit(this, "The worker sent too many unexpected messages");
  }

  /** True if the worker claims to run a guest that it was never given. */
  get isLying(): boolean {
    const number = Atomics.load(this.#control.words, CURRENT);
    return number !== 0 && !this.hasBegun(number) && !this.#owed.has(number);
  }

  /** Requests an end at the next interrupt poll, or while the guest waits for a synchronous answer. */
  interrupt(number: number): void {
    Atomics.store(this.#control.words, CANCEL, number);
    this.#ring();
  }

  /** The running guest entry, if any. Readable whatever the thread is doing. */
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

  /** Hash of the plugin whose guest is running. */
  get runs(): string | undefined {
    return this.jobs.get(Atomics.load(this.#control.words, CURRENT))?.digest;
  }

  /** Ends the thread, even while it runs code. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#untaken.end();
    await this.#connection.terminate();
    this.onGone?.();
  }
}

/**
 * Number of jobs above which requests of one turn of the event loop are collected and sent together. The worker is busy meanwhile, and is
 * woken only once.
 */
const FEW_JOBS = 4;
/** At most an eighth of the pending jobs is collected. Otherwise both threads would alternate in waiting for each other. */
const SHARE_TOGETHER = 8;
const AT_LEAST_TOGETHER = 4;

/** An honest worker may send a few log lines late, for a call that the host has answered itself. */
const MAXIMUM_STRIKES = 4_096;
