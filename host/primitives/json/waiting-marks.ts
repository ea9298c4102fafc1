/** Random names that stand for large values while code that copies and checks messages whole handles those messages (SPEC LV2). */

import type { Platform } from "../../platform/platform.ts";

/** Values by name, each until it is taken. If they grow too many, the oldest are dropped. */
export interface WaitingMarks<T> {
  readonly isEmpty: boolean;
  /** @param size what it adds to the values that wait @returns 32 hexadecimal digits */
  add(value: T, size: number): string;
  /** Leaves it. */
  find(name: string): T | undefined;
  /** Each name is good once. */
  take(name: string): T | undefined;
}

const MARK_BYTES = 16;

/** @param maxSize of all values that wait; one that is larger waits alone */
export function createWaitingMarks<T>(random: Platform["random"], maxSize: number): WaitingMarks<T> {
  const waiting = new Map<string, { readonly value: T; readonly size: number }>();
  let total = 0;

  function take(name: string): T | undefined {
    const found = waiting.get(name);
    if (found === undefined) return undefined;
    waiting.delete(name);
    total -= found.size;
    return found.value;
  }

  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    add(value, size) {
      const name = Array.from(random.bytes(MARK_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
      waiting.set(name, { value, size });
      total += size;
      for (const oldest of waiting.keys()) {
        if (total <= maxSize || oldest === name) break;
        take(oldest);
      }
      return name;
    },
    find: (name) => waiting.get(name)?.value,
    take,
  };
}
