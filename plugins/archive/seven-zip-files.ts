/** Reads the names, times and kinds of the members of a 7z file. */

import type { Member } from "./model.ts";
import { damaged, Reader } from "./bytes.ts";
import { readBits, readCount, readNumber, readOptionalBits } from "./seven-zip-streams.ts";

const END = 0x00;
const EMPTY_STREAM = 0x0e;
const EMPTY_FILE = 0x0f;
const NAMES = 0x11;
const MODIFIED = 0x14;
const ATTRIBUTES = 0x15;
const IS_FOLDER = 0x10;
/** p7zip stores the Unix mode in the upper half. */
const HAS_MODE = 0x8000;
/** Time from 1601 to 1970 in FILETIME units of 100 ns. */
const EPOCH = 116_444_736_000_000_000n;

/** A member as listed in the header; the caller fills in `size` once it knows where the contents are. */
export interface ListedFile extends Member {
  readonly isEmpty: boolean;
}

/** @throws {Error} if the header is damaged. */
export function readFiles(header: Reader, most: number): readonly ListedFile[] {
  const count = readCount(header, most);
  let names: readonly string[] = [];
  let isEmpty: readonly boolean[] = [];
  let isEmptyFile: readonly boolean[] = [];
  let times: readonly (string | undefined)[] = [];
  let attributes: readonly (number | undefined)[] = [];
  for (let type = header.byte(); type !== END; type = header.byte()) {
    const reader = new Reader(header.take(readNumber(header)));
    if (type === EMPTY_STREAM) isEmpty = readBits(reader, count);
    else if (type === EMPTY_FILE) isEmptyFile = readBits(reader, isEmpty.filter(Boolean).length);
    else if (type === NAMES) names = readNames(reader, count);
    else if (type === MODIFIED) times = readEach(reader, count, readTime);
    else if (type === ATTRIBUTES) attributes = readEach(reader, count, (one) => one.uint32());
  }
  if (names.length !== count) throw damaged();
  let emptyIndex = 0;
  return names.map((name, index): ListedFile => {
    const empty = isEmpty[index] === true;
    const isFolder = empty && isEmptyFile[emptyIndex] !== true;
    if (empty) emptyIndex += 1;
    const modified = times[index];
    return {
      ...{ name, size: 0, isEmpty: empty },
      kind: kindOf(attributes[index] ?? 0, isFolder),
      ...(modified !== undefined && { modified }),
    };
  });
}

function kindOf(attributes: number, isFolder: boolean): Member["kind"] {
  const type = (attributes & HAS_MODE) === 0 ? 0 : (attributes >>> 16) & 0o170000;
  if (type === 0o120000) return "link";
  if (isFolder || (attributes & IS_FOLDER) !== 0) return "folder";
  return type === 0 || type === 0o100000 ? "file" : "other";
}

/** Names in UTF-16, each ended by a NUL. */
function readNames(reader: Reader, count: number): readonly string[] {
  checkInline(reader);
  const names: string[] = [];
  for (let index = 0; index < count; index++) {
    let name = "";
    for (let unit = reader.uint16(); unit !== 0; unit = reader.uint16()) name += String.fromCharCode(unit);
    names.push(name);
  }
  return names;
}

function readEach<Value>(reader: Reader, count: number, read: (reader: Reader) => Value): readonly (Value | undefined)[] {
  const isThere = readOptionalBits(reader, count);
  checkInline(reader);
  return isThere.map((there) => (there ? read(reader) : undefined));
}

function readTime(reader: Reader): string | undefined {
  const ticks = new DataView(reader.take(8).slice().buffer).getBigUint64(0, true);
  const date = new Date(Number((ticks - EPOCH) / 10_000n));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** External data, which no known program writes. */
function checkInline(reader: Reader): void {
  if (reader.byte() !== 0) throw damaged();
}
