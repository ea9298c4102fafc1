/** Reads the location of the packed data in a 7z file, its compression methods, and which parts of it are members. */

import { damaged, type Reader } from "./bytes.ts";

const END = 0x00;
const PACK_INFO = 0x06;
const UNPACK_INFO = 0x07;
const SUBSTREAMS_INFO = 0x08;
const SIZE = 0x09;
const CRC = 0x0a;
const FOLDER = 0x0b;
const UNPACK_SIZES = 0x0c;
const STREAM_COUNTS = 0x0d;
const MAX_FOLDERS = 20_000;
const MAX_CODERS = 8;
const MAX_PARTS = 20_000;

/** One step of unpacking. */
export interface Coder {
  readonly method: "copy" | "lzma" | "lzma2" | "deflate";
  readonly properties: Uint8Array;
  /** Unpacked size in bytes. */
  readonly size: number;
}

/** A 7z folder: data that is unpacked as a whole. */
export interface Folder {
  /** Coders in the order in which they unpack. */
  readonly coders: readonly Coder[];
  readonly packedAt: number;
  readonly packedSize: number;
  readonly size: number;
  readonly crc?: number;
  /** Why it cannot be unpacked. */
  readonly unreadable?: string;
}

/** The contents of one member. */
export interface Part {
  readonly folder: Folder;
  readonly offset: number;
  readonly size: number;
  readonly crc?: number;
}

export interface Streams {
  readonly folders: readonly Folder[];
  readonly parts: readonly Part[];
}

/** @throws {Error} if the header is damaged. */
export function readStreams(reader: Reader): Streams {
  let packed: readonly { readonly at: number; readonly size: number }[] = [];
  let folders: readonly Folder[] = [];
  let parts: readonly Part[] | undefined;
  for (;;) {
    const type = reader.byte();
    if (type === END) break;
    if (type === PACK_INFO) packed = readPacked(reader);
    else if (type === UNPACK_INFO) folders = readFolders(reader, packed);
    else if (type === SUBSTREAMS_INFO) parts = readParts(reader, folders);
    else throw damaged();
  }
  return { folders, parts: parts ?? folders.map(wholeOf) };
}

/** Reads a number of up to eight bytes: the leading one bits of the first byte are the count of bytes that follow. */
export function readNumber(reader: Reader): number {
  const first = reader.byte();
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const mask = 0x80 >> index;
    if ((first & mask) === 0) return checkSafe(value + (first & (mask - 1)) * 2 ** (8 * index));
    value += reader.byte() * 2 ** (8 * index);
  }
  return checkSafe(value);
}

/** Reads a count of items. It is bounded by the bytes left because every item takes at least some. */
export function readCount(reader: Reader, most: number): number {
  const count = readNumber(reader);
  if (count > most) throw new Error(`it has ${count} parts, more than ${most}`);
  return count;
}

/** Reads one bit for each item, the highest first. */
export function readBits(reader: Reader, count: number): readonly boolean[] {
  const bytes = reader.take(Math.ceil(count / 8));
  return Array.from({ length: count }, (_, index) => ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0);
}

/** Reads bits as `readBits` does, after a byte that is 1 if all of them are set. */
export function readOptionalBits(reader: Reader, count: number): readonly boolean[] {
  return reader.byte() === 0 ? readBits(reader, count) : Array.from({ length: count }, () => true);
}

function readPacked(reader: Reader): readonly { readonly at: number; readonly size: number }[] {
  let at = readNumber(reader);
  const count = readCount(reader, MAX_FOLDERS);
  const packed: { at: number; size: number }[] = [];
  for (;;) {
    const type = reader.byte();
    if (type === END) return packed;
    if (type === CRC) readSums(reader, count);
    else if (type !== SIZE) throw damaged();
    else
      for (let index = 0; index < count; index++) {
        const size = readNumber(reader);
        packed.push({ at, size });
        at = checkSafe(at + size);
      }
  }
}

function readFolders(reader: Reader, packed: readonly { readonly at: number; readonly size: number }[]): readonly Folder[] {
  if (reader.byte() !== FOLDER) throw damaged();
  const count = readCount(reader, MAX_FOLDERS);
  // External data, which no known program writes.
  if (reader.byte() !== 0) throw damaged();
  const raw = Array.from({ length: count }, () => readCoders(reader));
  if (reader.byte() !== UNPACK_SIZES) throw damaged();
  const sizes = raw.map(({ outputs }) => Array.from({ length: outputs }, () => readNumber(reader)));
  let sums: readonly (number | undefined)[] = [];
  for (let type = reader.byte(); type !== END; type = reader.byte()) {
    if (type !== CRC) throw damaged();
    sums = readSums(reader, count);
  }
  let stream = 0;
  return raw.map(({ coders, order, packedStreams, unreadable }, index): Folder => {
    const place = packed[stream];
    stream += packedStreams;
    const last = sizes[index]?.[order.at(-1) ?? 0];
    if (place === undefined || last === undefined) throw damaged();
    const crc = sums[index];
    return {
      coders: order.flatMap((at) => {
        const coder = coders[at];
        return coder === undefined ? [] : [{ ...coder, size: sizes[index]?.[at] ?? 0 }];
      }),
      ...{ packedAt: place.at, packedSize: place.size, size: last },
      ...(crc !== undefined && { crc }),
      ...(unreadable !== undefined && { unreadable }),
    };
  });
}

interface RawFolder {
  readonly coders: readonly (Omit<Coder, "size"> | undefined)[];
  /** Indexes of the coders, starting with the one that receives the packed data. */
  readonly order: readonly number[];
  readonly outputs: number;
  readonly packedStreams: number;
  readonly unreadable?: string;
}

