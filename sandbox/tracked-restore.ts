/**
 * Puts instances back by what was written: only marked pages are copied, so a restore costs what the call touched and
 * not what the plugin holds (DESIGN §2).
 *
 * Between restores this holds for an instance of a rewritten engine: every byte that no mark stands for is the byte of
 * the image it was last restored to. On an engine without a write barrier everything is copied.
 */

import { type Image, plainCopy, type Restorer } from "./image.ts";
import type { Instance } from "./instance.ts";
import { MARKED_PAGE_BYTES, type Marks } from "./marks.ts";
import { OVERHANG_BYTES } from "./wasm/barrier.ts";

export const trackedRestore: Restorer = { capture: plainCopy.capture, restore };

function restore(instance: Instance, image: Image, previous: Image | undefined): void {
  const { marks } = instance;
  if (marks === undefined || previous === undefined) {
    plainCopy.restore(instance, image, undefined);
    marks?.fill(0, 0, instance.bytes.length / MARKED_PAGE_BYTES);
    return;
  }
  instance.ensureBytes(image.heapEnd);
  const { bytes } = instance;
  if (previous !== image) replaceImage(bytes, image, previous);
  const pages = pagesOf(image);
  takeMarked(marks, bytes.length / MARKED_PAGE_BYTES, (page) => {
    const address = page * MARKED_PAGE_BYTES;
    const content = (pages[page] ??= pageOf(image, address));
    // The last page of all has nothing to hang over into.
    bytes.set(address + content.length > bytes.length ? content.subarray(0, MARKED_PAGE_BYTES) : content, address);
  });
  instance.adopt(image.handles);
}

/** Another image was here: unmarked bytes are that image's, and zero outside of both. */
function replaceImage(bytes: Uint8Array, image: Image, previous: Image): void {
  const { dataEnd, stackTop } = image.facts;
  const source = new Uint8Array(image.bytes);
  bytes.set(source.subarray(0, dataEnd), 0);
  bytes.set(source.subarray(dataEnd), stackTop);
  if (previous.heapEnd > image.heapEnd) bytes.fill(0, image.heapEnd, previous.heapEnd);
}

/** Visits the marked pages among the first `count`, a multiple of 8, and clears their marks. */
function takeMarked(marks: Marks, count: number, visit: (page: number) => void): void {
  // Eight marks at a time: as a number they are 0 only if none is set.
  const groups = new Float64Array(marks.buffer, 0, count >> 3);
  for (let group = 0; group < groups.length; group++) {
    if (groups[group] === 0) continue;
    for (let page = group * 8; page < group * 8 + 8; page++) if (marks[page] !== 0) visit(page);
    groups[group] = 0;
  }
}

/**
 * Pages with their overhang, copied out of an image when they are first needed. Images are shared between threads, and
 * copying out of shared memory takes three times as long; the calls of a plugin touch the same few pages again and again.
 */
const ownPages = new WeakMap<Image, (Uint8Array | undefined)[]>();

function pagesOf(image: Image): (Uint8Array | undefined)[] {
  const known = ownPages.get(image);
  if (known !== undefined) return known;
  const made: (Uint8Array | undefined)[] = [];
  ownPages.set(image, made);
  return made;
}

const PAGE_AND_OVERHANG = MARKED_PAGE_BYTES + OVERHANG_BYTES;
const ZEROS = new Uint8Array(PAGE_AND_OVERHANG);

/** What an image says from `address` on: static data, zeros, heap, zeros. */
function pageOf(image: Image, address: number): Uint8Array {
  const { dataEnd, stackTop } = image.facts;
  const end = address + PAGE_AND_OVERHANG;
  if (address >= image.heapEnd || (address >= dataEnd && end <= stackTop)) return ZEROS;
  const source = new Uint8Array(image.bytes);
  const page = new Uint8Array(PAGE_AND_OVERHANG);
  if (address < dataEnd) page.set(source.subarray(address, Math.min(end, dataEnd)));
  const heapFrom = Math.max(address, stackTop);
  const heapTo = Math.min(end, image.heapEnd);
  if (heapFrom < heapTo) page.set(source.subarray(heapFrom - stackTop + dataEnd, heapTo - stackTop + dataEnd), heapFrom - address);
  return page;
}
