/**
 * A mailbox in shared memory for one short message from a worker to a host that is polling it. A posted message would go through the
 * host's event loop, which takes longer than most messages take to handle (decision 11).
 *
 * The order of messages is kept: a worker uses the slot only if the host has processed everything that was posted, and the host reads the
 * slot before it processes later posts.
 */

import { AWAKE, type Control, HEARD, SAID } from "./protocol.ts";
import type { Envelope } from "./wire.ts";

/** State of `SAID` while the host reads the slot. Other values are the message's length, or 0 if the slot is empty. */
const BEING_TAKEN = -1;

/** Number of reads, of some ten nanoseconds each. */
const LOOKS = 300;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The worker's side of the slot. */
export class SlotWriter {
  readonly #control: Control;
  /** Number of envelopes that were posted instead. */
  #posted = 0;

  constructor(control: Control) {
    this.#control = control;
  }

  /**
   * Tries to hand over an envelope. @returns true if the host has it or will read it; otherwise the caller must post it and call `posted`
   */
  offer(envelope: Envelope): boolean {
    const { words, slot } = this.#control;
    if (Atomics.load(words, AWAKE) === 0 || Atomics.load(words, SAID) !== 0) return false;
    if (Atomics.load(words, HEARD) !== this.#posted || !isBrief(envelope, slot.length)) return false;
    const text = JSON.stringify(envelope);
    const { read, written } = encoder.encodeInto(text, slot);
    if (read < text.length) return false;
    Atomics.store(words, SAID, written);
    // If the host stops polling now, either it re-reads the slot or the worker withdraws the message; exactly one of the two happens.
    return Atomics.load(words, AWAKE) !== 0 || Atomics.compareExchange(words, SAID, written, 0) !== written;
  }

  posted(): void {
    this.#posted = (this.#posted + 1) | 0;
  }
}

/**
 * True for one flat list of short texts and numbers, which JSON preserves. Several messages share the cost of one post, which is then
 * cheaper than JSON.
 */
function isBrief(envelope: Envelope, most: number): boolean {
  const packed = envelope[0];
  if (envelope.length > 1 || !Array.isArray(packed)) return false;
  let length = 0;
  for (const item of packed) if (typeof item === "string") length += item.length;
  return length <= most;
}

/** The host's side of the slot. The worker may write anything to this memory, so its contents are checked like any message. */
export class SlotReader {
  readonly #control: Control;

  constructor(control: Control) {
    this.#control = control;
  }

  /** Starts polling. */
  open(): void {
    Atomics.store(this.#control.words, AWAKE, 1);
  }

  /** Stops polling. The caller must read the slot once more. */
  close(): void {
    Atomics.store(this.#control.words, AWAKE, 0);
  }

  /** Waits for some microseconds, less than a turn of the event loop. */
  waitBriefly(): void {
    for (let look = 0; look < LOOKS && Atomics.load(this.#control.words, SAID) === 0; look++);
  }

  /** Takes the message. Returns `[]` if it is not JSON, undefined if the slot is empty. */
  take(): unknown {
    const { words, slot } = this.#control;
    const length = Atomics.load(words, SAID);
    if (length === 0 || Atomics.compareExchange(words, SAID, length, BEING_TAKEN) !== length) return undefined;
    // Copied, so that the worker can no longer change the bytes.
    const bytes = new Uint8Array(length > 0 && length <= slot.length ? length : 0);
    bytes.set(slot.subarray(0, bytes.length));
    Atomics.store(words, SAID, 0);
    return parse(bytes);
  }

  /** Records that a posted envelope was processed completely. */
  heard(): void {
    Atomics.add(this.#control.words, HEARD, 1);
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // An honest worker only writes JSON.
    return [];
  }
}
