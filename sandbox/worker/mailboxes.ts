/** A worker's mailboxes: incoming and outgoing messages, in envelopes. */

import { POSTED, type WorkerMessage, type WorkerRequest } from "../wire/protocol.ts";
import type { SlotWriter } from "../wire/slot.ts";
import { type Envelope, packMessage, unpackRequest } from "../wire/wire.ts";

/** Incoming requests, in order. */
export class Inbox {
  readonly #words: Int32Array;
  #envelope: Envelope = [];
  #next = 0;
  /** Number of requests taken so far. */
  #taken = 0;

  /** @param words the worker's status words */
  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** Appends an envelope. */
  add(envelope: Envelope): void {
    this.#envelope = this.isEmpty ? envelope : [...this.#envelope.slice(this.#next), ...envelope];
    this.#next = 0;
  }

  get isEmpty(): boolean {
    return this.#next >= this.#envelope.length;
  }

  /** Number of requests that were posted but not yet taken. */
  get waiting(): number {
    return (Atomics.load(this.#words, POSTED) - this.#taken) | 0;
  }

  take(): WorkerRequest | undefined {
    if (this.isEmpty) return undefined;
    const packed = this.#envelope[this.#next++];
    this.#taken = (this.#taken + 1) | 0;
    // Releases the envelope, because it may contain images and files.
    if (this.isEmpty) this.#envelope = [];
    return unpackRequest(packed);
  }
}

/**
 * Maximum number of results that wait to be sent together. Also bounded by a quarter of the pending requests, so that host and worker
 * work in parallel.
 */
const HELD_ANSWERS = 16;
const REQUESTS_AN_ANSWER = 3;

/**
 * Outgoing messages. While calls are pending, results wait for later ones, so that the host's thread is woken less often. `flush` sends
 * them; it must be called before the thread waits, and whenever the engine polls.
 */
export class Outbox {
  readonly #post: (envelope: Envelope, moved: ArrayBuffer[]) => void;
  readonly #waiting: () => number;
  readonly #slot: SlotWriter;
  #held: unknown[] = [];

  /** @param waiting number of requests that wait to be taken */
  constructor(post: (envelope: Envelope, moved: ArrayBuffer[]) => void, waiting: () => number, slot: SlotWriter) {
    this.#post = post;
    this.#waiting = waiting;
    this.#slot = slot;
  }

  send(message: WorkerMessage): void {
    const held = this.#held.push(packMessage(message));
    if (mayWait(message) && held < HELD_ANSWERS && held * REQUESTS_AN_ANSWER < this.#waiting()) return;
    this.#postAll(movedWith(message));
  }

  flush(): void {
    if (this.#held.length > 0) this.#postAll([]);
  }

  #postAll(moved: ArrayBuffer[]): void {
    const envelope = this.#held;
    this.#held = [];
    if (this.#slot.offer(envelope)) return;
    this.#slot.posted();
    this.#post(envelope, moved);
  }
}

/** Only a call without effects may wait: it can run again elsewhere if the worker ends before its result is sent. */
function mayWait(message: WorkerMessage): boolean {
  if (message.type !== "done" || message.state !== undefined || message.parts !== undefined) return false;
  return message.used.operations === 0 && message.used.logBytes === 0;
}

/** Returns the buffers to transfer. Bytes of an operation and parts of an output belong to this message alone. */
function movedWith(message: WorkerMessage): ArrayBuffer[] {
  const pieces =
    message.type === "operation" ? [message.bytes] : message.type === "done" ? (message.parts ?? []).map(({ bytes }) => bytes) : [];
  return pieces.flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
