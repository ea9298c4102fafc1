/** A module's sections: taken apart, added to, put together again (WebAssembly core specification §5.5). */

import { Reader, WasmFormatError, Writer } from "./binary.ts";

/** Section ids (§5.5.2) of those that the rewriter reads or adds to. */
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

/** Non-custom sections in the order a module must have them (§5.5.16): the data count stands before the code. */
const ORDER: readonly number[] = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

/** What imports and exports describe (§5.5.5, §5.5.10). */
export const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;

/** Number types (§5.3.1). */
export const TYPE = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c } as const;
export type NumberType = keyof typeof TYPE;

/** Those, `funcref` and `externref` (§5.3.3). */
const VALUE_TYPES: ReadonlySet<number> = new Set([...Object.values(TYPE), 0x70, 0x6f]);

/** Bodies by section id; a module has each at most once. */
export type Sections = ReadonlyMap<number, Uint8Array>;

/** "\0asm", version 1 (§5.5.16). */
const HEADER: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Takes a module apart. Custom sections are dropped: they may describe the code as it was. @throws {WasmFormatError} */
export function parseSections(bytes: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(bytes);
  for (const expected of HEADER)
    if (reader.byte() !== expected) throw new WasmFormatError("The bytes are no WebAssembly module of version 1");
  const sections = new Map<number, Uint8Array>();
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const body = reader.take(reader.unsigned());
    if (id === SECTION.custom) continue;
    if (!ORDER.includes(id)) throw new WasmFormatError(`The module has a section of the unknown kind ${id}`);
    if (sections.has(id)) throw new WasmFormatError(`The module has two sections of kind ${id}`);
    sections.set(id, body);
  }
  return sections;
}

/** Puts a module together, sections in the order they must have. */
export function assembleSections(sections: Sections): Uint8Array {
  const writer = new Writer(1 << 20).byte(...HEADER);
  for (const id of ORDER) {
    const body = sections.get(id);
    if (body !== undefined) writer.byte(id).sized(body);
  }
  return writer.written.slice();
}

/**
 * Passes over a value type of one byte (§5.3.4). Later proposals have longer ones, after which everything would be read
 * at the wrong place.
 *
 * @throws {WasmFormatError} for any other
 */
export function skipValueType(reader: Reader): void {
  const type = reader.byte();
  if (!VALUE_TYPES.has(type)) throw new WasmFormatError(`The type 0x${type.toString(16)} at ${reader.at - 1} is not known`);
}

/** Passes over a vector of value types (§5.3.5). @returns how many there are */
export function skipValueTypes(reader: Reader): number {
  const count = reader.unsigned();
  for (let left = count; left > 0; left--) skipValueType(reader);
  return count;
}

/** Appends an entry to a section that is a vector (§5.1.3), making the section if there is none. @returns the entry's index. */
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

/** Visits the entries of a section that is a vector; `entry` reads exactly one. */
export function readEntries<T>(sections: Sections, id: number, entry: (reader: Reader) => T): T[] {
  const body = sections.get(id);
  if (body === undefined) return [];
  const reader = new Reader(body);
  const entries: T[] = [];
  for (let left = reader.unsigned(); left > 0; left--) entries.push(entry(reader));
  if (!reader.isAtEnd) throw new WasmFormatError(`Section ${id} is longer than its entries`);
  return entries;
}
