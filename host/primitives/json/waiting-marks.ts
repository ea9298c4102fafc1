/** Random names that stand for large values in messages, while other code copies and validates these messages as a whole (SPEC LV2). */

import { toHex } from "../../platform/bytes.ts";
import type { Platform } from "../../platform/platform.ts";

/** Values by name, each until it is taken. If their total size exceeds the limit, the oldest are dropped. */
interface WaitingMarks<T> {
  readonly isEmpty: boolean;
  /** @param size of the value, counted in the total @returns 32 hexadecimal digits */
  add(value: T, size: number): string;
  /** Returns the value and keeps it. */
  find(name: string): T | undefined;
  /** Returns the value and removes it. */
  take(name: string): T | undefined;
}

const MARK_BYTES = 16;

/** @param maxSize of all waiting values; a larger one waits alone */
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
      const name = toHex(random.bytes(MARK_BYTES));
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
