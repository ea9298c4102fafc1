/**
 * Frames between the host and the process of a sandbox: a head of JSON and pieces of bytes, each with its length in front.
 *
 * Four numbers of 32 bits come first: the length of all that follows, of the head, and how many pieces there are; then the
 * length of each piece. What does not add up, or is larger than may be, ends the conversation: a stream has no place where
 * reading could begin again.
 */

export interface Frame {
  /** JSON text, not parsed yet. */
  readonly head: string;
  readonly parts: readonly Uint8Array[];
}

export interface FrameBounds {
  /** Of the head, which is parsed in one go. */
  readonly headBytes: number;
  /** Of one frame, all of it. */
  readonly frameBytes: number;
  readonly parts: number;
}

/** Thrown by a reader for bytes that are no frame, or one out of bounds. */
export class FrameError extends Error {
  override name = "FrameError";
}

const WORD = 4;
/** Length, length of the head, number of pieces. */
const PREFIX_BYTES = 3 * WORD;
/** A chunk of one byte takes hundreds of them while it waits: so many become one. */
const MAX_LOOSE_CHUNKS = 1_024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The pieces to write, in order; those that were given are not copied. */
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

/** Puts frames together again from chunks of any size. Holds no more than one frame and a chunk. */
export class FrameReader {
  readonly #bounds: () => FrameBounds;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Chunks that came since some were last put together. */
  #loose = 0;

  /** @param bounds what holds for the next frame */
  constructor(bounds: () => FrameBounds) {
    this.#bounds = bounds;
  }

  /** Takes a chunk in and gives the frames that are whole now. @throws {FrameError} at what is no frame within bounds */
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

  /** How long the frame is that begins here; undefined if too little of it is there to tell. */
  #wantedBytes(): number | undefined {
    if (this.#length < WORD) return undefined;
    const bytes = viewOf(this.#joined(WORD)).getUint32(0) + WORD;
    const { frameBytes } = this.#bounds();
    if (bytes > frameBytes) throw new FrameError(`A frame of ${bytes} bytes, above ${frameBytes}`);
    return bytes;
  }

  /** The first `length` bytes, in one piece. They stay. */
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
  if (bytes.length < PREFIX_BYTES) throw new FrameError("A frame that is shorter than what stands in front of it");
  const view = viewOf(bytes);
  const headBytes = view.getUint32(WORD);
  const count = view.getUint32(2 * WORD);
  if (headBytes > bounds.headBytes) throw new FrameError(`A head of ${headBytes} bytes, above ${bounds.headBytes}`);
  if (count > bounds.parts) throw new FrameError(`A frame of ${count} pieces, above ${bounds.parts}`);
  let at = PREFIX_BYTES + count * WORD;
  if (at + headBytes > bytes.length) throw new FrameError("A frame whose head does not fit into it");
  const head = decoder.decode(bytes.subarray(at, at + headBytes));
  at += headBytes;
  const parts: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const length = view.getUint32(PREFIX_BYTES + index * WORD);
    if (at + length > bytes.length) throw new FrameError("A frame whose pieces do not fit into it");
    // Of its own: whoever keeps a piece does not keep the frame.
    parts.push(bytes.slice(at, at + length));
    at += length;
  }
  if (at !== bytes.length) throw new FrameError("A frame with bytes that belong to nothing");
  return { head, parts };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
