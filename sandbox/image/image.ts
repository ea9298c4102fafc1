/**
 * Images: the bytes of guests at rest.
 *
 * Loading the prelude gives the base image, loading a plugin on top gives the plugin's, kept as the pages that differ;
 * before each call an instance is restored to it, so every call starts from exactly the same bytes (architecture, memory images). Images
 * live in shared memory: one copy serves all workers.
 */

import { type EngineFacts, REWRITTEN_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine/engine.ts";
import type { Handles } from "../engine/handles.ts";
import { PAGE_BYTES } from "./marks.ts";
import type { Pages, Stretch } from "./shadow.ts";

/** What every plugin's image is a difference from. Structured-clonable; `bytes` is never written after capture. */
export interface BaseImage {
  readonly facts: EngineFacts;
  readonly handles: Handles;
  /** Static data (`facts.dataEnd` bytes), then the heap from `facts.stackTop`, without trailing zeros. */
  readonly bytes: SharedArrayBuffer;
  /** First address past the stored heap; everything from here on was zero. */
  readonly heapEnd: number;
  /** Where `Math.random` keeps its 8-byte state. */
  readonly randomAddress: number;
}

/** A guest at rest, as the pages of `PAGE_BYTES` that differ from the base image. Structured-clonable, never written. */
export interface Image {
  /**
   * The bytes of the pages, then their numbers, as u32, ascending. Bytes come first because of where they begin: V8 copies
   * shared memory word by word only where source and target lie the same within a word, else byte by byte, eight times slower.
   */
  readonly pages: SharedArrayBuffer;
  /** First address past the heap; everything from here on is zero. */
  readonly heapEnd: number;
}

/** The base image itself, as a difference from it. One for each base, since instances know images by identity. */
export function unchanged(base: BaseImage): Image {
  const known = unchangedImages.get(base);
  if (known !== undefined) return known;
  const made: Image = { pages: new SharedArrayBuffer(0), heapEnd: base.heapEnd };
  unchangedImages.set(base, made);
  return made;
}

const unchangedImages = new WeakMap<BaseImage, Image>();

/** Whether a value from a worker or a file has an image's shape: whole pages, each once, in the memory that it asks for. */
export function isImage(value: unknown): value is Image {
  if (typeof value !== "object" || value === null) return false;
  const { pages, heapEnd } = value as Partial<Record<keyof Image, unknown>>;
  if (!(pages instanceof SharedArrayBuffer) || pages.byteLength % (4 + PAGE_BYTES) !== 0) return false;
  if (typeof heapEnd !== "number" || !Number.isInteger(heapEnd) || heapEnd < 0 || heapEnd > 2 ** 32) return false;
  // Where a plugin freed what the prelude had, pages past its own end differ from the base image too.
  const end = Math.max(heapEnd, REWRITTEN_MEMORY_PAGES * WASM_PAGE_BYTES) / PAGE_BYTES;
  let last = -1;
  for (const page of partsOf({ pages }).numbers) {
    if (page <= last || page >= end) return false;
    last = page;
  }
  return true;
}

/** What an image says. */
export function partsOf({ pages }: Pick<Image, "pages">): Pages {
  const count = pages.byteLength / (4 + PAGE_BYTES);
  return { numbers: new Uint32Array(pages, count * PAGE_BYTES), contents: new Uint8Array(pages, 0, count * PAGE_BYTES) };
}

/** The base image aligned to pages: static data and heap. Copied out of shared memory once for each thread. */
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

/** The end of the page that an address lies in, or the address where that is one. */
export function endOfPage(address: number): number {
  return Math.ceil(address / PAGE_BYTES) * PAGE_BYTES;
}
