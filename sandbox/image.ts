/**
 * An image: the bytes of a guest at rest, and the ways to put an instance back to them.
 *
 * Loading the prelude gives the base image, loading a plugin on top gives the plugin's image; before each call an
 * instance is restored to it, so every call starts from exactly the same bytes (DESIGN §2). Images live in shared
 * memory: one copy serves all workers.
 */

import { type EngineFacts, WASM_PAGE_BYTES } from "./engine.ts";
import type { Handles, Instance } from "./instance.ts";

/** Structured-clonable; `bytes` is shared between threads and never written after capture. */
export interface Image {
  readonly facts: EngineFacts;
  readonly handles: Handles;
  /** Static data (`facts.dataEnd` bytes), then the heap from `facts.stackTop`, without trailing zeros. */
  readonly bytes: SharedArrayBuffer;
  /** First address past the stored heap; everything from here on was zero. */
  readonly heapEnd: number;
  /** Where `Math.random` keeps its 8-byte state; 0 until it is known. */
  readonly randomAddress: number;
}

/** Puts instances back to images. Every implementation leaves byte-identical memory and passes `test/attack/state/`. */
export interface Restorer {
  /** Copies a guest at rest. The instance stays usable. */
  capture(instance: Instance): Image;
  /**
   * Makes `instance` hold exactly `image`, whatever it held before. `previous` is the image it held before its last
   * call, undefined if it is new or unknown.
   */
  restore(instance: Instance, image: Image, previous: Image | undefined): void;
}

/** Copies whole images. Cost grows with the image, not with what a call touched; the reference for every other restorer. */
export const plainCopy: Restorer = { capture, restore };

/** Dead stack is cleared in windows until one is found clean; frames never leave gaps nearly as large as a probe. */
const STACK_WINDOW_BYTES = 65_536;
const STACK_PROBE_BYTES = 16_384;

function capture(instance: Instance): Image {
  const { facts, bytes, words } = instance;
  bytes.fill(0, facts.dataEnd, facts.stackTop);
  let heapEnd = breakOf(instance);
  while (heapEnd > facts.stackTop && words[(heapEnd >> 2) - 1] === 0) heapEnd -= 4;
  const shared = new SharedArrayBuffer(facts.dataEnd + heapEnd - facts.stackTop);
  const target = new Uint8Array(shared);
  target.set(bytes.subarray(0, facts.dataEnd));
  target.set(bytes.subarray(facts.stackTop, heapEnd), facts.dataEnd);
  return { facts, handles: instance.handles, bytes: shared, heapEnd, randomAddress: 0 };
}

function restore(instance: Instance, image: Image, previous: Image | undefined): void {
  const { dataEnd, stackTop } = image.facts;
  instance.ensureBytes(image.heapEnd);
  const { bytes } = instance;
  // The guest may have forged the break; what it really used lies below the larger of both, or is cleared on a switch.
  const used = Math.max(breakOf(instance), previous?.heapEnd ?? 0, image.heapEnd);
  const source = new Uint8Array(image.bytes);
  bytes.set(source.subarray(0, dataEnd), 0);
  bytes.set(source.subarray(dataEnd), stackTop);
  bytes.fill(0, image.heapEnd, used);
  if (previous === image) clearStack(instance);
  else clearEverythingElse(instance, used);
  instance.adopt(image.handles);
}

/** The allocator's break, clamped to memory and to whole words: a guest that controls its memory may have forged it. */
function breakOf(instance: Instance): number {
  const { facts, words, bytes } = instance;
  const value = words[facts.breakAddress >> 2] ?? 0;
  return value < facts.stackTop || value > bytes.length ? bytes.length : value & ~3;
}

function clearStack(instance: Instance): void {
  const { facts, bytes } = instance;
  let high = facts.stackTop;
  while (high > facts.dataEnd) {
    const low = Math.max(facts.dataEnd, high - STACK_WINDOW_BYTES);
    bytes.fill(0, low, high);
    high = low;
    if (isZero(instance.words, Math.max(facts.dataEnd, high - STACK_PROBE_BYTES), high)) return;
  }
}

/** Another plugin's data was here: all of the stack and all that lies past the heap is made zero, untouched pages stay untouched. */
function clearEverythingElse(instance: Instance, from: number): void {
  const { facts, bytes } = instance;
  for (const [begin, end] of [
    [facts.dataEnd, facts.stackTop],
    [from, bytes.length],
  ] as const) {
    for (let low = begin; low < end; low += WASM_PAGE_BYTES) {
      const high = Math.min(low + WASM_PAGE_BYTES, end);
      if (!isZero(instance.words, low, high)) bytes.fill(0, low, high);
    }
  }
}

/** `from` and `to` are multiples of 4. */
function isZero(words: Uint32Array, from: number, to: number): boolean {
  let seen = 0;
  for (let index = from >> 2; index < to >> 2; index += 1) seen |= words[index] ?? 0;
  return seen === 0;
}

/** True if the instance's memory is the image, byte for byte, with zeros everywhere else; for tests and for doubt. */
export function differsFrom(instance: Instance, image: Image): number | undefined {
  const { facts, bytes } = instance;
  const expected = new Uint8Array(image.bytes);
  for (let address = 0; address < bytes.length; address++) {
    let want = 0;
    if (address < facts.dataEnd) want = expected[address] ?? 0;
    else if (address >= facts.stackTop && address < image.heapEnd) want = expected[facts.dataEnd + address - facts.stackTop] ?? 0;
    if (bytes[address] !== want) return address;
  }
  return instance.stackPointer === facts.stackTop ? undefined : -1;
}
