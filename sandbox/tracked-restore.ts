/**
 * Puts instances back by what was written: only marked pages are copied, so a restore costs what the call touched and
 * not what the plugin holds (DESIGN §2).
 *
 * Between restores this holds for an instance of a rewritten engine: every byte that no mark stands for is the byte of
 * the image it was last restored to. On an engine without a write barrier everything is copied.
 */

import { type Image, plainCopy, type Restorer } from "./image.ts";
import type { Instance } from "./instance.ts";
import { MARKED_PAGE_BYTES, type Marks, OVERHANG_BYTES } from "./marks.ts";

export const trackedRestore: Restorer = { capture: plainCopy.capture, restore };

function restore(instance: Instance, image: Image, previous: Image | undefined): void {
  const { marks } = instance;
  if (marks === undefined || previous === undefined) {
    plainCopy.restore(instance, image, undefined);
    marks?.fill(0);
    return;
  }
  instance.ensureBytes(image.heapEnd);
  const { bytes } = instance;
  const source = new Uint8Array(image.bytes);
  const put = (low: number, high: number): void => putBack({ bytes, source, image }, low, high);
  // Another plugin's image was here: unmarked bytes are that image's, and zero outside of both.
  if (previous !== image) {
    put(0, image.facts.dataEnd);
    put(image.facts.stackTop, Math.max(image.heapEnd, previous.heapEnd));
  }
  takeMarkedRuns(marks, bytes.length / MARKED_PAGE_BYTES, (from, to) =>
    put(from * MARKED_PAGE_BYTES, Math.min(to * MARKED_PAGE_BYTES + OVERHANG_BYTES, bytes.length)),
  );
  instance.adopt(image.handles);
}

/** Visits the runs of marked pages among the first `pages`, a multiple of 4, and clears their marks. */
function takeMarkedRuns(marks: Marks, pages: number, visit: (from: number, to: number) => void): void {
  const words = new Uint32Array(marks.buffer, 0, pages >> 2);
  let from = -1;
  for (let index = 0; index < words.length; index++) {
    if (words[index] === 0) {
      if (from >= 0) visit(from, index * 4);
      from = -1;
      continue;
    }
    for (let page = index * 4; page < index * 4 + 4; page++) {
      if (marks[page] === 0) {
        if (from >= 0) visit(from, page);
        from = -1;
      } else if (from < 0) from = page;
    }
    words[index] = 0;
  }
  if (from >= 0) visit(from, pages);
}

interface Restoration {
  readonly bytes: Uint8Array;
  readonly source: Uint8Array;
  readonly image: Image;
}

/** Makes `bytes` from `low` to `high` what the image says: static data, zeros, heap, zeros. */
function putBack({ bytes, source, image }: Restoration, low: number, high: number): void {
  const { dataEnd, stackTop } = image.facts;
  if (low < dataEnd) bytes.set(source.subarray(low, Math.min(high, dataEnd)), low);
  clear(bytes, Math.max(low, dataEnd), Math.min(high, stackTop));
  const heapFrom = Math.max(low, stackTop);
  const heapTo = Math.min(high, image.heapEnd);
  if (heapFrom < heapTo) bytes.set(source.subarray(heapFrom - stackTop + dataEnd, heapTo - stackTop + dataEnd), heapFrom);
  clear(bytes, Math.max(low, image.heapEnd), high);
}

function clear(bytes: Uint8Array, from: number, to: number): void {
  if (from < to) bytes.fill(0, from, to);
}
