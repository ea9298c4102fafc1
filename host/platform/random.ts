/** Randomness, and identifiers that sort by time. */

import { randomFillSync } from "node:crypto";
import { pooledRandom } from "../../sandbox/mod.ts";
import type { Clock, Random } from "./platform.ts";

export function createRandom(clock: Pick<Clock, "now">): Random {
  const fill = pooledRandom((pool) => void randomFillSync(pool));
  const bytes = (length: number): Uint8Array => {
    const made = new Uint8Array(length);
    fill(made);
    return made;
  };
  return { bytes, uuidv7: createUuidv7(clock, bytes) };
}

/**
 * UUIDs of version 7 (RFC 9562 §5.7), each greater than the one before.
 *
 * Within a millisecond the 12 bits after the version are a counter that starts low (§6.2, method 1); when it is used
 * up, or the clock goes back, time is taken a millisecond ahead of the last identifier instead.
 */
export function createUuidv7(clock: Pick<Clock, "now">, bytes: (length: number) => Uint8Array): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const random = bytes(10);
    const view = new DataView(random.buffer, random.byteOffset, random.byteLength);
    const nowMs = clock.now();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      // The top bit stays free: at least 2,048 identifiers fit into the millisecond.
      counter = view.getUint16(0) & 0x7ff;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      lastMs += 1;
      counter = view.getUint16(0) & 0x7ff;
    }
    view.setUint8(2, (view.getUint8(2) & 0x3f) | 0x80);
    const tail = Array.from(random.subarray(2), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const time = Math.floor(lastMs).toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${counter.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}
