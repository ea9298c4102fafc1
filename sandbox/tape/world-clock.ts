/** The clocks of calls that are seeded, kept or run again: every look at them is one that a tape can tell. */

import { TAPE_BOUNDS, type Tape, TICKS_A_MS } from "./tape.ts";

/** The time of one call. */
export interface WorldClock {
  /** Milliseconds since the epoch when the call began. */
  readonly startMs: number;
  /** Milliseconds since then. Each look counts. */
  look(): number;
  /** The guest waited so long for a timer. */
  waited(ms: number): void;
  /** An answer entered the guest. */
  answered(): void;
}

const MICROSECONDS_A_MS = 1_000;

/**
 * Time that only the call itself makes pass: a microsecond at each look, so that loops which wait for a later time end
 * about when they would; a millisecond at each answer, so that loops which ask until it is late end too.
 */
export function fixedClock(startMs: number): WorldClock {
  let passed = 0;
  return {
    startMs,
    look: () => ++passed / MICROSECONDS_A_MS,
    waited: (ms) => void (passed += Math.ceil(ms) * MICROSECONDS_A_MS),
    answered: () => void (passed += MICROSECONDS_A_MS),
  };
}

export interface RecordingClock extends WorldClock {
  /** As in `Tape.looks`; undefined if it became too long. */
  readonly looks: readonly number[] | undefined;
}

/** The machine's clock, coarser, and every look at it written down. */
export function recordingClock(startMs: number, now: () => number): RecordingClock {
  const begun = now();
  const looks: number[] = [];
  let last = 0;
  let isTooLong = false;
  return {
    startMs,
    get looks() {
      return isTooLong ? undefined : looks;
    },
    look() {
      const ticks = Math.max(last, Math.floor((now() - begun) * TICKS_A_MS));
      const end = looks.length - 1;
      if (ticks === last && end > 0) looks[end] = (looks[end] ?? 0) + 1;
      else if (end + 2 < TAPE_BOUNDS.looks) looks.push(ticks - last, 1);
      else isTooLong = true;
      last = ticks;
      return ticks / TICKS_A_MS;
    },
    waited: nothing,
    answered: nothing,
  };
}

/** Shows what a tape says. `onEnd` is called at every look that the tape has no answer for. */
export function tapeClock({ startMs, looks }: Tape, onEnd: () => void): WorldClock {
  let place = 0;
  let left = 0;
  let ticks = 0;
  return {
    startMs,
    look() {
      while (left === 0 && place < looks.length) {
        ticks += looks[place] ?? 0;
        left = looks[place + 1] ?? 0;
        place += 2;
      }
      if (left === 0) onEnd();
      else left--;
      return ticks / TICKS_A_MS;
    },
    waited: nothing,
    answered: nothing,
  };
}

function nothing(): void {}
