/**
 * A call's time: wall and CPU, kept while the guest runs and shown in the worker's status words, where the host's
 * watchdog reads them whatever the thread is doing.
 */

import type { Limits } from "../../manifests/mod.ts";
import type { Fault } from "../fault.ts";
import { CANCEL, type Control, CURRENT, END_BY, ENTERED_AT, LAST_POLL } from "../worker/protocol.ts";

export interface ClockEnvironment {
  readonly control: Control;
  /** Milliseconds, comparable across threads. */
  now(): number;
  /** CPU milliseconds of this thread so far; undefined where the runtime cannot tell. */
  threadCpuMs(): number | undefined;
}

export class CallClock {
  /** When the call's wall time is over. Infinity while it waits for a person. */
  wallEnd: number;
  readonly #number: number;
  readonly #limits: Limits;
  readonly #env: ClockEnvironment;
  readonly #startedAt: number;
  #cpuMs = 0;
  #enteredAt = 0;
  /** Time since the guest was entered that was not its own: waiting for the host, or for a processor. */
  #notOwnMs = 0;
  /** Questions to a person that the call waits for, and what was left of its wall time when the first of them was asked. */
  #questions = 0;
  #leftMs = 0;
  /** The thread's CPU time when this entry was first looked at; short entries are over before that. */
  #cpuAtFirstPoll: number | undefined;

  constructor(number: number, limits: Limits, env: ClockEnvironment) {
    this.#number = number;
    this.#limits = limits;
    this.#env = env;
    this.#startedAt = env.now();
    this.wallEnd = this.#startedAt + limits.wallMs;
  }

  get wallMs(): number {
    return this.#env.now() - this.#startedAt;
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

  /** Guest code begins to run. */
  enter(): void {
    const { control } = this.#env;
    this.#enteredAt = this.#env.now();
    this.#notOwnMs = 0;
    this.#cpuAtFirstPoll = undefined;
    control.times[ENTERED_AT] = this.#enteredAt;
    control.times[LAST_POLL] = this.#enteredAt;
    control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    Atomics.store(control.words, CURRENT, this.#number);
  }

  /** Guest code has returned. */
  leave(): void {
    Atomics.store(this.#env.control.words, CURRENT, 0);
    this.#cpuMs += this.#env.now() - this.#enteredAt - this.#notOwnMs;
  }

  /** Runs a wait for the host inside guest code: only the wall clock ends it. */
  waiting<T>(wait: () => T): T {
    const { control } = this.#env;
    const began = this.#env.now();
    control.times[END_BY] = this.wallEnd;
    const result = wait();
    this.#notOwnMs += this.#env.now() - began;
    control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    return result;
  }

  /** A person is asked, and the call waits: its wall time stands still (SPEC E7). Inside an entry of the guest. */
  pause(): void {
    if (this.#questions++ > 0) return;
    this.#leftMs = this.wallEnd - this.#env.now();
    this.#endAt(Infinity);
  }

  /** The answer enters the guest. */
  resume(): void {
    if (--this.#questions === 0) this.#endAt(this.#env.now() + this.#leftMs);
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
    this.#cpuAtFirstPoll ??= this.#env.threadCpuMs();
    if (now >= this.wallEnd) return this.wallFault;
    if (now >= this.#cpuEnd && !this.#wasHeldUp(now)) return this.#cpuFault;
    return Atomics.load(control.words, CANCEL) === this.#number ? { kind: "cancelled" } : undefined;
  }

  get #cpuEnd(): number {
    return this.#enteredAt + this.#notOwnMs + this.#limits.cpuMs - this.#cpuMs;
  }

  /** On a loaded machine a thread waits for a processor: that time is given back to the call. */
  #wasHeldUp(now: number): boolean {
    const cpuNow = this.#env.threadCpuMs();
    if (cpuNow === undefined || this.#cpuAtFirstPoll === undefined) return false;
    const held = now - this.#enteredAt - this.#notOwnMs - (cpuNow - this.#cpuAtFirstPoll) - CPU_CLOCK_STEP_MS;
    if (held <= 0) return false;
    this.#notOwnMs += held;
    this.#env.control.times[END_BY] = Math.min(this.wallEnd, this.#cpuEnd);
    return true;
  }
}

/** Thread CPU clocks advance in steps (4 ms on Linux). */
const CPU_CLOCK_STEP_MS = 4;
