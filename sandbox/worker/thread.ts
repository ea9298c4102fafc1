/** One worker as the host sees it: its connection, its status words, and the jobs given to it. */

import type { JsonSchema, Limits } from "../../manifests/mod.ts";
import type { BaseImage } from "../image/image.ts";
import type { Parking } from "../image/parked.ts";
import { InFlight } from "../pool/in-flight.ts";
import { FULL_BYTES } from "./held.ts";
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
} from "./protocol.ts";
import type { WorkerConnection, WorkerLauncher } from "./port.ts";
import { SlotReader } from "./slot.ts";
import { StayAwake } from "./stay-awake.ts";
import { type Brought, movedWith, Untaken } from "./untaken.ts";
import { ENVELOPE_MESSAGES, packRequest, unpackMessage } from "./wire.ts";
import type { WasmModule } from "../wasm/api-types.ts";

export interface ThreadListener {
  onReady(thread: Thread, base: BaseImage): void;
  onMessage(thread: Thread, message: WorkerMessage): void;
  /** The thread ended by itself. Not called after `end`. */
  onExit(thread: Thread, reason: string): void;
}

export interface ThreadBoot {
  readonly module: WasmModule;
  /** Undefined: the worker makes it. */
  readonly base: BaseImage | undefined;
  /** Whether plugins will be loaded here rather than called only. */
  readonly prepareToLoad: boolean;
  readonly parking: Parking;
}

/** What a worker knows of a plugin's calls, which are not told it again. */
export interface ToldOfPlugin {
  /** Of the last call. */
  limits: Limits | undefined;
  /** Of the last call of each export. */
  readonly outputSchemas: Map<string, JsonSchema | undefined>;
}

export function toldNothing(): ToldOfPlugin {
  return { limits: undefined, outputSchemas: new Map() };
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
  /** True once plugins are loaded here: what that needs is in memory. */
  loads = false;
  /** Called once the thread is over, with all that it had under way. */
  onGone: (() => void) | undefined;
  /** Of images that the worker held and forgot: its engine may keep them for very long, shared memory does not press it. */
  forgottenBytes = 0;
  /** Digests whose image the worker holds, each with what it was told by the last calls. */
  readonly images: Map<string, ToldOfPlugin> = new Map();
  /** Jobs given to this worker, by number. */
  readonly jobs: InFlight<{ readonly ticket: number; readonly digest: string }> = new InFlight();
  /** How many of them belong to each plugin. */
  readonly #plugins: Map<string, number> = new Map();
  #lastTicket = 0;
  /** That of when it was last found with nothing to do. */
  #ticketAtRest = -1;
  /** Jobs that the host answered for, and when, in its own time: the worker still has to say that it is done with them. */
  readonly #owed: Map<number, number> = new Map();
  /** What it said out of turn since a job was last answered. */
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
  /** Somebody waits for it to be ready. */
  #isWanted = false;
  /** Somebody waits for a place on it. */
  #isHeld = false;

  /**
   * Starts a thread, which is of use after `boot`.
   *
   * @param isWanted whether somebody waits for it: a start that nobody waits for keeps no process alive
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
      // What was said before.
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
      // A defect of the host's: what waits for this message would wait for ever, and the process is not to end by it.
      this.#listener.onExit(this, `A message of a worker could not be dealt with: ${String(defect)}`);
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

  /** What the worker needs before its first job. Once. */
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
    // Answers that came together mostly lead to calls that can go together.
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

  /** Gives a job to the worker. */
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
    this.#strikes = 0;
    // A synchronous answer that the call did not wait for stays where it is until the worker looks there again.
    this.#untaken.taken(number, 0);
    this.jobs.delete(number);
    const left = (this.#plugins.get(job.digest) ?? 1) - 1;
    if (left > 0) this.#plugins.set(job.digest, left);
    else this.#plugins.delete(job.digest);
    if (this.jobs.size <= 1) this.#keepAlive();
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

  /** Jobs that do not wait for anything in the worker, as far as that is to be believed. */
  get active(): number {
    return this.jobs.size - Math.max(0, Math.min(Atomics.load(this.#control.words, WAITING), this.jobs.size));
  }

  /** The calls that wait here hold so much that the worker begins no other. Where it has begun none, it has nothing to hold. */
  get isFull(): boolean {
    if (Atomics.load(this.#control.words, HELD_KB) * 1024 < FULL_BYTES) return false;
    return this.jobs.keys().some((number) => this.hasBegun(number));
  }

  /** What its instances have taken so far, as far as that is to be believed. */
  get takenBytes(): number {
    return Atomics.load(this.#control.words, TAKEN_KB) * 1024;
  }

  /** True if it has nothing to do, had nothing when this was last asked, and was given nothing since. */
  restsSinceAsked(): boolean {
    const ticket = this.ready && this.jobs.size === 0 ? this.#lastTicket : -1;
    const rests = ticket >= 0 && ticket === this.#ticketAtRest;
    this.#ticketAtRest = ticket;
    return rests;
  }

  /** The host answered for a job that the worker has: it will say at last that it is done with it. */
  owe(number: number, since: number): void {
    this.#owed.set(number, since);
  }

  /** @returns whether the worker is done now with a job that the host answered for. */
  pay(number: number): boolean {
    return this.#owed.delete(number);
  }

  /** True if the worker was told to end a job so long ago and has not said that it did. */
  owesSince(time: number): boolean {
    // In the order of their times.
    for (const since of this.#owed.values()) return since < time;
    return false;
  }

  /** The worker said what no honest one says, or too late. Some is passed over; who goes on would keep the host busy, and is ended. */
  unheard(): void {
    this.#strikes++;
    if (this.#strikes === MAXIMUM_STRIKES) this.#listener.onExit(this, "A worker said too much that answers nothing");
  }

  /** True if the worker says that it runs a guest it was never given. */
  get isLying(): boolean {
    const number = Atomics.load(this.#control.words, CURRENT);
    return number !== 0 && !this.hasBegun(number) && !this.#owed.has(number);
  }

  /** Asks for an end at the next interrupt poll, or while the guest waits for a synchronous answer. */
  interrupt(number: number): void {
    Atomics.store(this.#control.words, CANCEL, number);
    this.#ring();
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

  /** Digest of the plugin whose guest is under way. */
  get runs(): string | undefined {
    return this.jobs.get(Atomics.load(this.#control.words, CURRENT))?.digest;
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#untaken.end();
    await this.#connection.terminate();
    this.onGone?.();
  }
}

/** With more under way, the worker has something to do while what is said in one turn of the event loop gathers, and is woken once for it. */
const FEW_JOBS = 4;
/** No more than an eighth of what is under way gathers, or both threads would wait for each other in turn. */
const SHARE_TOGETHER = 8;
const AT_LEAST_TOGETHER = 4;

/** An honest worker may be a few log lines late, for a call that the host has answered for. */
const MAXIMUM_STRIKES = 4_096;
