/** One call's own time and randomness, where they are not the machine's (SPEC B6), and the tape that is kept of them (B8). */

import type { Fault } from "../fault.ts";
import type { LocalAnswer, LocalEnvironment } from "../operations/local-answer.ts";
import { seededRandom } from "./seeded-random.ts";
import { ABORT, type CallWorld, type CryptoAnswer, type KeptTape, sizeOf, type Tape, TAPE_BOUNDS, TIMERS } from "./tape.ts";
import { AskedOrder } from "./asked-order.ts";
import type { EntryOrder } from "./entry-order.ts";
import { DIFFERS, TapeOrder } from "./tape-order.ts";
import type { SubtleCall } from "../operations/subtle-calls.ts";
import { keepingSubtle, tapeSubtle } from "./tape-subtle.ts";
import { fixedClock, type RecordingClock, recordingClock, tapeClock, type WorldClock } from "./world-clock.ts";

/** What it needs of the worker. */
export interface WorldEnvironment {
  readonly local: LocalEnvironment;
  now(): number;
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
}

/** Opens the world of one call; undefined if that is the machine's. */
export function openWorld(wanted: CallWorld | undefined, env: WorldEnvironment): World | undefined {
  return wanted === undefined ? undefined : new World(wanted, env);
}

export class World {
  readonly local: LocalEnvironment;
  /** True if randomness comes from a seed. */
  readonly isSeeded: boolean;
  /** Undefined where what enters the guest enters as it comes. */
  readonly order: EntryOrder | undefined;
  readonly #clock: WorldClock | undefined;
  readonly #recordingClock: RecordingClock | undefined;
  readonly #epoch: () => number;
  readonly #tape: Tape | undefined;
  readonly #keeps: boolean;
  readonly #after: WorldEnvironment["after"];
  readonly #entries: number[] = [];
  readonly #crypto: CryptoAnswer[] = [];
  /** The numbers of asynchronous operations that are under way, by the guest's own ids. */
  readonly #numbers: Map<number, number> = new Map();
  #asked = 0;
  #cryptoBytes = 0;
  #isTooLong = false;
  #stop: Tape["stop"];
  /** True once the call has done otherwise than its tape. */
  differs = false;

  constructor({ seed, timeMs, keepsTape = false, tape }: CallWorld, env: WorldEnvironment) {
    this.#tape = tape;
    this.#keeps = keepsTape;
    this.#epoch = env.epoch;
    this.#after = env.after;
    this.isSeeded = seed !== undefined;
    this.order = tape !== undefined ? new TapeOrder(tape) : timeMs !== undefined ? new AskedOrder() : undefined;
    if (timeMs !== undefined) this.#clock = fixedClock(timeMs);
    else if (tape !== undefined) this.#clock = tapeClock(tape, () => (this.differs = true));
    else if (keepsTape) this.#clock = this.#recordingClock = recordingClock(env.epoch(), env.now);
    const { local } = env;
    const clock = this.#clock;
    this.local = {
      ...local,
      ...(clock !== undefined && { monotonicMs: () => clock.look() }),
      ...(seed !== undefined && local.hash !== undefined && { randomBytes: seededRandom(seed, local.hash) }),
    };
  }

  /** Milliseconds since the epoch: whole ones, as `Date` has them. */
  epoch(): number {
    return this.#clock === undefined ? this.#epoch() : this.#clock.startMs + Math.floor(this.#clock.look());
  }

  /** An asynchronous operation begins. */
  asked(id: number): void {
    const number = this.#asked++;
    this.#numbers.set(id, number);
    this.order?.asked(number, id);
  }

  /** The clock of timers moves on before they run. */
  timersEnter(waitedMs: number): void {
    this.#clock?.waited(waitedMs);
    this.#enter(TIMERS);
  }

  abortEnters(): void {
    this.#enter(ABORT);
  }

  answerEnters(id: number): void {
    this.#clock?.answered();
    const number = this.#numbers.get(id);
    this.#numbers.delete(id);
    if (number !== undefined) this.#enter(number);
  }

  /** The call's share of cryptography, made when it first asks for any. */
  openSubtle(open: () => SubtleCall): SubtleCall {
    if (this.#tape !== undefined) return tapeSubtle(this.#tape.crypto, (task) => void this.#after(0, task));
    return this.#keeps ? keepingSubtle(open(), (operation, answer) => this.#keepCrypto(operation, answer)) : open();
  }

  /** Why the call must stop now: what its own clock says, or where the tape's call was stopped. */
  check(fault: Fault | undefined, fuel: number): Fault | undefined {
    if (this.differs) return DIFFERS;
    const stop = this.#tape?.stop;
    if (stop !== undefined && fuel > 0 && fuel >= stop.fuel) return stop.fault;
    if (fault !== undefined) this.stopped(fault, fuel);
    return fault;
  }

  /** The clock or a cancellation ends the call, if that is what the fault says. */
  stopped(fault: Fault, fuel: number): void {
    if (fault.kind === "timeout" || fault.kind === "cancelled") this.#stop ??= { fuel, fault };
  }

  /** Undefined if none is kept. */
  get tape(): KeptTape | undefined {
    if (!this.#keeps) return undefined;
    const looks = this.#recordingClock === undefined ? [] : this.#recordingClock.looks;
    if (this.#isTooLong || looks === undefined || this.#clock === undefined) return "too_long";
    const { startMs } = this.#clock;
    return { startMs, looks, entries: this.#entries, crypto: this.#crypto, ...(this.#stop !== undefined && { stop: this.#stop }) };
  }

  #keepCrypto(operation: number, { answer, bytes }: LocalAnswer): void {
    if (this.#isTooLong) return;
    const kept = { operation, answer, ...(bytes !== undefined && { bytes }) };
    this.#cryptoBytes += sizeOf(kept);
    if (this.#cryptoBytes > TAPE_BOUNDS.cryptoBytes) this.#isTooLong = true;
    else this.#crypto.push(kept);
  }

  #enter(entry: number): void {
    if (!this.#keeps) return;
    if (this.#entries.length < TAPE_BOUNDS.entries) this.#entries.push(entry);
    else this.#isTooLong = true;
  }
}
