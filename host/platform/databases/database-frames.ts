/** Frames between the host and a database's process: the lengths of a JSON head and of a body, then both. */

/** Pieces to write in order. */
export type DatabaseFrame = readonly [head: Uint8Array, body: Uint8Array];

const WORD = 4;
const PREFIX_BYTES = 2 * WORD;
/** Heads carry error messages, which are cut. */
const MAX_HEAD_BYTES = 64 * 1024;

export function encodeFrame(head: object, body: Uint8Array = new Uint8Array()): DatabaseFrame {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = new Uint8Array(PREFIX_BYTES + text.length);
  const view = new DataView(start.buffer);
  view.setUint32(0, text.length);
  view.setUint32(WORD, body.length);
  start.set(text, PREFIX_BYTES);
  return [start, body];
}

/** Reassembles frames from chunks of any size, and copies each byte at most twice. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #length = 0;
  readonly #bodyBytes: number;

  /** @param bodyBytes maximum size of a body */
  constructor(bodyBytes: number) {
    this.#bodyBytes = bodyBytes;
  }

  /** Yields the frames that are now complete. @throws {RangeError} for a frame that is too large */
  *push(chunk: Uint8Array): Generator<{ readonly head: object; readonly body: Uint8Array }> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= PREFIX_BYTES) {
      const start = (this.#chunks[0]?.length ?? 0) >= PREFIX_BYTES ? (this.#chunks[0] ?? new Uint8Array()) : this.#join();
      const view = new DataView(start.buffer, start.byteOffset, PREFIX_BYTES);
      const [headBytes, bodyBytes] = [view.getUint32(0), view.getUint32(WORD)];
      if (headBytes > MAX_HEAD_BYTES || bodyBytes > this.#bodyBytes) throw new RangeError("The frame is too large");
      const end = PREFIX_BYTES + headBytes + bodyBytes;
      if (this.#length < end) return;
      const whole = this.#join();
      this.#chunks = whole.length === end ? [] : [whole.subarray(end)];
      this.#length -= end;
      const head = JSON.parse(new TextDecoder().decode(whole.subarray(PREFIX_BYTES, PREFIX_BYTES + headBytes))) as object;
      // Copied, so that keeping a body does not keep its chunk.
      yield { head, body: whole.slice(PREFIX_BYTES + headBytes, end) };
    }
  }

  #join(): Uint8Array {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [whole];
    return whole;
  }
}
