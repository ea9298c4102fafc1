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
  return { bytes, uuidv7: createUuidv7(clock, fill) };
}

/**
 * UUIDs of version 7 (RFC 9562 §5.7), each greater than the one before.
 *
 * Within a millisecond the 12 bits after the version are a counter that starts low (§6.2, method 1); when it is used
 * up, or the clock goes back, time is taken a millisecond ahead of the last identifier instead. The last 62 bits are
 * random in each.
 *
 * Every call takes three or four, so nothing is formatted twice: time once a millisecond, bytes from a table.
 *
 * @param fill fills all of its argument with random bytes.
 */
export function createUuidv7(clock: Pick<Clock, "now">, fill: (bytes: Uint8Array) => void): () => string {
  const random = new DataView(new ArrayBuffer(10));
  const randomBytes = new Uint8Array(random.buffer);
  let lastMs = 0;
  let time = timeText(lastMs);
  let counter = 0;

  function startMillisecond(ms: number): void {
    lastMs = ms;
    time = timeText(ms);
    // The top bit stays free: at least 2,048 identifiers fit into the millisecond.
    counter = random.getUint16(0) & 0x7ff;
  }

  const hex = (at: number): string => byteText(random.getUint8(at));

  return () => {
    fill(randomBytes);
    const nowMs = clock.now();
    if (nowMs > lastMs) startMillisecond(nowMs);
    else if (counter < 0xfff) counter += 1;
    else startMillisecond(lastMs + 1);
    const count = `7${(counter >> 8).toString(16)}${byteText(counter & 0xff)}`;
    const variant = byteText((random.getUint8(2) & 0x3f) | 0x80);
    return `${time}-${count}-${variant}${hex(3)}-${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`;
  };
}

/** The first 48 bits, with their dash. */
function timeText(ms: number): string {
  const digits = Math.floor(ms).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

const BYTE_TEXTS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function byteText(byte: number): string {
  return BYTE_TEXTS[byte] ?? "";
}
