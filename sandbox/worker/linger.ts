/**
 * How a worker waits for its next request: for a while on a word in shared memory, then in its event loop.
 *
 * Waking a thread that sleeps on such a word takes a third of the time of waking its event loop, and an answer that a
 * call waits for, or its caller's next call, mostly comes soon. Meanwhile nothing else of the thread's gets a turn, so
 * nobody may be waiting for promises, and timers are watched for here.
 */

import { Patience } from "./patience.ts";
import { ASLEEP, BELL, type Control } from "./protocol.ts";

export interface LingerPowers {
  readonly control: Control;
  now(): number;
  /** Blocks the thread while `words[index]` is `value`, for at most `timeoutMs`. */
  block(...wait: [words: Int32Array, index: number, value: number, timeoutMs: number]): void;
  /** Runs the task once the event loop has had its turn. */
  soon(task: () => void): void;
  after(delayMs: number, task: () => void): () => void;
}

export interface Linger {
  /** There may be requests: looks for them once the event loop has had its turn. */
  begin(): void;
  /** A timer that ends the waiting when it is due. */
  after(delayMs: number, task: () => void): () => void;
}

/** How long a worker with nothing to do waits for more. */
const LINGER_MS = 20;
/** It stays awake so long first, where that has lately been worth while. */
const AWAKE_MS = 0.06;
/** The event loop gets a turn at least so often: the engine under us (V8) has work of its own there. */
const TURN_MS = 20;
/** What the runtimes' timers take: for more, as for less than nothing, they fire at once, and each time say so where the host's own errors go. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * What came of looking for something to do: a guest that has the thread until the promise is fulfilled; `idle` if there was nothing;
 * `async` if requests go on by promises of the event loop, which call `begin` at their end.
 */
export type Served = "served" | "idle" | "async" | Promise<void>;

/** The same while requests go on by promises of the event loop. */
const ASYNC_TURN_MS = 5;

/** @param serveNext does one thing if there is one to do @param isAsync whether requests go on by promises of the event loop */
export function createLinger(powers: LingerPowers, serveNext: () => Served, isAsync: () => boolean): Linger {
  const { words } = powers.control;
  const sleep = createSleep(powers);
  const due = new Map<object, number>();
  /** The earliest of them; undefined where it has to be looked for: a thousand calls may wait. */
  let nextDue: number | undefined = Number.POSITIVE_INFINITY;
  let planned = false;
  let isTurning = false;

  function begin(): void {
    if (planned || isTurning) return;
    planned = true;
    powers.soon(() => void turn());
  }

  async function turn(): Promise<void> {
    planned = false;
    isTurning = true;
    const isMore = await serveForATurn();
    isTurning = false;
    if (isMore) begin();
  }

  /** @returns whether to go on after the event loop has had its turn. */
  async function serveForATurn(): Promise<boolean> {
    const begun = powers.now();
    let until = begun + LINGER_MS;
    for (;;) {
      const seen = Atomics.load(words, BELL);
      const step = serveNext();
      if (step === "async") return false;
      if (typeof step === "object") await step;
      const now = powers.now();
      if (step !== "idle") {
        if (now - begun > (isAsync() ? ASYNC_TURN_MS : TURN_MS) || earliest() <= now) return true;
        until = now + LINGER_MS;
        continue;
      }
      const left = Math.min(until, earliest()) - now;
      if (left <= 0) return false;
      sleep(seen, left);
    }
  }

  function earliest(): number {
    if (nextDue !== undefined) return nextDue;
    let found = Number.POSITIVE_INFINITY;
    for (const at of due.values()) found = Math.min(found, at);
    nextDue = found;
    return found;
  }

  function forget(key: object): void {
    if (due.get(key) === nextDue) nextDue = undefined;
    due.delete(key);
  }

  return {
    begin,
    after(delayMs, task) {
      const key = {};
      // A guest waits for as long as it likes, and may have been late.
      const waitMs = Math.min(Math.max(delayMs, 0), LONGEST_DELAY_MS);
      const at = powers.now() + waitMs;
      due.set(key, at);
      if (nextDue !== undefined) nextDue = Math.min(nextDue, at);
      const cancel = powers.after(waitMs, () => {
        forget(key);
        task();
        begin();
      });
      return () => {
        forget(key);
        cancel();
      };
    },
  };
}

/**
 * Waiting until the bell is rung or the time is over: awake for a moment where that has lately been worth while, then asleep.
 * Whoever rings looks whether somebody sleeps. One for each kind of wait: some are worth while and others not.
 */
export function createSleep(powers: Pick<LingerPowers, "control" | "now" | "block">): (seen: number, forMs: number) => void {
  const { words } = powers.control;
  const patience = new Patience();

  function isRungSoon(seen: number): boolean {
    const end = powers.now() + AWAKE_MS;
    while (Atomics.load(words, BELL) === seen) if (powers.now() >= end) return false;
    return true;
  }

  return (seen, forMs) => {
    if (forMs > AWAKE_MS && patience.isWorthwhile()) {
      if (isRungSoon(seen)) return patience.came();
      patience.stayedAway();
    }
    Atomics.store(words, ASLEEP, 1);
    powers.block(words, BELL, seen, forMs);
    Atomics.store(words, ASLEEP, 0);
  };
}
