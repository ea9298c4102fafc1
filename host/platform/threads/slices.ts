/** Long work in short pieces, on Node and Deno. */

import type { Slices } from "../platform.ts";

/** Maximum time per turn of the event loop, for all work together. A piece that has begun runs to its end. */
const TURN_MS = 4;

/** Creates the slices. @param now in milliseconds */
export function createSlices(now: () => number): Slices {
  /** Work in progress; one piece of each runs in turn. Each function returns whether there is more. */
  const waiting: (() => boolean)[] = [];

  function turn(): void {
    const end = now() + TURN_MS;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next()) waiting.push(next);
      if (now() >= end) break;
    }
    if (waiting.length > 0) setImmediate(turn);
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const piece = (): boolean => {
          try {
            const { done, value } = work.next();
            if (done === true) resolve(value);
            return done !== true;
          } catch (error) {
            reject(error);
            return false;
          }
        };
        if (waiting.push(piece) === 1) setImmediate(turn);
      }),
  };
}
