/** A worker's messages on their way in and out, envelope by envelope. */

import { POSTED, type WorkerMessage, type WorkerRequest } from "./protocol.ts";
import type { SlotWriter } from "./slot.ts";
import { type Envelope, packMessage, unpackRequest } from "./wire.ts";

/** Requests in their order. */
export class Inbox {
  readonly #words: Int32Array;
  #envelope: Envelope = [];
  #next = 0;
  /** Requests so far. */
  #taken = 0;

  /** @param words the worker's status words */
  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** An envelope came, after those that came before. */
  add(envelope: Envelope): void {
    this.#envelope = this.isEmpty ? envelope : [...this.#envelope.slice(this.#next), ...envelope];
    this.#next = 0;
  }

  get isEmpty(): boolean {
    return this.#next >= this.#envelope.length;
  }

  /** Requests that were posted and not taken yet. */
  get waiting(): number {
    return (Atomics.load(this.#words, POSTED) - this.#taken) | 0;
  }

  take(): WorkerRequest | undefined {
    if (this.isEmpty) return undefined;
    const packed = this.#envelope[this.#next++];
    this.#taken = (this.#taken + 1) | 0;
    // Images and files are not to be held by the envelope they came in.
    if (this.isEmpty) this.#envelope = [];
    return unpackRequest(packed);
  }
}

/** So many answers wait for each other at most, and a quarter of what is under way: host and worker are to work at the same time. */
const HELD_ANSWERS = 16;
const REQUESTS_AN_ANSWER = 3;

/**
 * Messages to the host. Answers wait for the next ones while there are calls to run, so that the host's thread is woken less
 * often: until `flush`, which has to come before the thread waits for anything and whenever the engine lets the worker look around.
 */
export class Outbox {
  readonly #post: (envelope: Envelope, moved: ArrayBuffer[]) => void;
  readonly #waiting: () => number;
  readonly #slot: SlotWriter;
  #held: unknown[] = [];

  /** @param waiting how many requests wait to be taken */
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

/** A call that had no effect can be run again elsewhere, should the worker end before its answer is sent. */
function mayWait(message: WorkerMessage): boolean {
  if (message.type !== "done" || message.state !== undefined || message.parts !== undefined) return false;
  return message.used.operations === 0 && message.used.logBytes === 0;
}

/** Bytes of an operation and parts of an output were made for this message alone, so they move. */
function movedWith(message: WorkerMessage): ArrayBuffer[] {
  const pieces =
    message.type === "operation" ? [message.bytes] : message.type === "done" ? (message.parts ?? []).map(({ bytes }) => bytes) : [];
  return pieces.flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
