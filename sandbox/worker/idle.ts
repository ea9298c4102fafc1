/**
 * How a worker waits for its next request: it first sleeps on a word in shared memory for a keep-alive time, then returns to its event
 * loop.
 *
 * Waking a thread from such a sleep takes a third of the time of waking its event loop, and the answer that a call waits for, or its
 * caller's next call, usually arrives soon. The event loop is blocked meanwhile, so no promise may be pending, and timers are tracked
 * here.
 */

import { BackOff } from "../wire/back-off.ts";
import { ASLEEP, BELL, type Control } from "../wire/protocol.ts";

interface IdlePowers {
  readonly control: Control;
  now(): number;
  /** Blocks the thread while `words[index]` is `value`, for at most `timeoutMs`. */
  block(...wait: [words: Int32Array, index: number, value: number, timeoutMs: number]): void;
  /** Runs the task on a later turn of the event loop. */
  soon(task: () => void): void;
  after(delayMs: number, task: () => void): () => void;
}

interface IdleLoop {
  /** Checks for requests on the next turn of the event loop. */
  begin(): void;
  /** Starts a timer. The worker stops waiting when it is due. */
  after(delayMs: number, task: () => void): () => void;
}

/** Keep-alive time of an idle worker. */
const KEEP_AWAKE_MS = 20;
/** Time to spin before sleeping, if spinning was recently successful. */
const AWAKE_MS = 0.06;
/** Maximum time between turns of the event loop. V8 has its own work to do there. */
const TURN_MS = 20;
/** Maximum delay of the runtimes' timers. Longer and negative delays fire at once, and print a warning to the host's stderr. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Result of looking for work: a promise while a guest has the thread; `idle` if there was no work; `async` if requests continue in
 * promises of the event loop, which call `begin` at their end.
 */
export type Served = "served" | "idle" | "async" | Promise<void>;

/** Maximum time between turns of the event loop while requests continue in its promises. */
const ASYNC_TURN_MS = 5;

/** @param serveNext serves one request, if there is one @param isAsync true while requests continue in promises of the event loop */
export function createIdleLoop(powers: IdlePowers, serveNext: () => Served, isAsync: () => boolean): IdleLoop {
  const { words } = powers.control;
  const sleep = createSleep(powers);
  const due = new Map<object, number>();
  /** Earliest due time. Undefined if it must be computed, which is avoided because a thousand calls may wait. */
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

  /** @returns true to continue after a turn of the event loop */
  async function serveForATurn(): Promise<boolean> {
    const begun = powers.now();
    let until = begun + KEEP_AWAKE_MS;
    for (;;) {
      const seen = Atomics.load(words, BELL);
      const step = serveNext();
      if (step === "async") return false;
      if (typeof step === "object") await step;
      const now = powers.now();
      if (step !== "idle") {
        if (now - begun > (isAsync() ? ASYNC_TURN_MS : TURN_MS) || earliest() <= now) return true;
        until = now + KEEP_AWAKE_MS;
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
      // A guest may wait for any time, and its timer may already be late.
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
 * Creates a function that waits until the bell rings or the time is over: first spinning, if that was recently successful, then asleep.
 * The ringing side checks `ASLEEP`. Each kind of wait needs its own sleep, because spinning pays off for some and not for others.
 */
export function createSleep(powers: Pick<IdlePowers, "control" | "now" | "block">): (seen: number, forMs: number) => void {
  const { words } = powers.control;
  const backOff = new BackOff();

  function isRungSoon(seen: number): boolean {
    const end = powers.now() + AWAKE_MS;
    while (Atomics.load(words, BELL) === seen) if (powers.now() >= end) return false;
    return true;
  }

  return (seen, forMs) => {
    if (forMs > AWAKE_MS && backOff.isWorthwhile()) {
      if (isRungSoon(seen)) return backOff.came();
      backOff.stayedAway();
    }
    Atomics.store(words, ASLEEP, 1);
    powers.block(words, BELL, seen, forMs);
    Atomics.store(words, ASLEEP, 0);
  };
}
