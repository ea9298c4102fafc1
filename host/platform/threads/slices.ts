/** Long work in short pieces, on Node and Deno. */

import type { Slices } from "../platform.ts";

/** Of each turn of the event loop, for all work together. A piece that has begun is ended first. */
const TURN_MS = 4;

/** @param now in milliseconds */
export function createSlices(now: () => number): Slices {
  /** One piece of each in turn. Each answers whether there is more. */
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
