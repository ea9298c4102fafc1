/** Restoring by copying everything: how every restorer must leave an instance, and what an engine without marks has. */

import { WASM_PAGE_BYTES } from "../engine/engine.ts";
import { type BaseImage, endOfPage, type Image, partsOf, partsOfBase } from "./image.ts";
import type { Instance } from "../engine/instance.ts";
import { PAGE_BYTES } from "./marks.ts";
import { type PageRun, toRuns } from "./page-runs.ts";

/** Puts instances back to images. Every implementation leaves byte-identical memory and passes `test/attack/state/`. */
export interface Restorer {
  readonly base: BaseImage;
  /** Copies a guest at rest. The instance stays usable. */
  capture(instance: Instance): Image;
  /** Makes `instance` hold exactly `image`, whatever it held before. */
  restore(instance: Instance, image: Image): void;
  /** The pages that may differ from the image it was last restored to, ascending; what a run's end reaches over into may too. */
  changed(instance: Instance): readonly PageRun[];
}

/** Copies whole images. Cost grows with the image, not with what a call touched; the reference for every other restorer. */
export function plainCopy(base: BaseImage): Restorer {
  return {
    base,
    capture: (instance) => capture(instance, base),
    restore: (instance, image) => restore(instance, image, base),
    changed: (instance) => changed(instance, base),
  };
}

/** Copies the guest that a base image is made of. */
export function captureBase(instance: Instance): BaseImage {
  const { facts, bytes, handles } = instance;
  const heapEnd = endOfHeap(instance);
  const shared = new SharedArrayBuffer(facts.dataEnd + heapEnd - facts.stackTop);
  const target = new Uint8Array(shared);
  target.set(bytes.subarray(0, facts.dataEnd));
  target.set(bytes.subarray(facts.stackTop, heapEnd), facts.dataEnd);
  return { facts, handles, bytes: shared, heapEnd, randomAddress: 0 };
}

function endOfHeap(instance: Instance): number {
  let end = breakOf(instance);
  while (end > instance.facts.stackTop && instance.words[(end >> 2) - 1] === 0) end -= 4;
  return end;
}

function capture(instance: Instance, base: BaseImage): Image {
  const { dataEnd, stackTop } = base.facts;
  const { words } = instance;
  // What is left on the dead stack is nobody's; two pages hold some of it beside data and heap.
  clear(instance, dataEnd, endOfPage(dataEnd));
  clear(instance, endOfPage(stackTop) - PAGE_BYTES, stackTop);
  const heapEnd = endOfHeap(instance);
  const changed: number[] = [];
  let reached = 0;
  for (const { first, bytes } of partsOfBase(base)) {
    const expected = new Uint32Array(bytes.buffer);
    const count = bytes.length / PAGE_BYTES;
    for (let page = 0; page < count; page++) if (differs(words, first + page, expected, page)) changed.push(first + page);
    reached = first + count;
  }
  for (let page = reached; page * PAGE_BYTES < heapEnd; page++) if (differs(words, page, NO_WORDS, 0)) changed.push(page);
  return { pages: copyPages(instance.bytes, changed), heapEnd };
}

const NO_WORDS = new Uint32Array(PAGE_BYTES / 4);

function differs(words: Uint32Array, page: number, expected: Uint32Array, expectedPage: number): boolean {
  const from = page * (PAGE_BYTES / 4);
  const other = expectedPage * (PAGE_BYTES / 4);
  for (let index = 0; index < PAGE_BYTES / 4; index++) if (words[from + index] !== expected[other + index]) return true;
  return false;
}