function readCoders(reader: Reader): RawFolder {
  const count = readCount(reader, MAX_CODERS);
  if (count === 0) throw damaged();
  const coders: (Omit<Coder, "size"> | undefined)[] = [];
  let [inputs, outputs] = [0, 0];
  let unreadable: string | undefined;
  for (let index = 0; index < count; index++) {
    const flags = reader.byte();
    const id = [...reader.take(flags & 0x0f)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const isSimple = (flags & 0x10) === 0;
    const [coderInputs, coderOutputs] = isSimple ? [1, 1] : [readCount(reader, MAX_CODERS), readCount(reader, MAX_CODERS)];
    const properties = (flags & 0x20) === 0 ? new Uint8Array() : reader.take(readNumber(reader));
    const method = METHODS.get(id);
    coders.push(method === undefined ? undefined : { method, properties });
    if (method === undefined || !isSimple) unreadable = reasonFor(id);
    inputs += coderInputs;
    outputs += coderOutputs;
  }
  if (outputs === 0) throw damaged();
  const bound = Array.from({ length: outputs - 1 }, () => [readNumber(reader), readNumber(reader)] as const);
  const packedStreams = inputs - bound.length;
  if (packedStreams < 1) throw damaged();
  if (packedStreams > 1) for (let index = 0; index < packedStreams; index++) readNumber(reader);
  // Unreadable data needs no order, only its size: that of the output that no other coder reads.
  const main = Array.from({ length: outputs }, (_, output) => output).find((output) => !bound.some(([, from]) => from === output));
  const order = unreadable === undefined ? orderOf(count, bound) : [main ?? 0];
  return { coders, order, outputs, packedStreams, ...(unreadable !== undefined && { unreadable }) };
}

/** Orders simple coders from the one whose input is the packed data to the last. */
function orderOf(count: number, bound: readonly (readonly [input: number, output: number])[]): readonly number[] {
  const order: number[] = [];
  let next = Array.from({ length: count }, (_, index) => index).find((index) => !bound.some(([input]) => input === index));
  while (next !== undefined && order.length < count) {
    order.push(next);
    const from = next;
    next = bound.find(([, output]) => output === from)?.[0];
  }
  if (order.length !== count || new Set(order).size !== count) throw damaged();
  return order;
}

function readParts(reader: Reader, folders: readonly Folder[]): readonly Part[] {
  let counts = folders.map(() => 1);
  let type = reader.byte();
  if (type === STREAM_COUNTS) {
    counts = folders.map(() => readCount(reader, MAX_PARTS));
    if (counts.reduce((sum, count) => sum + count, 0) > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} members`);
    type = reader.byte();
  }
  const hasSizes = type === SIZE;
  const sizes = folders.map(({ size }, index) => partSizes(reader, size, { count: counts[index] ?? 0, hasSizes }));
  if (hasSizes) type = reader.byte();
  // A folder with one member already has the checksum.
  const unknown = folders.reduce((sum, { crc }, index) => sum + (counts[index] === 1 && crc !== undefined ? 0 : (counts[index] ?? 0)), 0);
  let sums: readonly (number | undefined)[] = [];
  for (; type !== END; type = reader.byte()) {
    if (type !== CRC) throw damaged();
    sums = readSums(reader, unknown);
  }
  let next = 0;
  return folders.flatMap((folder, index) => {
    if (counts[index] === 1 && folder.crc !== undefined) return [wholeOf(folder)];
    let offset = 0;
    return (sizes[index] ?? []).map((size): Part => {
      const crc = sums[next++];
      const part = { folder, offset, size, ...(crc !== undefined && { crc }) };
      offset += size;
      return part;
    });
  });
}

/** Sizes of all parts but the last are stored. */
function partSizes(
  reader: Reader,
  total: number,
  { count, hasSizes }: { readonly count: number; readonly hasSizes: boolean },
): readonly number[] {
  if (count === 0) return [];
  const sizes = Array.from({ length: count - 1 }, () => (hasSizes ? readNumber(reader) : 0));
  const rest = total - sizes.reduce((sum, size) => sum + size, 0);
  if (rest < 0) throw damaged();
  return [...sizes, rest];
}

/** Returns a folder as one part. Its checksum is verified when the data is unpacked. */
function wholeOf(folder: Folder): Part {
  return { folder, offset: 0, size: folder.size };
}

function readSums(reader: Reader, count: number): readonly (number | undefined)[] {
  return readOptionalBits(reader, count).map((isThere) => (isThere ? reader.uint32() : undefined));
}

function checkSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw damaged();
  return value;
}

const METHODS: ReadonlyMap<string, Coder["method"]> = new Map([
  ["00", "copy"],
  ["21", "lzma2"],
  ["030101", "lzma"],
  ["040108", "deflate"],
]);

const OTHER_METHODS: ReadonlyMap<string, string> = new Map([
  ["03", "Delta"],
  ["04", "BCJ"],
  ["0a", "ARM64"],
  ["030401", "PPMd"],
  ["040202", "BZip2"],
  ["03030103", "BCJ"],
  ["0303011b", "BCJ2"],
]);

function reasonFor(id: string): string {
  if (id.startsWith("06f107")) return "it is encrypted (passwords are not supported: decrypt it first)";
  return `it is packed by ${OTHER_METHODS.get(id) ?? `method ${id}`} of 7z, which is not supported (supported: LZMA, LZMA2, DEFLATE, stored)`;
}
