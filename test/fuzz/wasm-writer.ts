/** Writes WebAssembly as a careless compiler might: some integers are longer than necessary (§5.2.2 allows it). */

import type { Random } from "./random.ts";

export class WasmWriter {
  readonly bytes: number[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  byte(...values: readonly number[]): this {
    this.bytes.push(...values);
    return this;
  }

  /** Writes an unsigned integer of at most 32 bits. */
  unsigned(value: number): this {
    const length = this.#random.oneIn(12) ? this.#random.between(1, 5) : 1;
    let rest = value >>> 0;
    for (let count = 1; ; count++) {
      const low = rest & 0x7f;
      rest >>>= 7;
      if (rest === 0 && count >= length) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  /** Writes a signed integer of `bits` bits: 32, or 33 for a block type. */
  signed(value: number, bits = 32): this {
    return this.long(BigInt(value), bits);
  }

  long(value: bigint, bits = 64): this {
    const longest = Math.ceil(bits / 7);
    const length = this.#random.oneIn(12) ? this.#random.between(1, longest) : 1;
    let rest = value;
    for (let count = 1; ; count++) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      const done = rest === ((low & 0x40) === 0 ? 0n : -1n);
      if (done && count >= length) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  /** Writes the length of the bytes, then the bytes. */
  sized(bytes: readonly number[]): this {
    this.unsigned(bytes.length);
    for (const value of bytes) this.bytes.push(value);
    return this;
  }

  name(text: string): this {
    return this.sized([...new TextEncoder().encode(text)]);
  }
}
