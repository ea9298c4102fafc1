/**
 * Unpacks LZMA as described in `lzma-specification.txt` of the LZMA SDK.
 *
 * All unpacked data is kept in memory because its size is known: the output serves as the dictionary.
 */

import { damaged } from "./bytes.ts";
import { probabilities, RangeDecoder } from "./range-decoder.ts";

const STATES = 12;
const MAX_POSITION_STATES = 16;
const LENGTH_STATES = 4;
const FIRST_ALIGNED = 14;
const FULL_DISTANCES = 128;
const ALIGN_BITS = 4;
const MIN_MATCH = 2;

/**
 * @param properties five bytes: lc, lp and pb in one, and the dictionary size
 * @throws {Error} if the data is damaged.
 */
export function unpackLzma(data: Uint8Array, properties: Uint8Array, size: number): Uint8Array {
  const [first] = properties;
  if (first === undefined || properties.length < 5) throw damaged();
  const output = new Uint8Array(size);
  const decoder = new LzmaDecoder(output);
  decoder.reset(first);
  decoder.begin(data);
  if (decoder.decode(size) !== size) throw damaged();
  return output;
}

/** Decodes into an array, one packed piece after the other. */
export class LzmaDecoder {
  readonly #output: Uint8Array;
  #at = 0;
  #dictionaryStart = 0;
  #range: RangeDecoder | undefined;
  #literalContext = 0;
  #literalMask = 0;
  #positionMask = 0;
  #state = 0;
  #distances: [number, number, number, number] = [0, 0, 0, 0];
  #literals = probabilities(0);
  #isMatch = probabilities(0);
  #isRepeat = probabilities(0);
  #isRepeat0 = probabilities(0);
  #isRepeat1 = probabilities(0);
  #isRepeat2 = probabilities(0);
  #isRepeat0Long = probabilities(0);
  #slots = probabilities(0);
  #special = probabilities(0);
  #align = probabilities(0);
  #lengths = new LengthDecoder();
  #repeatLengths = new LengthDecoder();

  constructor(output: Uint8Array) {
    this.#output = output;
  }

  get written(): number {
    return this.#at;
  }

  resetDictionary(): void {
    this.#dictionaryStart = this.#at;
  }

  /** @param properties `(pb * 5 + lp) * 9 + lc` */
  reset(properties: number): void {
    if (properties >= 9 * 5 * 5) throw damaged();
    const rest = Math.floor(properties / 9);
    this.#literalContext = properties % 9;
    this.#literalMask = (1 << (rest % 5)) - 1;
    this.#positionMask = (1 << Math.floor(rest / 5)) - 1;
    this.resetState();
  }

  resetState(): void {
    this.#state = 0;
    this.#distances = [0, 0, 0, 0];
    this.#literals = probabilities((this.#literalMask + 1) * (0x300 << this.#literalContext));
    this.#isMatch = probabilities(STATES * MAX_POSITION_STATES);
    this.#isRepeat = probabilities(STATES);
    this.#isRepeat0 = probabilities(STATES);
    this.#isRepeat1 = probabilities(STATES);
    this.#isRepeat2 = probabilities(STATES);
    this.#isRepeat0Long = probabilities(STATES * MAX_POSITION_STATES);
    this.#slots = probabilities(LENGTH_STATES << 6);
    this.#special = probabilities(1 + FULL_DISTANCES - FIRST_ALIGNED);
    this.#align = probabilities(1 << ALIGN_BITS);
    this.#lengths = new LengthDecoder();
    this.#repeatLengths = new LengthDecoder();
  }

  begin(data: Uint8Array): void {
    this.#range = new RangeDecoder(data);
  }

