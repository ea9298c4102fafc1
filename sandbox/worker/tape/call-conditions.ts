/** A call's own time and randomness, if they are not the machine's (SPEC B6), and its recording (B8). */

import type { Fault } from "../../wire/fault.ts";
import type { LocalAnswer, LocalEnvironment } from "../operations/local-answer.ts";
import { seededRandom } from "./seeded-random.ts";
import { ABORT, type CallConditions, type CryptoAnswer, type KeptTape, sizeOf, type Tape, TAPE_BOUNDS, TIMERS } from "../../wire/tape.ts";
import { AskedOrder } from "./asked-order.ts";
import type { EntryOrder } from "./entry-order.ts";
import { DIFFERS, TapeOrder } from "./tape-order.ts";
import type { SubtleCall } from "../operations/subtle-calls.ts";
import { keepingSubtle, tapeSubtle } from "./tape-subtle.ts";
import { fixedClock, type RecordingClock, recordingClock, tapeClock, type ConditionsClock } from "./conditions-clock.ts";

/** The parts of the worker that it needs. */
interface ConditionsEnvironment {
  readonly local: LocalEnvironment;
  now(): number;
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
}

/** Creates the time and randomness of one call; undefined if they are the machine's. */
export function openConditions(wanted: CallConditions | undefined, env: ConditionsEnvironment): OpenConditions | undefined {
  return wanted === undefined ? undefined : new OpenConditions(wanted, env);
}

export class OpenConditions {
  readonly local: LocalEnvironment;
  /** True if randomness comes from a seed. */
  readonly isSeeded: boolean;
  /** Order of entries. Undefined if answers and timers enter the guest as they arrive. */
  readonly order: EntryOrder | undefined;
  readonly #clock: ConditionsClock | undefined;
  readonly #recordingClock: RecordingClock | undefined;
  readonly #epoch: () => number;
  readonly #tape: Tape | undefined;
  readonly #keeps: boolean;
  readonly #after: ConditionsEnvironment["after"];
  readonly #entries: number[] = [];
  readonly #crypto: CryptoAnswer[] = [];
  readonly #now: () => number;
  readonly #begunAt: number;
  /** As `Tape.times`; undefined if there are too many. */
  #times: number[] | undefined = [];
  /** Index of the entry in `#times`, by the guest's ids of unanswered operations. */
  readonly #sent: Map<number, number> = new Map();
  /** True if observations are requested. */
  readonly observes: boolean;
  /** Numbers of pending asynchronous operations, by the guest's ids. */
  readonly #numbers: Map<number, number> = new Map();
  #asked = 0;
  #cryptoBytes = 0;
  #isTooLong = false;
  #stop: Tape["stop"];
  /** True once the call has diverged from its recording. */
  differs = false;

  constructor({ seed, timeMs, keepsTape = false, tape, observes = false }: CallConditions, env: ConditionsEnvironment) {
    this.observes = observes;
    this.#now = env.now;
    this.#begunAt = env.now();
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

  /** Milliseconds since the epoch, rounded down as in `Date`. */
  epoch(): number {
    return this.#clock === undefined ? this.#epoch() : this.#clock.startMs + Math.floor(this.#clock.look());
  }

  /** Records the start of an asynchronous operation. */
  asked(id: number): void {
    const number = this.#asked++;
    this.#numbers.set(id, number);
    this.order?.asked(number, id);
  }

  /** Records that an operation is sent to the host. */
  sent(id: number): void {
    if (!this.#keeps || this.#times === undefined) return;
    if (this.#times.length + 2 > TAPE_BOUNDS.times) return void (this.#times = undefined);
    this.#sent.set(id, this.#times.length + 1);
    this.#times.push(this.#moment(), -1);
  }

  /** Records that the host's answer to an operation enters the guest. */
  received(id: number): void {
    const index = this.#sent.get(id);
    if (index === undefined) return;
    this.#sent.delete(id);
    if (this.#times !== undefined) this.#times[index] = this.#moment();
  }

  /** Milliseconds since the call's start, to a hundredth. */
  #moment(): number {
    return Math.round((this.#now() - this.#begunAt) * 100) / 100;
  }

  /** Records that timers run, and first advances the clock by the wait. */
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

  /** Opens the call's cryptography session on first use. */
  openSubtle(open: () => SubtleCall): SubtleCall {
    if (this.#tape !== undefined) return tapeSubtle(this.#tape.crypto, (task) => void this.#after(0, task));
    return this.#keeps ? keepingSubtle(open(), (operation, answer) => this.#keepCrypto(operation, answer)) : open();
  }

  /** Returns the fault that must stop the call now: of its own clock, or where the recorded call was stopped. */
  check(fault: Fault | undefined, fuel: number): Fault | undefined {
    if (this.differs) return DIFFERS;
    const stop = this.#tape?.stop;
    if (stop !== undefined && fuel > 0 && fuel >= stop.fuel) return stop.fault;
    if (fault !== undefined) this.stopped(fault, fuel);
    return fault;
  }

  /** Records the end of the call if the fault is a timeout or a cancellation. */
  stopped(fault: Fault, fuel: number): void {
    if (fault.kind === "timeout" || fault.kind === "cancelled") this.#stop ??= { fuel, fault };
  }

  /** The recording; undefined if none was requested. */
  get tape(): KeptTape | undefined {
    if (!this.#keeps) return undefined;
    const looks = this.#recordingClock === undefined ? [] : this.#recordingClock.looks;
    if (this.#isTooLong || looks === undefined || this.#clock === undefined) return "too_long";
    const { startMs } = this.#clock;
    return {
      startMs,
      looks,
      entries: this.#entries,
      crypto: this.#crypto,
      ...(this.#times && { times: this.#times }),
      ...(this.#stop !== undefined && { stop: this.#stop }),
    };
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
