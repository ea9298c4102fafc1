/** Captures a program's output in bounded memory: the beginning and the end of each stream, and the number of bytes dropped in between. */

import { joinBytes } from "../../platform/bytes.ts";
import type { OutputStream } from "../../platform/processes/process-types.ts";
import { decodeText } from "../../primitives/json/large.ts";

/** Collects both streams of one program. */
interface CapturedOutput {
  add(stream: OutputStream, bytes: Uint8Array): void;
  read(): Captured;
}

interface Captured {
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes dropped from both streams; absent if none were. */
  readonly droppedBytes?: number;
}

/** @param maxBytes for both texts together, as JSON */
export function createCapturedOutput(maxBytes: number): CapturedOutput {
  const perEnd = Math.floor(maxBytes / 4);
  const streams = { stdout: new Ends(perEnd), stderr: new Ends(perEnd) };
  return {
    add: (stream, bytes) => streams[stream].add(bytes),
    read() {
      // The bound is in bytes of JSON, where a control character takes six.
      for (let end = perEnd; ; end = Math.floor(end / 2)) {
        const [stdout, stderr] = [streams.stdout.read(end), streams.stderr.read(end)];
        const droppedBytes = stdout.dropped + stderr.dropped;
        if (end === 0 || jsonBytes(stdout.text) + jsonBytes(stderr.text) <= maxBytes)
          return { stdout: stdout.text, stderr: stderr.text, ...(droppedBytes > 0 && { droppedBytes }) };
      }
    },
  };
}

/** Keeps the first and the last bytes of a stream; the last ones in a ring buffer. */
class Ends {
  readonly #head: Uint8Array;
  readonly #ring: Uint8Array;
  #ringAt = 0;
  #bytes = 0;

  constructor(size: number) {
    this.#head = new Uint8Array(size);
    this.#ring = new Uint8Array(size);
  }

  add(bytes: Uint8Array): void {
    const size = this.#head.length;
    const first = bytes.subarray(0, Math.max(0, size - this.#bytes));
    this.#head.set(first, Math.min(this.#bytes, size));
    this.#bytes += bytes.length;
    const rest = bytes.subarray(first.length);
    const last = rest.subarray(Math.max(0, rest.length - size));
    const untilEnd = last.subarray(0, size - this.#ringAt);
    this.#ring.set(untilEnd, this.#ringAt);
    this.#ring.set(last.subarray(untilEnd.length));
    this.#ringAt = size === 0 ? 0 : (this.#ringAt + last.length) % size;
  }

  /** Returns at most `end` bytes of the beginning and of the end. */
  read(end: number): { readonly text: string; readonly dropped: number } {
    const kept = this.#kept();
    if (kept.length === this.#bytes && kept.length <= 2 * end) return { text: decodeText(kept), dropped: 0 };
    const dropped = this.#bytes - 2 * end;
    const [first, last] = [kept.subarray(0, end), kept.subarray(kept.length - end)];
    return { text: `${decodeText(first)}\n[${dropped} bytes left out]\n${decodeText(last)}`, dropped };
  }

  #kept(): Uint8Array {
    const size = this.#head.length;
    const beyond = this.#bytes - size;
    if (beyond <= 0) return this.#head.subarray(0, this.#bytes);
    if (beyond <= size) return joinBytes([this.#head, this.#ring.subarray(0, beyond)]);
    return joinBytes([this.#head, this.#ring.subarray(this.#ringAt), this.#ring.subarray(0, this.#ringAt)]);
  }
}

function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
