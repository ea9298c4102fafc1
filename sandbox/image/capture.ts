/** Captures images: copies a guest at rest out of its instance. */

import type { Instance } from "../engine/instance.ts";
import { NO_WORDS, pageDiffers } from "./compare.ts";
import { type BaseImage, endOfPage, type Image, partsOf, partsOfBase } from "../engine/image.ts";
import { PAGE_BYTES } from "../engine/marks.ts";

/** Captures a base image. */
export function captureBase(instance: Instance): BaseImage {
  const { facts, bytes, handles } = instance;
  const heapEnd = endOfHeap(instance);
  const shared = new SharedArrayBuffer(facts.dataEnd + heapEnd - facts.stackTop);
  const target = new Uint8Array(shared);
  target.set(bytes.subarray(0, facts.dataEnd));
  target.set(bytes.subarray(facts.stackTop, heapEnd), facts.dataEnd);
  return { facts, handles, bytes: shared, heapEnd, randomAddress: 0 };
}

/** Captures an image as the pages that differ from the base image. */
export function capture(instance: Instance, base: BaseImage): Image {
  const { dataEnd, stackTop } = base.facts;
  const { words } = instance;
  // Clear leftovers of the dead stack. The two pages at its ends also hold data and heap, and would otherwise differ.
  clear(instance, dataEnd, endOfPage(dataEnd));
  clear(instance, endOfPage(stackTop) - PAGE_BYTES, stackTop);
  const heapEnd = endOfHeap(instance);
  const changed: number[] = [];
  let reached = 0;
  for (const { first, bytes } of partsOfBase(base)) {
    const expected = new Uint32Array(bytes.buffer);
    const count = bytes.length / PAGE_BYTES;
    for (let page = 0; page < count; page++) if (pageDiffers(words, first + page, expected, page)) changed.push(first + page);
    reached = first + count;
  }
  for (let page = reached; page * PAGE_BYTES < heapEnd; page++) if (pageDiffers(words, page, NO_WORDS, 0)) changed.push(page);
  return { pages: copyPages(instance.bytes, changed), heapEnd };
}

function endOfHeap(instance: Instance): number {
  let end = breakOf(instance);
  while (end > instance.facts.stackTop && instance.words[(end >> 2) - 1] === 0) end -= 4;
  return end;
}

/** Returns the allocator's break, clamped to memory and to whole words, because a guest that controls its memory may have forged it. */
export function breakOf(instance: Instance): number {
  const { facts, words, bytes } = instance;
  const value = words[facts.breakAddress >> 2] ?? 0;
  return value < facts.stackTop || value > bytes.length ? bytes.length : value & ~3;
}

function clear(instance: Instance, from: number, to: number): void {
  instance.bytes.fill(0, from, to);
  instance.wrote(from, to - from);
}

function copyPages(bytes: Uint8Array, pages: readonly number[]): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(pages.length * (4 + PAGE_BYTES));
  const { numbers, contents } = partsOf({ pages: shared });
  numbers.set(pages);
  for (const [index, page] of pages.entries()) contents.set(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES), index * PAGE_BYTES);
  return shared;
}
