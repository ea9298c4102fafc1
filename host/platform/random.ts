/** Randomness, and identifiers that sort by time. */

import { Buffer } from "node:buffer";
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
  return { bytes, uuidv7: createUuidv7(clock, fill) };
}

/**
 * Returns a function that creates UUIDs of version 7 (RFC 9562 §5.7), each greater than the previous one.
 *
 * Within a millisecond the 12 bits after the version are a counter that starts low (§6.2, method 1). When it is exhausted, or the clock
 * goes back, the time is taken a millisecond ahead of the last identifier instead. The last 62 bits are always random.
 *
 * Every call needs three or four of them, so they are written into one buffer that becomes a string in one step: a concatenated string
 * stays a tree of its parts, which costs ten times the memory.
 *
 * @param fill fills all of its argument with random bytes.
 */
export function createUuidv7(clock: Pick<Clock, "now">, fill: (bytes: Uint8Array) => void): () => string {
  const random = new DataView(new ArrayBuffer(10));
  const randomBytes = new Uint8Array(random.buffer);
  const text = Buffer.alloc(36, "-");
  let lastMs = -1;
  let counter = 0;

  function startMillisecond(ms: number): void {
    lastMs = ms;
    const digits = Math.floor(ms).toString(16).padStart(12, "0");
    text.write(`${digits.slice(0, 8)}-${digits.slice(8)}`, 0, "latin1");
    // The top bit stays free: at least 2,048 identifiers fit into the millisecond.
    counter = random.getUint16(0) & 0x7ff;
  }

  function put(at: number, byte: number): void {
    text[at] = DIGITS[byte >> 4] ?? 0;
    text[at + 1] = DIGITS[byte & 15] ?? 0;
  }

  return () => {
    fill(randomBytes);
    const nowMs = clock.now();
    if (nowMs > lastMs) startMillisecond(nowMs);
    else if (counter < 0xfff) counter += 1;
    else startMillisecond(lastMs + 1);
    put(14, 0x70 | (counter >> 8));
    put(16, counter & 0xff);
    put(19, (random.getUint8(2) & 0x3f) | 0x80);
    put(21, random.getUint8(3));
    for (let index = 0; index < 6; index++) put(24 + 2 * index, random.getUint8(4 + index));
    return text.toString("latin1");
  };
}

const DIGITS = Buffer.from("0123456789abcdef", "latin1");
