/** Compares an instance's memory with an image: by page for engines without marks, by byte for tests and diagnosis. */

import { WASM_PAGE_BYTES } from "../engine/engine.ts";
import type { Instance } from "../engine/instance.ts";
import { type BaseImage, type Image, partsOf, partsOfBase } from "../engine/image.ts";
import { PAGE_BYTES } from "../engine/marks.ts";
import { type PageRun, toRuns } from "./page-runs.ts";

/** Returns the pages that differ from the image that the instance was last restored to. */
export function changedPages(instance: Instance, base: BaseImage): readonly PageRun[] {
  const { words, holds } = instance;
  if (holds === undefined) throw new Error("The contents of the instance are unknown");
  const { numbers, contents } = partsOf(holds);
  const own = new Uint32Array(contents.buffer, contents.byteOffset, contents.length / 4);
  const pages: number[] = [];
  let next = 0;
  /** Pages missing from the image equal the base image, or are zero. */
  const compare = (from: number, to: number, expected: Uint32Array | undefined): void => {
    for (let page = from; page < to; page++) {
      const isOwn = numbers[next] === page;
      const isChanged = isOwn
        ? pageDiffers(words, page, own, next)
        : pageDiffers(words, page, expected ?? NO_WORDS, expected === undefined ? 0 : page - from);
      if (isChanged) pages.push(page);
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

/** A page of zeros. */
export const NO_WORDS: Uint32Array = new Uint32Array(PAGE_BYTES / 4);

/** True if a page of memory differs from a page of `expected`. */
export function pageDiffers(words: Uint32Array, page: number, expected: Uint32Array, expectedPage: number): boolean {
  const from = page * (PAGE_BYTES / 4);
  const other = expectedPage * (PAGE_BYTES / 4);
  for (let index = 0; index < PAGE_BYTES / 4; index++) if (words[from + index] !== expected[other + index]) return true;
  return false;
}

/** True if the memory is zero there. `from` and `to` must be multiples of 4. */
export function isZero(words: Uint32Array, from: number, to: number): boolean {
  let seen = 0;
  for (let index = from >> 2; index < to >> 2; index += 1) seen |= words[index] ?? 0;
  return seen === 0;
}

/**
 * Returns the first address at which the instance differs from the image (memory outside of the image must be zero); -1 if the stack
 * pointer is not at rest; undefined if the instance equals the image. For tests and diagnosis.
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

/** Returns the whole memory of an instance that holds exactly `image`. For tests. */
export function memoryOf(image: Image, base: BaseImage, length: number): Uint8Array {
  const memory = new Uint8Array(length);
  for (const { first, bytes } of partsOfBase(base)) memory.set(bytes, first * PAGE_BYTES);
  const { numbers, contents } = partsOf(image);
  for (const [index, page] of numbers.entries())
    memory.set(contents.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES), page * PAGE_BYTES);
  return memory;
}
