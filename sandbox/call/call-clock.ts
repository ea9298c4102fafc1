/**
 * A call's time: wall and CPU, kept while the guest runs and shown in the worker's status words, where the host's
 * watchdog reads them whatever the thread is doing.
 */

import type { Limits } from "../../manifests/mod.ts";
import type { Fault } from "../fault.ts";
import type { ClockState } from "./resting-call.ts";
import { CANCEL, type Control, CURRENT, END_BY, ENTERED_AT, LAST_POLL } from "../worker/protocol.ts";

export interface ClockEnvironment {
  readonly control: Control;
  /** Milliseconds, comparable across threads. */
  now(): number;
  /** CPU milliseconds of this thread so far; undefined where the runtime cannot tell. */
  threadCpuMs(): number | undefined;
}

export type TimeLimits = Pick<Limits, "wallMs" | "cpuMs">;

export class CallClock {
  /** When the call's wall time is over. Infinity while it waits for a person. */
  wallEnd: number;
  readonly #number: number;
  readonly #limits: TimeLimits;
  readonly #env: ClockEnvironment;
  readonly #startedAt: number;
  #cpuMs = 0;
  #enteredAt = 0;
  /** Time since the guest was entered that was not its own: waiting for the host, or for a processor. */
  #notOwnMs = 0;
  /** Questions to a person that the call waits for, and what was left of its wall time when the first of them was asked. */
  #questions = 0;
  #leftMs = 0;
  #askedAt = 0;
  /** How long it waited for answers that it has. */
  #stoodMs = 0;
  /** The thread's CPU time when this stay of the guest on the thread was first looked at, and when that was; short ones are over before. */
  #cpuAtFirstPoll: number | undefined;
  #firstPollAt = 0;
  #lastPollAt = 0;
  /** Since then the thread waited for the host inside guest code. */
  #waitedMs = 0;
  /** Time between the first and the last look of the stays before, less the CPU time that they took: how long others had the processor. */
  #heldUpMs = 0;
  /** Of that, what the call was given back. */
  #givenBackMs = 0;

  /** @param from where the clock of a call stood that began in another worker */
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

  /** Between two entries of the guest. */
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

  /** Without the time that it waited for a person, which is not its own. */
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

  /** When the engine last asked whether to go on. */
  get lastPollAt(): number {
    return this.#lastPollAt;
  }

  /** Guest code begins to run, or goes on after it was suspended. @returns the time */
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

  /** Guest code has returned, or is suspended. */
  leave(): void {
    Atomics.store(this.#env.control.words, CURRENT, 0);
    this.#cpuMs += this.#env.now() - this.#enteredAt - this.#notOwnMs;
    if (this.#cpuAtFirstPoll !== undefined) this.#heldUpMs += this.#heldUpNow(this.#lastPollAt);
  }

  /** Runs a wait for the host inside guest code: only the wall clock ends it. */
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

  /** A person is asked, and the call waits: its wall time stands still (SPEC E7). Inside an entry of the guest. */
  pause(): void {
    if (this.#questions++ > 0) return;
    this.#askedAt = this.#env.now();
    this.#leftMs = this.wallEnd - this.#askedAt;
    this.#endAt(Infinity);
  }

  /** The answer enters the guest. */
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

  /** Time that other threads worked for the call counts as its own. Between two entries of the guest. */
  charge(elapsedMs: number): Fault | undefined {
    this.#cpuMs += elapsedMs;
    return this.#cpuMs > this.#limits.cpuMs ? this.#cpuFault : undefined;
  }

  /** Why the call must stop now, if it must. Cheap: polled by the engine. */
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

  /** On a loaded machine a thread waits for a processor: that time is given back to the call. */
  #wasHeldUp(now: number): boolean {
    const held = this.#heldUpMs + this.#heldUpNow(now) - this.#givenBackMs - CPU_CLOCK_STEP_MS;
    if (held <= 0) return false;
    this.#givenBackMs += held;
    this.#notOwnMs += held;
    this.#env.control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    return true;
  }

  /** Of this stay, since its first look. */
  #heldUpNow(now: number): number {
    const cpuNow = this.#env.threadCpuMs();
    if (cpuNow === undefined || this.#cpuAtFirstPoll === undefined) return 0;
    return now - this.#firstPollAt - this.#waitedMs - (cpuNow - this.#cpuAtFirstPoll);
  }
}

/** Thread CPU clocks advance in steps: of 4 ms on Node, of 10 ms on Deno. */
const CPU_CLOCK_STEP_MS = 10;
