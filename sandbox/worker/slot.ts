/**
 * A place in shared memory for an envelope of one short message of a worker's, which a host that is awake looks at. A posted message would
 * wake its event loop, which is awake: that takes longer than most of what is said (decision 11).
 *
 * What a worker says keeps its order: it uses the place only when the host has taken all that was posted, and the host
 * looks there before it takes what was posted since.
 */

import { AWAKE, type Control, HEARD, SAID } from "./protocol.ts";
import type { Envelope } from "./wire.ts";

/** In `SAID`, beside the length of what is there and 0 for nothing. */
const BEING_TAKEN = -1;

/** Of some ten nanoseconds each. */
const LOOKS = 300;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The worker's side. */
export class SlotWriter {
  readonly #control: Control;
  /** Envelopes that went another way. */
  #posted = 0;

  constructor(control: Control) {
    this.#control = control;
  }

  /** @returns whether the host has it, or will look for it. Otherwise it has to be posted, and `posted` to be told. */
  offer(envelope: Envelope): boolean {
    const { words, slot } = this.#control;
    if (Atomics.load(words, AWAKE) === 0 || Atomics.load(words, SAID) !== 0) return false;
    if (Atomics.load(words, HEARD) !== this.#posted || !isBrief(envelope, slot.length)) return false;
    const text = JSON.stringify(envelope);
    const { read, written } = encoder.encodeInto(text, slot);
    if (read < text.length) return false;
    Atomics.store(words, SAID, written);
    // Fell the host asleep in this very moment, one of both sides sees it: the host looks once more, or this takes it back.
    return Atomics.load(words, AWAKE) !== 0 || Atomics.compareExchange(words, SAID, written, 0) !== written;
  }

  posted(): void {
    this.#posted = (this.#posted + 1) | 0;
  }
}

/** One flat list of texts and numbers, which JSON carries as they are. Several share what a posting costs, which is less than what JSON does. */
function isBrief(envelope: Envelope, most: number): boolean {
  const packed = envelope[0];
  if (envelope.length > 1 || !Array.isArray(packed)) return false;
  let length = 0;
  for (const item of packed) if (typeof item === "string") length += item.length;
  return length <= most;
}

/** The host's side. Whatever a worker does to this memory, what comes out of it is checked like a message. */
export class SlotReader {
  readonly #control: Control;

  constructor(control: Control) {
    this.#control = control;
  }

  /** The host looks from now on. */
  open(): void {
    Atomics.store(this.#control.words, AWAKE, 1);
  }

  /** It does not any more, after one last time. */
  close(): void {
    Atomics.store(this.#control.words, AWAKE, 0);
  }

  /** Waits for some microseconds: less than a turn of the event loop takes, after which it would be looked for again. */
  waitBriefly(): void {
    for (let look = 0; look < LOOKS && Atomics.load(this.#control.words, SAID) === 0; look++);
  }

  /** What is there; `[]` for what is no JSON; undefined for nothing. */
  take(): unknown {
    const { words, slot } = this.#control;
    const length = Atomics.load(words, SAID);
    if (length === 0 || Atomics.compareExchange(words, SAID, length, BEING_TAKEN) !== length) return undefined;
    // Its own bytes, which nobody changes any more.
    const bytes = new Uint8Array(length > 0 && length <= slot.length ? length : 0);
    bytes.set(slot.subarray(0, bytes.length));
    Atomics.store(words, SAID, 0);
    return parse(bytes);
  }

  /** An envelope that was posted has been taken, and all of it heard. */
  heard(): void {
    Atomics.add(this.#control.words, HEARD, 1);
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // No honest worker's.
    return [];
  }
}
