/** Restores by copying everything: the reference for every restorer, and the only way on an engine without marks. */

import { WASM_PAGE_BYTES } from "../engine/engine.ts";
import type { Instance } from "../engine/instance.ts";
import { breakOf, capture } from "./capture.ts";
import { changedPages, isZero } from "./compare.ts";
import { type BaseImage, endOfPage, type Image, partsOf } from "../engine/image.ts";
import { PAGE_BYTES } from "../engine/marks.ts";
import type { Restorer } from "./restorer.ts";

/**
 * Creates a restorer that copies whole images. Cost grows with the image, not with what a call touched. The reference for other
 * restorers.
 */
export function plainCopy(base: BaseImage): Restorer {
  return {
    base,
    capture: (instance) => capture(instance, base),
    restore: (instance, image) => restore(instance, image, base),
    changed: (instance) => changedPages(instance, base),
  };
}

function restore(instance: Instance, image: Image, base: BaseImage): void {
  const { dataEnd, stackTop } = base.facts;
  instance.ensureBytes(endOfPage(image.heapEnd));
  const { bytes, holds } = instance;
  // The guest may have forged the break. Memory it really used lies below the largest of these, or is cleared when the image changes.
  const used = Math.max(breakOf(instance), holds?.heapEnd ?? 0, image.heapEnd, base.heapEnd);
  const source = new Uint8Array(base.bytes);
  bytes.set(source.subarray(0, dataEnd), 0);
  bytes.set(source.subarray(dataEnd), stackTop);
  bytes.fill(0, base.heapEnd, used);
  // Must precede the image's pages: two of them contain some of the stack, as zeros.
  if (holds === image) clearStack(instance);
  else clearEverythingElse(instance, used);
  const { numbers, contents } = partsOf(image);
  for (const [index, page] of numbers.entries())
    bytes.set(contents.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES), page * PAGE_BYTES);
  instance.adopt(image, base.handles);
}

/** The dead stack is cleared window by window until a probe is clean. Stack frames never leave gaps as large as a probe. */
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

/** Clears all of the stack and everything past the heap, because another plugin's data was there. Clean pages are not written. */
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
