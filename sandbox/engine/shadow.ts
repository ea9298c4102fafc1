/**
 * The host's side of a rewritten engine's second memory (`wasm/restore.ts`): the marks, and a table with the address of each page's clean
 * bytes.
 *
 * Invariant between restores: a page without a mark equals its clean bytes.
 */

import { type Marks, PAGE_BYTES } from "./marks.ts";
import type { WasmMemory } from "../wasm/api-types.ts";
import { WASM_PAGE_BYTES } from "../wasm/memory.ts";
import { SHADOW } from "../wasm/restore.ts";

/** An address relative to the origin, as the table stores it. 0 is a page of zeros. */
type Offset = number;

/** Consecutive whole pages, starting with page `first`. */
export interface Stretch {
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** Ascending page numbers, and the bytes of these pages one after the other. */
export interface Pages {
  readonly numbers: Uint32Array;
  readonly contents: Uint8Array;
}

export class Shadow {
  readonly #memory: WasmMemory;
  readonly #run: () => void;
  /** Pages of guest memory that the table has space for. */
  readonly #pages: number;
  #marks: Marks = new Uint8Array(0);
  #table: Uint32Array = new Uint32Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  /** Table entries of the base image, by page; 0 past its end. */
  #baseTable: Uint32Array = new Uint32Array(0);
  /** Offset of the current image's pages, behind the base image. */
  #imageOffset: Offset = 0;
  /** Page numbers of the current image. */
  #held: Uint32Array = new Uint32Array(0);

  /** Creates a shadow. `restore` is the module's own function; guest memory never exceeds `maximumBytes`. */
  constructor(memory: WasmMemory, restore: () => void, maximumBytes: number) {
    this.#memory = memory;
    this.#run = restore;
    this.#pages = maximumBytes / PAGE_BYTES;
    this.#look();
  }

  /** One byte per page: 1 if the page, or the first bytes after it, may have been written. */
  get marks(): Marks {
    return this.#marks;
  }

  /** Copies the base image into the second memory. Only the first call has an effect. */
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

  /** Records that the memory equals `image`, and clears all marks. */
  holdsExactly(image: Pages): void {
    this.#tell(image);
    this.#marks.fill(0, 0, this.#pages);
  }

  /** Switches the table from the previous image to `image`, and marks the pages of both. */
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

  /** Copies the clean bytes of every marked page and clears the marks. */
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
