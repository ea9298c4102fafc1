/**
 * Waits until a folder that is being written to has come to rest, then considers it. Each folder settles on its own.
 *
 * A folder is at rest if it had no event during a quiet window, and its newest file is older than the window or its signature is equal
 * before and after. Failures and removals are confirmed by a further wait, because editors and checkouts write in several steps.
 */

import type { Clock } from "../../platform/platform.ts";
import { createOwnClock } from "./own-clock.ts";
import type { FolderSign } from "./read.ts";

/** In milliseconds. */
export interface SettleTiming {
  /** Quiet window: how long a folder must be unchanged. */
  readonly quietMs: number;
  /** Further wait before a plugin counts as gone. */
  readonly goneMs: number;
  /** Further wait before a failure counts; longer, so that a rename is not a clash of names. */
  readonly graceMs: number;
}

/** The quiet window is short enough that an edit is callable in well under 100 ms (SPEC H3). */
export const SETTLE_TIMING: SettleTiming = Object.freeze({ quietMs: 25, goneMs: 90, graceMs: 150 });

/** A folder without rest for this long is checked less often. */
const RESTLESS_MS = 1_000;
const RESTLESS_WINDOW_MS = 200;

export interface SettleOptions {
  readonly clock: Clock;
  readonly timing: SettleTiming;
  readonly signal: AbortSignal;
  /** Returns the folder's signature; undefined while it cannot be determined. */
  readonly sign: (path: string) => Promise<FolderSign | undefined>;
  /** Considers the folder. Returns `again` if it changed meanwhile. */
  readonly consider: (path: string, believe: Believe) => Promise<"done" | "again">;
  /** Called once whenever a folder has not come to rest for a second. */
  readonly onRestless: (path: string) => void;
  readonly onDefect: (path: string, defect: unknown) => void;
}

/** Confirms a failure or removal: waits, and returns whether the signature is unchanged and no event came meanwhile. */
export type Believe = (signature: string, news: "gone" | "failed") => Promise<boolean>;

interface Settling {
  /** Notes an event in the folder. Cheap; may be called any number of times. */
  touch(path: string): void;
  /** Resolves when every touched folder has been considered. */
  idle(): Promise<void>;
}

/** State of one folder from its first touch until it has been considered. */
interface Unrest {
  touches: number;
  lastTouchMs: number;
  /** When it was last at rest. */
  sinceMs: number;
  isRestless: boolean;
  /** Ends a wait that a touch makes pointless. */
  wake: () => void;
  readonly done: Promise<void>;
}

export function createSettling(options: SettleOptions): Settling {
  const { timing, signal } = options;
  const clock = createOwnClock(options.clock);
  const unrest = new Map<string, Unrest>();

  function touch(path: string): void {
    if (signal.aborted) return;
    const known = unrest.get(path);
    if (known !== undefined) {
      known.touches += 1;
      known.lastTouchMs = clock.monotonic();
      return known.wake();
    }
    const now = clock.monotonic();
    const state: { -readonly [K in keyof Unrest]: Unrest[K] } = {
      ...{ touches: 1, lastTouchMs: now, sinceMs: now, isRestless: false },
      wake: () => undefined,
      done: Promise.resolve(),
    };
    unrest.set(path, state);
    state.done = run(path, state)
      .catch((defect: unknown) => options.onDefect(path, defect))
      .finally(() => forget(path, state));
  }

  function forget(path: string, state: Unrest): void {
    if (unrest.get(path) === state) unrest.delete(path);
  }

  async function run(path: string, state: Unrest): Promise<void> {
    let sample = await options.sign(path);
    for (;;) {
      await quiet(path, state);
      if (signal.aborted) return;
      const touches = state.touches;
      const next = await options.sign(path);
      const isAtRest = next !== undefined && (next.signature === sample?.signature || isOlder(next, timing.quietMs));
      sample = next;
      if (!isAtRest) {
        state.lastTouchMs = clock.monotonic();
        continue;
      }
      const outcome = await options.consider(path, (signature, news) => believe(path, state, { signature, news }));
      // Events that came meanwhile need another round. Checked in the same tick, so that no touch is lost.
      if (outcome === "done" && state.touches === touches) return forget(path, state);
      if (outcome === "again") sample = undefined;
      state.sinceMs = clock.monotonic();
      state.isRestless = false;
    }
  }

  /** Does not apply to a time stamp in the future, which another machine's clock wrote. */
  function isOlder({ newestMs }: FolderSign, ageMs: number): boolean {
    const now = options.clock.now();
    return newestMs !== undefined && newestMs <= now && now - newestMs >= ageMs;
  }

  /** Waits until the folder had no event during the window. */
  async function quiet(path: string, state: Unrest): Promise<void> {
    for (;;) {
      const now = clock.monotonic();
      if (!state.isRestless && now - state.sinceMs >= RESTLESS_MS) {
        state.isRestless = true;
        options.onRestless(path);
      }
      const windowMs = state.isRestless ? Math.max(timing.quietMs, RESTLESS_WINDOW_MS) : timing.quietMs;
      const remaining = state.lastTouchMs + windowMs - now;
      if (remaining <= 0 || signal.aborted) return;
      await pause(state, remaining, false);
    }
  }

  async function believe(
    path: string,
    state: Unrest,
    what: { readonly signature: string; readonly news: "gone" | "failed" },
  ): Promise<boolean> {
    const touches = state.touches;
    await pause(state, what.news === "gone" ? timing.goneMs : timing.graceMs, true);
    return !signal.aborted && state.touches === touches && (await options.sign(path))?.signature === what.signature;
  }

  function pause(state: Unrest, ms: number, endsAtTouch: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        state.wake = () => undefined;
        resolve();
      };
      const cancel = clock.after(ms, end);
      signal.addEventListener("abort", end, { once: true });
      if (endsAtTouch) state.wake = end;
    });
  }

  async function idle(): Promise<void> {
    while (unrest.size > 0) await Promise.all([...unrest.values()].map((state) => state.done));
  }

  return { touch, idle };
}
