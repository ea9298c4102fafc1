/**
 * Measures a call's wall and CPU time while the guest runs, and publishes it in the worker's status words, where the host's watchdog can
 * read it at any time.
 */

import { loadWallMs } from "../../wire/load-clock.ts";
import type { Limits } from "../../../manifests/mod.ts";
import type { Fault } from "../../wire/fault.ts";
import type { ClockState } from "../../wire/resting-call.ts";
import { CANCEL, type Control, CURRENT, END_BY, ENTERED_AT, LAST_POLL } from "../../wire/protocol.ts";

export interface ClockEnvironment {
  readonly control: Control;
  /** Milliseconds, comparable across threads. */
  now(): number;
  /** CPU milliseconds that this thread has used; undefined if the runtime cannot measure them. */
  threadCpuMs(): number | undefined;
}

type TimeLimits = Pick<Limits, "wallMs" | "cpuMs">;

export class CallClock {
  /** Time at which the call's wall time ends. Infinity while the call waits for a confirmation. */
  wallEnd: number;
  readonly #number: number;
  readonly #limits: TimeLimits;
  readonly #env: ClockEnvironment;
  readonly #startedAt: number;
  #cpuMs = 0;
  #enteredAt = 0;
  /** Milliseconds since the guest was entered that do not count as its CPU time: waits for the host or for a processor. */
  #notOwnMs = 0;
  /** Pending confirmations, and the wall time that was left when the first of them was requested. */
  #questions = 0;
  #leftMs = 0;
  #askedAt = 0;
  /** Milliseconds spent waiting for confirmations that have been answered. */
  #stoodMs = 0;
  /** Thread CPU time at the first poll since the guest was entered. Undefined before that: short entries end without a poll. */
  #cpuAtFirstPoll: number | undefined;
  #firstPollAt = 0;
  #lastPollAt = 0;
  /** Milliseconds since the first poll that the thread waited for the host inside guest code. */
  #waitedMs = 0;
  /**
   * Time between the first and last poll of earlier entries, minus the thread CPU time used: time in which other threads had the
   * processor.
   */
  #heldUpMs = 0;
  /** Part of `#heldUpMs` that was credited to the call. */
  #givenBackMs = 0;

  /** @param from clock state of a call that began in another worker */
  constructor(number: number, limits: TimeLimits, env: ClockEnvironment, from?: ClockState) {
    this.#number = number;
    this.#limits = limits;
    this.#env = env;
    this.#startedAt = from?.startedAt ?? env.now();
    this.wallEnd = from?.wallEnd ?? this.#startedAt + limits.wallMs;
    if (from === undefined) return;
    this.#cpuMs = from.cpuMs;
    this.#questions = from.questions;
    this.#leftMs = from.leftMs;
    this.#askedAt = from.askedAt;
    this.#stoodMs = from.stoodMs;
    this.#heldUpMs = from.heldUpMs;
    this.#givenBackMs = from.givenBackMs;
  }

  /** Clock state between two entries of the guest. */
  get state(): ClockState {
    return {
      startedAt: this.#startedAt,
      wallEnd: this.wallEnd,
      cpuMs: this.#cpuMs,
      questions: this.#questions,
      leftMs: this.#leftMs,
      askedAt: this.#askedAt,
      stoodMs: this.#stoodMs,
      heldUpMs: this.#heldUpMs,
      givenBackMs: this.#givenBackMs,
    };
  }

  /** Wall milliseconds used, without the time spent waiting for confirmations. */
  get wallMs(): number {
    const now = this.#env.now();
    return now - this.#startedAt - this.#stoodMs - (this.#questions > 0 ? now - this.#askedAt : 0);
  }

  get cpuMs(): number {
    return this.#cpuMs;
  }

