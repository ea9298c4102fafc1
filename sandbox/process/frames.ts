/**
 * Frames between the host and the process of a sandbox: a JSON head and binary parts, each with its length in front.
 *
 * A frame starts with 32-bit numbers: the length of everything after this number, the length of the head, the number of parts, and the
 * length of each part. An inconsistent or too large frame ends the connection, because a stream offers no point to resume reading.
 */

export interface Frame {
  /** Unparsed JSON text. */
  readonly head: string;
  readonly parts: readonly Uint8Array[];
}

export interface FrameBounds {
  /** Maximum size of the head, which is parsed in one go. */
  readonly headBytes: number;
  /** Maximum size of a frame. */
  readonly frameBytes: number;
  readonly parts: number;
}

/** Thrown by a reader for invalid or too large frames. */
export class FrameError extends Error {
  override name = "FrameError";
}

const WORD = 4;
/** Total length, length of the head, number of parts. */
const PREFIX_BYTES = 3 * WORD;
/** Number of chunks that are merged. A waiting chunk of one byte takes hundreds of bytes of memory. */
const MAX_LOOSE_CHUNKS = 1_024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the byte arrays to write, in order. `parts` are not copied. */
export function encodeFrame(head: object, parts: readonly Uint8Array[] = []): readonly Uint8Array[] {
  const text = encoder.encode(JSON.stringify(head));
  const bodyBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const start = new Uint8Array(PREFIX_BYTES + parts.length * WORD + text.length);
  const view = new DataView(start.buffer);
  view.setUint32(0, start.length - WORD + bodyBytes);
  view.setUint32(WORD, text.length);
  view.setUint32(2 * WORD, parts.length);
  for (const [index, part] of parts.entries()) view.setUint32(PREFIX_BYTES + index * WORD, part.length);
  start.set(text, PREFIX_BYTES + parts.length * WORD);
  return [start, ...parts];
}

/** Reassembles frames from chunks of any size. Holds at most one frame and one chunk. */
export class FrameReader {
  readonly #bounds: () => FrameBounds;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Number of chunks since the last merge. */
  #loose = 0;

  /** @param bounds returns the bounds of the next frame */
  constructor(bounds: () => FrameBounds) {
    this.#bounds = bounds;
  }

  /** Takes a chunk and yields the frames that are now complete. @throws {FrameError} for an invalid or too large frame */
  *push(chunk: Uint8Array): Generator<Frame, void> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#loose += 1;
    if (this.#loose === MAX_LOOSE_CHUNKS) {
      this.#chunks.push(joined(this.#chunks.splice(-this.#loose)));
      this.#loose = 0;
    }
    for (;;) {
      const wanted = this.#wantedBytes();
      if (wanted === undefined || this.#length < wanted) return;
      yield parse(this.#take(wanted), this.#bounds());
    }
  }

  /** Returns the length of the current frame; undefined if it is not known yet. */
  #wantedBytes(): number | undefined {
    if (this.#length < WORD) return undefined;
    const bytes = viewOf(this.#joined(WORD)).getUint32(0) + WORD;
    const { frameBytes } = this.#bounds();
    if (bytes > frameBytes) throw new FrameError(`Frame of ${bytes} bytes exceeds ${frameBytes}`);
    return bytes;
  }

  /** Returns at least the first `length` bytes as one array, without removing them. */
  #joined(length: number): Uint8Array {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= length) return first;
    const whole = joined(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #take(length: number): Uint8Array {
    const start = this.#joined(length);
    const rest = start.subarray(length);
    this.#chunks = rest.length === 0 ? this.#chunks.slice(1) : [rest, ...this.#chunks.slice(1)];
    this.#length -= length;
    return start.subarray(0, length);
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function parse(bytes: Uint8Array, bounds: FrameBounds): Frame {
  if (bytes.length < PREFIX_BYTES) throw new FrameError("Frame is shorter than its header");
  const view = viewOf(bytes);
  const headBytes = view.getUint32(WORD);
  const count = view.getUint32(2 * WORD);
  if (headBytes > bounds.headBytes) throw new FrameError(`Head of ${headBytes} bytes exceeds ${bounds.headBytes}`);
  if (count > bounds.parts) throw new FrameError(`Frame with ${count} parts exceeds ${bounds.parts}`);
  let at = PREFIX_BYTES + count * WORD;
  if (at + headBytes > bytes.length) throw new FrameError("Head does not fit into its frame");
  const head = decoder.decode(bytes.subarray(at, at + headBytes));
  at += headBytes;
  const parts: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const length = view.getUint32(PREFIX_BYTES + index * WORD);
    if (at + length > bytes.length) throw new FrameError("Parts do not fit into their frame");
    // Copied, so that keeping a part does not keep the frame in memory.
    parts.push(bytes.slice(at, at + length));
    at += length;
  }
  if (at !== bytes.length) throw new FrameError("Frame has unused bytes at its end");
  return { head, parts };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
