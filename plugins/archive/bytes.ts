/** Reads numbers and text from untrusted bytes, never beyond their end. */

/** Reads forward from the first byte. All numbers are little-endian. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }

  byte(): number {
    return this.#view.getUint8(this.#step(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#step(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#step(4), true);
  }

  /** @throws {Error} if the number is larger than any archive that fits into memory can hold. */
  uint64(): number {
    const value = this.#view.getBigUint64(this.#step(8), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged();
    return Number(value);
  }

  take(length: number): Uint8Array {
    const start = this.#step(length);
    return this.bytes.subarray(start, start + length);
  }

  #step(length: number): number {
    const start = this.#at;
    if (!(length >= 0) || length > this.left) throw damaged();
    this.#at += length;
    return start;
  }
}

/** Decodes UTF-8. Returns the text, with U+FFFD for invalid bytes, and whether the bytes were valid. */
export function decodeName(bytes: Uint8Array): { readonly name: string; readonly isText: boolean } {
  try {
    return { name: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), isText: true };
  } catch {
    return { name: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), isText: false };
  }
}

/** `unreadable` of a member whose name is not valid text: no caller could request it by name. */
export const NO_UTF8 = "its name is not valid UTF-8";

/** Error for data that does not follow its format. */
export function damaged(): Error {
  return new Error("it is damaged or not an archive (supported: zip, tar, tar.gz, 7z)");
}