  /** Copies stored bytes. */
  copy(bytes: Uint8Array, length: number): void {
    if (bytes.length !== length || this.#at + length > this.#output.length) throw damaged();
    this.#output.set(bytes, this.#at);
    this.#at += length;
  }

  /** @returns the number of bytes written; fewer than requested if the data marks its end. */
  decode(wanted: number): number {
    const range = this.#range;
    const start = this.#at;
    const end = start + wanted;
    if (range === undefined || end > this.#output.length) throw damaged();
    while (this.#at < end) {
      const position = (this.#at - this.#dictionaryStart) & this.#positionMask;
      const index = (this.#state << 4) + position;
      if (range.bit(this.#isMatch, index) === 0) this.#literal(range);
      else if (range.bit(this.#isRepeat, this.#state) === 1) {
        if (!this.#isShortRepeat(range, index)) this.#repeat(this.#repeatLengths.decode(range, position) + MIN_MATCH, end, 8, 11);
      } else {
        const [first, second, third] = this.#distances;
        const length = this.#lengths.decode(range, position);
        const distance = this.#distance(range, length);
        if (distance === 0xffffffff) {
          if (!range.isAtEnd) throw damaged();
          break;
        }
        this.#distances = [distance, first, second, third];
        this.#repeat(length + MIN_MATCH, end, 7, 10);
      }
    }
    return this.#at - start;
  }

  #literal(range: RangeDecoder): void {
    const before = this.#at > this.#dictionaryStart ? (this.#output[this.#at - 1] ?? 0) : 0;
    const context =
      (((this.#at - this.#dictionaryStart) & this.#literalMask) << this.#literalContext) + (before >>> (8 - this.#literalContext));
    const offset = 0x300 * context;
    const byte =
      this.#state < 7
        ? range.tree(this.#literals, offset, 8)
        : range.byteAfterMatch(this.#literals, offset, this.#byteAt(this.#distances[0]));
    this.#output[this.#at++] = byte;
    this.#state = this.#state < 4 ? 0 : this.#state - (this.#state < 10 ? 3 : 6);
  }

  /** Returns true if a single byte was copied (a short repeat); otherwise moves the distance to repeat to the front. */
  #isShortRepeat(range: RangeDecoder, index: number): boolean {
    const [first, second, third, fourth] = this.#distances;
    const state = this.#state;
    if (range.bit(this.#isRepeat0, state) === 0) {
      if (range.bit(this.#isRepeat0Long, index) === 1) return false;
      this.#output[this.#at] = this.#byteAt(first);
      this.#at += 1;
      this.#state = state < 7 ? 9 : 11;
      return true;
    }
    if (range.bit(this.#isRepeat1, state) === 0) this.#distances = [second, first, third, fourth];
    else if (range.bit(this.#isRepeat2, state) === 0) this.#distances = [third, first, second, fourth];
    else this.#distances = [fourth, first, second, third];
    return false;
  }

  #distance(range: RangeDecoder, length: number): number {
    const slot = range.tree(this.#slots, Math.min(length, LENGTH_STATES - 1) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < FIRST_ALIGNED) return base + range.reverseTree(this.#special, base - slot, bits);
    return base + range.direct(bits - ALIGN_BITS) * 2 ** ALIGN_BITS + range.reverseTree(this.#align, 0, ALIGN_BITS);
  }

  #repeat(length: number, end: number, afterLiteral: number, afterMatch: number): void {
    const distance = this.#distances[0] + 1;
    if (distance > this.#at - this.#dictionaryStart || this.#at + length > end) throw damaged();
    const until = this.#at + length;
    // Copies byte by byte because source and destination may overlap: runs are encoded that way.
    if (distance >= length) this.#output.copyWithin(this.#at, this.#at - distance, until - distance);
    else for (let at = this.#at; at < until; at++) this.#output[at] = this.#output[at - distance] ?? 0;
    this.#at = until;
    this.#state = this.#state < 7 ? afterLiteral : afterMatch;
  }

  #byteAt(distance: number): number {
    if (distance >= this.#at - this.#dictionaryStart) throw damaged();
    return this.#output[this.#at - distance - 1] ?? 0;
  }
}

/** Decodes a length: short, middle or long. The first two depend on the position. */
class LengthDecoder {
  readonly #choice: Uint16Array = probabilities(2);
  readonly #low: Uint16Array = probabilities(MAX_POSITION_STATES << 3);
  readonly #middle: Uint16Array = probabilities(MAX_POSITION_STATES << 3);
  readonly #high: Uint16Array = probabilities(256);

  decode(range: RangeDecoder, position: number): number {
    if (range.bit(this.#choice, 0) === 0) return range.tree(this.#low, position << 3, 3);
    if (range.bit(this.#choice, 1) === 0) return 8 + range.tree(this.#middle, position << 3, 3);
    return 16 + range.tree(this.#high, 0, 8);
  }
}