  get wallFault(): Fault {
    return { kind: "timeout", limit: "wall", limitMs: this.#limits.wallMs };
  }

  get #cpuFault(): Fault {
    return { kind: "timeout", limit: "cpu", limitMs: this.#limits.cpuMs };
  }

  /** Time of the engine's last interrupt poll. */
  get lastPollAt(): number {
    return this.#lastPollAt;
  }

  /** Starts the clock when guest code begins or resumes. @returns the time */
  enter(): number {
    const { control } = this.#env;
    this.#enteredAt = this.#env.now();
    this.#notOwnMs = 0;
    this.#cpuAtFirstPoll = undefined;
    control.times[ENTERED_AT] = this.#enteredAt;
    control.times[LAST_POLL] = this.#enteredAt;
    control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    Atomics.store(control.words, CURRENT, this.#number);
    return this.#enteredAt;
  }

  /** Stops the clock when guest code returns or is suspended. */
  leave(): void {
    Atomics.store(this.#env.control.words, CURRENT, 0);
    this.#cpuMs += this.#env.now() - this.#enteredAt - this.#notOwnMs;
    if (this.#cpuAtFirstPoll !== undefined) this.#heldUpMs += this.#heldUpNow(this.#lastPollAt);
  }

  /** Runs a wait for the host inside guest code. Only the wall limit can end the wait. */
  waiting<T>(wait: () => T): T {
    const { control } = this.#env;
    const began = this.#env.now();
    control.times[END_BY] = this.wallEnd;
    const result = wait();
    const waitedMs = this.#env.now() - began;
    this.#notOwnMs += waitedMs;
    this.#waitedMs += waitedMs;
    control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    return result;
  }

  /** Stops the wall clock while the call waits for a confirmation (SPEC E7). Called while the guest is entered. */
  pause(): void {
    if (this.#questions++ > 0) return;
    this.#askedAt = this.#env.now();
    this.#leftMs = this.wallEnd - this.#askedAt;
    this.#endAt(Infinity);
  }

  /** Restarts the wall clock when the answer to the confirmation enters the guest. */
  resume(): void {
    if (--this.#questions > 0) return;
    const now = this.#env.now();
    this.#stoodMs += now - this.#askedAt;
    this.#endAt(now + this.#leftMs);
  }

  #endAt(wallEnd: number): void {
    this.wallEnd = wallEnd;
    this.#env.control.times[END_BY] = Math.min(wallEnd, this.#cpuEnd);
  }

  /** Adds the time that other threads worked for the call to its CPU time. Called between two entries of the guest. */
  charge(elapsedMs: number): Fault | undefined {
    this.#cpuMs += elapsedMs;
    return this.#cpuMs > this.#limits.cpuMs ? this.#cpuFault : undefined;
  }

  /** Returns the fault that must stop the call, if any. Cheap, because the engine polls it. */
  check(): Fault | undefined {
    const { control } = this.#env;
    const now = this.#env.now();
    control.times[LAST_POLL] = now;
    this.#lastPollAt = now;
    if (this.#cpuAtFirstPoll === undefined) {
      this.#cpuAtFirstPoll = this.#env.threadCpuMs();
      this.#firstPollAt = now;
      this.#waitedMs = 0;
    }
    if (now >= this.wallEnd) return this.wallFault;
    if (now >= this.#cpuEnd && !this.#wasHeldUp(now)) return this.#cpuFault;
    return Atomics.load(control.words, CANCEL) === this.#number ? { kind: "cancelled" } : undefined;
  }

  get #cpuEnd(): number {
    return this.#enteredAt + this.#notOwnMs + this.#limits.cpuMs - this.#cpuMs;
  }

  /** Credits the call with the time its thread waited for a processor on a loaded machine. */
  #wasHeldUp(now: number): boolean {
    const held = this.#heldUpMs + this.#heldUpNow(now) - this.#givenBackMs - CPU_CLOCK_STEP_MS;
    if (held <= 0) return false;
    this.#givenBackMs += held;
    this.#notOwnMs += held;
    this.#env.control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    return true;
  }

  /** Milliseconds that the thread waited for a processor since the first poll of this entry. */
  #heldUpNow(now: number): number {
    const cpuNow = this.#env.threadCpuMs();
    if (cpuNow === undefined || this.#cpuAtFirstPoll === undefined) return 0;
    return now - this.#firstPollAt - this.#waitedMs - (cpuNow - this.#cpuAtFirstPoll);
  }
}

/** Largest step of thread CPU clocks: 4 ms on Node, 10 ms on Deno. */
const CPU_CLOCK_STEP_MS = 10;

/** Starts the clock of a load. */
export function createLoadClock(number: number, loadMs: number, env: ClockEnvironment): CallClock {
  return new CallClock(number, { wallMs: loadWallMs(loadMs), cpuMs: loadMs }, env);
}
