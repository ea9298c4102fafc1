/**
 * Memory images: the bytes of guests at rest.
 *
 * Loading the prelude gives the base image. Loading a plugin on top of it gives the plugin's image, which is stored as the pages that
 * differ from the base image. Every call runs on an instance that was restored to the plugin's image, and so starts from exactly the same
 * bytes (architecture, memory images). Images live in shared memory, so one copy serves all workers.
 */

import { type EngineFacts, REWRITTEN_MEMORY_PAGES, WASM_PAGE_BYTES } from "./engine.ts";
import type { Handles } from "./handles.ts";
import { PAGE_BYTES } from "./marks.ts";
import type { Pages, Stretch } from "./shadow.ts";

/** The image that every plugin's image is a difference from. Can be cloned structurally; `bytes` is never written after capture. */
export interface BaseImage {
  readonly facts: EngineFacts;
  readonly handles: Handles;
  /** Static data (`facts.dataEnd` bytes), then the heap from `facts.stackTop`, without trailing zeros. */
  readonly bytes: SharedArrayBuffer;
  /** First address past the stored heap. Everything from here on was zero. */
  readonly heapEnd: number;
  /** Address of the 8-byte state of `Math.random`. */
  readonly randomAddress: number;
}

/** A guest at rest, as the pages of `PAGE_BYTES` that differ from the base image. Can be cloned structurally; never written. */
export interface Image {
  /**
   * The bytes of the pages, then their numbers, as u32, ascending. The bytes come first so that they are aligned: V8 copies shared memory
   * word by word only if source and target have the same alignment, and otherwise byte by byte, eight times slower.
   */
  readonly pages: SharedArrayBuffer;
  /** First address past the heap. Everything from here on is zero. */
  readonly heapEnd: number;
}

/** Returns the base image as a difference from itself. Always the same object for a base, because instances compare images by identity. */
export function unchanged(base: BaseImage): Image {
  const known = unchangedImages.get(base);
  if (known !== undefined) return known;
  const made: Image = { pages: new SharedArrayBuffer(0), heapEnd: base.heapEnd };
  unchangedImages.set(base, made);
  return made;
}

const unchangedImages = new WeakMap<BaseImage, Image>();

/** Checks that a value from a worker or a file has the shape of an image: whole pages, each once, within the declared memory. */
export function isImage(value: unknown): value is Image {
  if (typeof value !== "object" || value === null) return false;
  const { pages, heapEnd } = value as Partial<Record<keyof Image, unknown>>;
  if (!(pages instanceof SharedArrayBuffer) || pages.byteLength % (4 + PAGE_BYTES) !== 0) return false;
  if (typeof heapEnd !== "number" || !Number.isInteger(heapEnd) || heapEnd < 0 || heapEnd > 2 ** 32) return false;
  // A plugin may have freed memory of the prelude, so pages past its own end may differ from the base image too.
  const end = Math.max(heapEnd, REWRITTEN_MEMORY_PAGES * WASM_PAGE_BYTES) / PAGE_BYTES;
  let last = -1;
  for (const page of partsOf({ pages }).numbers) {
    if (page <= last || page >= end) return false;
    last = page;
  }
  return true;
}

/** Returns views of an image's page numbers and contents. */
export function partsOf({ pages }: Pick<Image, "pages">): Pages {
  const count = pages.byteLength / (4 + PAGE_BYTES);
  return { numbers: new Uint32Array(pages, count * PAGE_BYTES), contents: new Uint8Array(pages, 0, count * PAGE_BYTES) };
}

/** Returns the static data and the heap of the base image, aligned to pages. Copied out of shared memory once per thread. */
export function partsOfBase(base: BaseImage): readonly Stretch[] {
  const known = baseParts.get(base);
  if (known !== undefined) return known;
  const made = alignToPages(base);
  baseParts.set(base, made);
  return made;
}

const baseParts = new WeakMap<BaseImage, readonly Stretch[]>();

function alignToPages(base: BaseImage): readonly Stretch[] {
  const { dataEnd, stackTop } = base.facts;
  const source = new Uint8Array(base.bytes);
  const first = Math.floor(stackTop / PAGE_BYTES);
  const heap = new Uint8Array(endOfPage(base.heapEnd) - first * PAGE_BYTES);
  heap.set(source.subarray(dataEnd), stackTop - first * PAGE_BYTES);
  const data = new Uint8Array(endOfPage(dataEnd));
  data.set(source.subarray(0, dataEnd));
  return [
    { first: 0, bytes: data },
    { first, bytes: heap },
  ];
}

/** Returns the end of the page that contains the address, or the address itself if it is page-aligned. */
export function endOfPage(address: number): number {
  return Math.ceil(address / PAGE_BYTES) * PAGE_BYTES;
}