function changed(instance: Instance, base: BaseImage): readonly PageRun[] {
  const { words, holds } = instance;
  if (holds === undefined) throw new Error("Nothing is known of what the instance held");
  const { numbers, contents } = partsOf(holds);
  const own = new Uint32Array(contents.buffer, contents.byteOffset, contents.length / 4);
  const pages: number[] = [];
  let next = 0;
  /** Pages that the image says nothing of are the base's, or zero. */
  const compare = (from: number, to: number, expected: Uint32Array | undefined): void => {
    for (let page = from; page < to; page++) {
      const isOwn = numbers[next] === page;
      if (isOwn ? differs(words, page, own, next) : differs(words, page, expected ?? NO_WORDS, expected === undefined ? 0 : page - from))
        pages.push(page);
      if (isOwn) next++;
    }
  };
  const compareWithZero = (from: number, to: number): void => {
    for (let low = from; low < to; low += WINDOW_PAGES) {
      const high = Math.min(low + WINDOW_PAGES, to);
      const isSaidOf = (numbers[next] ?? Number.POSITIVE_INFINITY) < high;
      if (isSaidOf || !isZero(words, low * PAGE_BYTES, high * PAGE_BYTES)) compare(low, high, undefined);
    }
  };
  let reached = 0;
  for (const { first, bytes } of partsOfBase(base)) {
    compareWithZero(reached, first);
    reached = first + bytes.length / PAGE_BYTES;
    compare(first, reached, new Uint32Array(bytes.buffer));
  }
  compareWithZero(reached, instance.bytes.length / PAGE_BYTES);
  return toRuns(pages);
}

const WINDOW_PAGES = WASM_PAGE_BYTES / PAGE_BYTES;

function copyPages(bytes: Uint8Array, pages: readonly number[]): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(pages.length * (4 + PAGE_BYTES));
  const { numbers, contents } = partsOf({ pages: shared });
  numbers.set(pages);
  for (const [index, page] of pages.entries()) contents.set(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES), index * PAGE_BYTES);
  return shared;
}

function restore(instance: Instance, image: Image, base: BaseImage): void {
  const { dataEnd, stackTop } = base.facts;
  instance.ensureBytes(endOfPage(image.heapEnd));
  const { bytes, holds } = instance;
  // The guest may have forged the break; what it really used lies below the larger of all, or is cleared on a switch.
  const used = Math.max(breakOf(instance), holds?.heapEnd ?? 0, image.heapEnd, base.heapEnd);
  const source = new Uint8Array(base.bytes);
  bytes.set(source.subarray(0, dataEnd), 0);
  bytes.set(source.subarray(dataEnd), stackTop);
  bytes.fill(0, base.heapEnd, used);
  // Before the image's pages: two of them hold some of the stack, as zeros.
  if (holds === image) clearStack(instance);
  else clearEverythingElse(instance, used);
  const { numbers, contents } = partsOf(image);
  for (const [index, page] of numbers.entries())
    bytes.set(contents.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES), page * PAGE_BYTES);
  instance.adopt(image, base.handles);
}

/** The allocator's break, clamped to memory and to whole words: a guest that controls its memory may have forged it. */
function breakOf(instance: Instance): number {
  const { facts, words, bytes } = instance;
  const value = words[facts.breakAddress >> 2] ?? 0;
  return value < facts.stackTop || value > bytes.length ? bytes.length : value & ~3;
}

function clear(instance: Instance, from: number, to: number): void {
  instance.bytes.fill(0, from, to);
  instance.wrote(from, to - from);
}

/** Dead stack is cleared in windows until one is found clean; frames never leave gaps nearly as large as a probe. */
const STACK_WINDOW_BYTES = 65_536;
const STACK_PROBE_BYTES = 16_384;

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

/**
 * For tests and for doubt: the first address whose byte is not the image's, or not zero outside of it; -1 for a stack
 * pointer that is not at rest; undefined if the instance is exactly the image.
 */
export function differsFrom(instance: Instance, image: Image, base: BaseImage): number | undefined {
  const { bytes, words } = instance;
  const expected = memoryOf(image, base, bytes.length);
  const expectedWords = new Uint32Array(expected.buffer);
  for (let index = 0; index < expectedWords.length; index++) {
    if (words[index] === expectedWords[index]) continue;
    const address = index * 4;
    return address + bytes.subarray(address, address + 4).findIndex((byte, at) => byte !== expected[address + at]);
  }
  return instance.stackPointer === base.facts.stackTop ? undefined : -1;
}

/** All of the memory of an instance that holds exactly `image`. For tests. */
export function memoryOf(image: Image, base: BaseImage, length: number): Uint8Array {
  const memory = new Uint8Array(length);
  for (const { first, bytes } of partsOfBase(base)) memory.set(bytes, first * PAGE_BYTES);
  const { numbers, contents } = partsOf(image);
  for (const [index, page] of numbers.entries())
    memory.set(contents.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES), page * PAGE_BYTES);
  return memory;
}
