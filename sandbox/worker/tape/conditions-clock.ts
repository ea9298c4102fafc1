/** Clocks of seeded, recorded and replayed calls. A tape can represent every read. */

import { TAPE_BOUNDS, type Tape, TICKS_A_MS } from "../../wire/tape.ts";

/** Clock of one call. */
export interface ConditionsClock {
  /** Milliseconds since the epoch at the start of the call. */
  readonly startMs: number;
  /** Returns milliseconds since the start. Every read counts. */
  look(): number;
  /** Records that the guest waited for a timer. */
  waited(ms: number): void;
  /** Records that an answer entered the guest. */
  answered(): void;
}

const MICROSECONDS_A_MS = 1_000;

/**
 * Creates a clock that only the call itself advances: by a microsecond per read, so that loops that wait for a later time end at about
 * the usual time; by a millisecond per answer, so that loops that poll until a deadline end too.
 */
export function fixedClock(startMs: number): ConditionsClock {
  let passed = 0;
  return {
    startMs,
    look: () => ++passed / MICROSECONDS_A_MS,
    waited: (ms) => void (passed += Math.ceil(ms) * MICROSECONDS_A_MS),
    answered: () => void (passed += MICROSECONDS_A_MS),
  };
}

export interface RecordingClock extends ConditionsClock {
  /** Reads as in `Tape.looks`; undefined if there were too many. */
  readonly looks: readonly number[] | undefined;
}

/** Creates a coarser view of the machine's clock that records every read. */
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

/** Creates a clock that replays a tape. Calls `onEnd` on every read that the tape does not contain. */
export function tapeClock({ startMs, looks }: Tape, onEnd: () => void): ConditionsClock {
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
