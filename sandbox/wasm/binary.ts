/** Reader and writer of the binary format's values, with LEB128 integers (WebAssembly core specification §5.2). */

/** The bytes are not a module that this rewriter understands. A partly understood module is never used. */
export class WasmFormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WasmFormatError";
  }
}

/** Reads forward. Every method throws {WasmFormatError} instead of reading past the end. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, at = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** Returns the next byte without consuming it. */
  peek(): number {
    const value = this.at < this.end ? this.bytes[this.at] : undefined;
    if (value === undefined) throw new WasmFormatError(`The module ends in the middle of a value at ${this.at}`);
    return value;
  }

  byte(): number {
    const value = this.peek();
    this.at++;
    return value;
  }

  /** Reads an unsigned integer of at most 32 bits (§5.2.2). */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      // The fifth byte holds the last four bits.
      if (shift === 28 && byte > 0x0f) break;
      value += (byte & 0x7f) * 2 ** shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new WasmFormatError(`The integer that ends at ${this.at} has more than 32 bits`);
  }

  /** Skips an integer of any width. */
  skipInteger(): void {
    for (let length = 1; length <= LONGEST_INTEGER; length++) if ((this.byte() & 0x80) === 0) return;
    throw new WasmFormatError(`The integer that ends at ${this.at} has more than 64 bits`);
  }

  take(length: number): Uint8Array {
    if (length > this.end - this.at) throw new WasmFormatError(`The module ends in the middle of ${length} bytes at ${this.at}`);
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  /** Reads a name: its length in bytes, then UTF-8 (§5.2.4). */
  name(): Uint8Array {
    return this.take(this.unsigned());
  }
}

/** Maximum bytes of a 64-bit integer: ⌈64 ÷ 7⌉. */
const LONGEST_INTEGER = 10;

/** Appends values to bytes that grow as needed. */
export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  byte(...values: readonly number[]): this {
    this.#reserve(values.length);
    for (const value of values) this.#bytes[this.#length++] = value;
    return this;
  }

  /** @throws {RangeError} if the value is not an unsigned 32-bit integer */
  unsigned(value: number): this {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw new RangeError(`${value} is not an unsigned 32-bit integer`);
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return this.byte(rest);
  }

  /** Writes the low 32 bits of a number as a signed integer. */
  signed(value: number): this {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if (rest === (low & 0x40 ? -1 : 0)) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  append(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.unsigned(bytes.length).append(bytes);
  }

  /** Writes the length of the bytes, then the bytes. */
  sized(bytes: Uint8Array): this {
    return this.unsigned(bytes.length).append(bytes);
  }

  /** The bytes written so far. Valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array((this.#length + more) * 2);
    grown.set(this.written);
    this.#bytes = grown;
  }
}
