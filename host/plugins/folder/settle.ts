/**
 * Waits until a folder that is being written to has come to rest, then lets it be considered, one folder at a time each.
 *
 * At rest is a folder of which nothing was heard for a quiet window, and whose newest file is older than that, or which
 * looks the same at its beginning and its end. Bad news (it cannot be loaded, it is gone)
 * is believed only if it stays true a little longer: editors and checkouts write in several steps.
 */

import type { Clock } from "../../platform/platform.ts";
import { createOwnClock } from "./own-clock.ts";
import type { FolderSign } from "./read.ts";

/** In milliseconds. */
export interface SettleTiming {
  /** How long a folder must look the same. */
  readonly quietMs: number;
  /** How much longer before it is believed that a plugin is gone. */
  readonly goneMs: number;
  /** How much longer before it is believed that it cannot be loaded; longer, so that a rename is no clash of names. */
  readonly graceMs: number;
}

/** A quiet window short enough that an edit is callable in well under 100 ms (SPEC H3). */
export const SETTLE_TIMING: SettleTiming = Object.freeze({ quietMs: 25, goneMs: 90, graceMs: 150 });

/** A folder that has not come to rest for so long is looked at less often. */
const RESTLESS_MS = 1_000;
const RESTLESS_WINDOW_MS = 200;

export interface SettleOptions {
  readonly clock: Clock;
  readonly timing: SettleTiming;
  readonly signal: AbortSignal;
  /** What the folder looks like; `undefined` while that cannot be said. */
  readonly sign: (path: string) => Promise<FolderSign | undefined>;
  /** Considers the folder; `again` if it changed meanwhile. */
  readonly consider: (path: string, believe: Believe) => Promise<"done" | "again">;
  /** The folder has not come to rest for a second. Called once for each such time. */
  readonly onRestless: (path: string) => void;
  readonly onDefect: (path: string, defect: unknown) => void;
}

/** Bad news: waits for its time and says if the folder still looks like that, and nothing was heard of it meanwhile. */
export type Believe = (signature: string, news: "gone" | "failed") => Promise<boolean>;

export interface Settling {
  /** Something happened in the folder. Cheap; any number of times. */
  touch(path: string): void;
  /** Resolves when every folder that was touched has been considered. */
  idle(): Promise<void>;
}

/** What happens to one folder from its first touch until it has been considered. */
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
      // What came while it was considered is looked at in another round. In the same tick as the comparison, so that
      // no touch is counted that nobody looks at.
      if (outcome === "done" && state.touches === touches) return forget(path, state);
      if (outcome === "again") sample = undefined;
      state.sinceMs = clock.monotonic();
      state.isRestless = false;
    }
  }

  /** Not so of a file from the future: some other machine's clock wrote its time. */
  function isOlder({ newestMs }: FolderSign, ageMs: number): boolean {
    const now = options.clock.now();
    return newestMs !== undefined && newestMs <= now && now - newestMs >= ageMs;
  }

  /** Waits until nothing has been heard of the folder for the window. */
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
