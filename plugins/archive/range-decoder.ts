/**
 * The arithmetic decoder of LZMA, which decodes bits by their probability.
 *
 * Nearly all time is spent in these loops, so each keeps the decoder's state in local variables: in an engine without a compiler
 * that is twice as fast as one method call for each bit.
 */

import { damaged } from "./bytes.ts";

/** Probabilities are in units of 1/2,048. Each bit moves its probability by 1/32 of the remaining distance. */
const HALF = 1_024;
const TOP: number = 2 ** 24;

/** Returns `count` one-bit models, each starting at probability 1/2. */
export function probabilities(count: number): Uint16Array {
  return new Uint16Array(count).fill(HALF);
}

export class RangeDecoder {
  readonly #data: Uint8Array;
  #at = 5;
  #range = 0xffffffff;
  #code: number;

  constructor(data: Uint8Array) {
    if (data.length < 5 || data[0] !== 0) throw damaged();
    this.#data = data;
    this.#code = new DataView(data.buffer, data.byteOffset).getUint32(1);
    if (this.#code === 0xffffffff) throw damaged();
  }

  get isAtEnd(): boolean {
    return this.#code === 0;
  }

  bit(model: Uint16Array, index: number): 0 | 1 {
    const probability = model[index] ?? HALF;
    const bound = (this.#range >>> 11) * probability;
    const bit = this.#code < bound ? 0 : 1;
    if (bit === 0) {
      this.#range = bound;
      model[index] = probability + ((2048 - probability) >> 5);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      model[index] = probability - (probability >> 5);
    }
    if (this.#range < TOP) this.#refill();
    return bit;
  }

  /** Decodes the highest bit first. */
  tree(model: Uint16Array, offset: number, bits: number): number {
    const limit = 1 << bits;
    return this.#descend(model, offset, 1, limit) - limit;
  }

  /** Decodes a literal after a match. It probably differs from the byte that would have continued the match. */
  byteAfterMatch(model: Uint16Array, offset: number, expected: number): number {
    let node = 1;
    for (let left = 7; left >= 0; left--) {
      const likely = (expected >> left) & 1;
      const bit = this.bit(model, offset + ((1 + likely) << 8) + node);
      node = (node << 1) | bit;
      if (likely !== bit) break;
    }
    return this.#descend(model, offset, node, 0x100) - 0x100;
  }

  /** Decodes the lowest bit first. */
  reverseTree(model: Uint16Array, offset: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let index = 0; index < bits; index++) {
      const bit = this.bit(model, offset + node);
      node = (node << 1) | bit;
      value |= bit << index;
    }
    return value;
  }

  /** Reads bits that have no model, the highest first. */
  direct(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) {
      this.#range = this.#range >>> 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      if (this.#range < TOP) this.#refill();
      value = value * 2 + bit;
    }
    return value;
  }

  /** Walks a bit tree from a node down to the nodes numbered `limit` and above. */
  #descend(model: Uint16Array, offset: number, first: number, limit: number): number {
    const data = this.#data;
    let at = this.#at;
    let range = this.#range;
    let code = this.#code;
    let node = first;
    while (node < limit) {
      const index = offset + node;
      const probability = model[index] ?? HALF;
      const bound = (range >>> 11) * probability;
      if (code < bound) {
        range = bound;
        model[index] = probability + ((2048 - probability) >> 5);
        node <<= 1;
      } else {
        range -= bound;
        code -= bound;
        model[index] = probability - (probability >> 5);
        node = (node << 1) | 1;
      }
      if (range < TOP) {
        const next = data[at++];
        if (next === undefined) throw damaged();
        range *= 256;
        code = code * 256 + next;
      }
    }
    this.#at = at;
    this.#range = range;
    this.#code = code;
    return node;
  }

  #refill(): void {
    const next = this.#data[this.#at++];
    if (next === undefined) throw damaged();
    this.#range *= 256;
    this.#code = this.#code * 256 + next;
  }
}
