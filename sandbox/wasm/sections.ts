/** A module's sections: parsing, appending and assembling (WebAssembly core specification §5.5). */

import { Reader, WasmFormatError, Writer } from "./binary.ts";

/** Ids (§5.5.2) of the sections that the rewriter reads or appends to. */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
} as const;

/** Non-custom sections in their required order (§5.5.16). The data count precedes the code. */
const ORDER: readonly number[] = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

/** Kinds of imports and exports (§5.5.5, §5.5.10). */
export const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;

/** Number types (§5.3.1). */
export const TYPE = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c } as const;
export type NumberType = keyof typeof TYPE;

/** Number types, `funcref` and `externref` (§5.3.3). */
const VALUE_TYPES: ReadonlySet<number> = new Set([...Object.values(TYPE), 0x70, 0x6f]);

/** Section bodies by id. A module has each section at most once. */
export type Sections = ReadonlyMap<number, Uint8Array>;

/** "\0asm", version 1 (§5.5.16). */
const HEADER: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Splits a module into sections. Drops custom sections, because they may describe the original code. @throws {WasmFormatError} */
export function parseSections(bytes: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(bytes);
  for (const expected of HEADER) if (reader.byte() !== expected) throw new WasmFormatError("Not a WebAssembly module of version 1");
  const sections = new Map<number, Uint8Array>();
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const body = reader.take(reader.unsigned());
    if (id === SECTION.custom) continue;
    if (!ORDER.includes(id)) throw new WasmFormatError(`The module has a section of unknown kind ${id}`);
    if (sections.has(id)) throw new WasmFormatError(`The module has two sections of kind ${id}`);
    sections.set(id, body);
  }
  return sections;
}

/** Assembles a module, with its sections in their required order. */
export function assembleSections(sections: Sections): Uint8Array {
  const writer = new Writer(1 << 20).byte(...HEADER);
  for (const id of ORDER) {
    const body = sections.get(id);
    if (body !== undefined) writer.byte(id).sized(body);
  }
  return writer.written.slice();
}

/**
 * Skips a value type of one byte (§5.3.4). Later proposals have longer types, which would shift all later reads.
 *
 * @throws {WasmFormatError} for any other type
 */
export function skipValueType(reader: Reader): void {
  const type = reader.byte();
  if (!VALUE_TYPES.has(type)) throw new WasmFormatError(`Unknown type 0x${type.toString(16)} at ${reader.at - 1}`);
}

/** Skips a vector of value types (§5.3.5). @returns the number of types */
export function skipValueTypes(reader: Reader): number {
  const count = reader.unsigned();
  for (let left = count; left > 0; left--) skipValueType(reader);
  return count;
}

/** Appends an entry to a section that is a vector (§5.1.3). Creates the section if it is missing. @returns the entry's index */
export function appendEntry(sections: Map<number, Uint8Array>, id: number, entry: Uint8Array): number {
  const body = sections.get(id);
  if (body === undefined) {
    sections.set(id, new Writer().unsigned(1).append(entry).written.slice());
    return 0;
  }
  const reader = new Reader(body);
  const count = reader.unsigned();
  const rest = reader.take(body.length - reader.at);
  sections.set(
    id,
    new Writer(body.length + entry.length + 8)
      .unsigned(count + 1)
      .append(rest)
      .append(entry).written,
  );
  return count;
}

/** Reads the entries of a section that is a vector. `entry` must read exactly one. */
export function readEntries<T>(sections: Sections, id: number, entry: (reader: Reader) => T): T[] {
  const body = sections.get(id);
  if (body === undefined) return [];
  const reader = new Reader(body);
  const entries: T[] = [];
  for (let left = reader.unsigned(); left > 0; left--) entries.push(entry(reader));
  if (!reader.isAtEnd) throw new WasmFormatError(`Section ${id} is longer than its entries`);
  return entries;
}
