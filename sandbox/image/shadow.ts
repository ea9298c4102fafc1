/**
 * The host's side of a rewritten engine's second memory (`wasm/restore.ts`): which pages may have been written, and for
 * each page where its clean bytes are.
 *
 * Between restores this holds: a page without a mark is, byte for byte, what the table says of it.
 */

import { type Marks, PAGE_BYTES } from "./marks.ts";
import type { WasmMemory } from "../wasm/api-types.ts";
import { WASM_PAGE_BYTES } from "../wasm/memory.ts";
import { SHADOW } from "../wasm/restore.ts";

/** An address behind the origin to which offsets in the table count; 0 stands for a page of zeros. */
type Offset = number;

/** Bytes at the pages from `first` on, whole pages. */
export interface Stretch {
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** Numbers of pages, ascending, and their bytes one after the other. */
export interface Pages {
  readonly numbers: Uint32Array;
  readonly contents: Uint8Array;
}

export class Shadow {
  readonly #memory: WasmMemory;
  readonly #run: () => void;
  /** Pages of guest memory that the table has room for. */
  readonly #pages: number;
  #marks: Marks = new Uint8Array(0);
  #table: Uint32Array = new Uint32Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  /** What the table says of the base image, by page; 0 past its end. */
  #baseTable: Uint32Array = new Uint32Array(0);
  /** Behind the base image: the pages of the image that is held. */
  #imageOffset: Offset = 0;
  /** Their numbers. */
  #held: Uint32Array = new Uint32Array(0);

  /** `restore` is the module's own function; guest memory never exceeds `maximumBytes`. */
  constructor(memory: WasmMemory, restore: () => void, maximumBytes: number) {
    this.#memory = memory;
    this.#run = restore;
    this.#pages = maximumBytes / PAGE_BYTES;
    this.#look();
  }

  /** One byte for each page: 1 if the page, or the first bytes after it, may have been written. */
  get marks(): Marks {
    return this.#marks;
  }

  /** Takes in the base image. Once. */
  takeBase(parts: readonly Stretch[]): void {
    if (this.#baseTable.length > 0) return;
    let offset = SHADOW.table - SHADOW.origin + this.#pages * 4;
    this.#ensure(parts.reduce((sum, { bytes }) => sum + bytes.length, offset));
    let end = 0;
    for (const { first, bytes } of parts) {
      this.#bytes.set(bytes, offset);
      end = first + bytes.length / PAGE_BYTES;
      for (let page = first; page < end; page++) this.#table[page] = offset + (page - first) * PAGE_BYTES;
      offset += bytes.length;
    }
    this.#baseTable = this.#table.slice(0, end);
    this.#imageOffset = offset;
  }

  /** Memory holds `image` now, and nothing else is marked. */
  holdsExactly(image: Pages): void {
    this.#tell(image);
    this.#marks.fill(0, 0, this.#pages);
  }

  /** What the image before said of pages is no longer so, what `image` says is; all of them are marked. */
  replace(image: Pages): void {
    const base = this.#baseTable;
    const table = this.#table;
    const marks = this.#marks;
    const numbers = this.#held;
    for (let index = 0; index < numbers.length; index++) {
      const page = numbers[index] ?? 0;
      table[page] = base[page] ?? 0;
      marks[page] = 1;
    }
    this.#tell(image);
  }

  /** Copies every marked page from its clean bytes and takes the marks away. */
  restore(): void {
    this.#run();
  }

  /** Copies an image's pages behind the base image, points the table at them and marks them. */
  #tell({ numbers, contents }: Pages): void {
    this.#ensure(this.#imageOffset + contents.length);
    this.#bytes.set(contents, this.#imageOffset);
    this.#held = numbers;
    const table = this.#table;
    const marks = this.#marks;
    let offset = this.#imageOffset;
    for (let index = 0; index < numbers.length; index++, offset += PAGE_BYTES) {
      const page = numbers[index] ?? 0;
      table[page] = offset;
      marks[page] = 1;
    }
  }

  #ensure(end: Offset): void {
    const missing = SHADOW.origin + end - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
    this.#look();
  }

  #look(): void {
    const { buffer } = this.#memory;
    this.#marks = new Uint8Array(buffer, 0, SHADOW.marksBytes);
    this.#bytes = new Uint8Array(buffer, SHADOW.origin);
    const room = Math.max(0, Math.floor((buffer.byteLength - SHADOW.table) / 4));
    this.#table = new Uint32Array(buffer, SHADOW.table, Math.min(this.#pages, room));
  }
}
