/** Deterministic random bytes: SHA-256 of the seed and a counter, block by block. */

import type { Digest } from "../operations/subtle.ts";

const encoder = new TextEncoder();

/** @throws {Error} if the runtime lacks SHA-256 */
export function seededRandom(seed: string, hash: Digest): (count: number) => Uint8Array {
  let block: Uint8Array = new Uint8Array(0);
  let used = 0;
  let blocks = 0;

  function next(): Uint8Array {
    const made = hash("SHA-256", [encoder.encode(`bascule random ${blocks++} ${seed}`)]);
    if (made === undefined) throw new Error("This runtime does not support SHA-256");
    return made;
  }

  return (count) => {
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (used === block.length) {
        block = next();
        used = 0;
      }
      const piece = block.subarray(used, used + count - filled);
      bytes.set(piece, filled);
      filled += piece.length;
      used += piece.length;
    }
    return bytes;
  };
}
