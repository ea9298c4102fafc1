/**
 * Reads zip files (APPNOTE.TXT 6.3.10). Names and sizes come from the central directory; local headers only locate the data.
 *
 * Ambiguous archives are refused, because what one program checks must be what another unpacks.
 */

import { type Archive, MAX_MEMBERS, type Member } from "./model.ts";
import { damaged, decodeName, NO_UTF8, Reader } from "./bytes.ts";
import { checkSum, unpackChecked } from "./zlib.ts";

const END = 0x06054b50;
const END_BYTES = 22;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const MADE_ON_UNIX = 3;

/** A member and the location of its data. */
interface ZipMember extends Member {
  readonly method: number;
  readonly crc: number;
  readonly header: number;
  readonly start: number;
  readonly end: number;
}

/** @throws {Error} if the archive is damaged, ambiguous, or a bound is exceeded. */
export function readZip(bytes: Uint8Array): Archive {
  const end = findEnd(bytes);
  const directory = new Reader(bytes.subarray(0, end.at), end.directory);
  const members: ZipMember[] = [];
  for (let index = 0; index < end.entries; index++) members.push(readEntry(directory, bytes.subarray(0, end.directory)));
  if (directory.left > 0) throw damaged();
  checkOverlaps(members);
  // Callers pass members of this list only.
  return { format: "zip", members, read: async (member) => await contentOf(bytes, member as ZipMember) };
}

/** Finds the end record at the very end, with the directory directly before it. */
function findEnd(bytes: Uint8Array): { readonly at: number; readonly entries: number; readonly directory: number } {
  const lowest = Math.max(0, bytes.length - END_BYTES - 0xffff);
  for (let at = bytes.length - END_BYTES; at >= lowest; at--) {
    const reader = new Reader(bytes, at);
    if (reader.uint32() !== END) continue;
    reader.take(4);
    const [onThisDisk, entries, size, directory, comment] = [
      reader.uint16(),
      reader.uint16(),
      reader.uint32(),
      reader.uint32(),
      reader.uint16(),
    ];
    if (comment !== reader.left) continue;
    if (entries === 0xffff || directory === 0xffffffff)
      throw new Error("zip64 is not supported (pack it again; zip64 is for over 65,534 members or 4 GB)");
    if (onThisDisk !== entries || directory + size !== at) throw damaged();
    if (entries > MAX_MEMBERS) throw new Error(`it has ${entries} members, more than ${MAX_MEMBERS}`);
    return { at, entries, directory };
  }
  throw damaged();
}

function readEntry(directory: Reader, before: Uint8Array): ZipMember {
  if (directory.uint32() !== CENTRAL) throw damaged();
  directory.take(1);
  const system = directory.byte();
  directory.take(2);
  const [flags, method, time, date] = [directory.uint16(), directory.uint16(), directory.uint16(), directory.uint16()];
  const [crc, packed, size] = [directory.uint32(), directory.uint32(), directory.uint32()];
  const [nameLength, extraLength, commentLength] = [directory.uint16(), directory.uint16(), directory.uint16()];
  directory.take(4);
  const [attributes, header] = [directory.uint32(), directory.uint32()];
  const written = directory.take(nameLength);
  directory.take(extraLength + commentLength);
  const { name, isText } = decodeName(written);
  const kind = kindOf(name, system === MADE_ON_UNIX ? (attributes >>> 16) & 0o170000 : 0);
  const start = dataAfter(new Reader(before, header), written);
  if (start + packed > before.length) throw damaged();
  const unreadable = isText ? whyNot(flags, method, size) : NO_UTF8;
  return {
    ...{ name, kind, size, method, crc, header, start },
    end: start + packed,
    ...(date !== 0 && { modified: toDate(date, time) }),
    ...(unreadable !== undefined && { unreadable }),
  };
}

function kindOf(name: string, type: number): Member["kind"] {
  if (type === 0o120000) return "link";
  if (name.endsWith("/")) return "folder";
  return type === 0 || type === 0o100000 ? "file" : "other";
}

function whyNot(flags: number, method: number, size: number): string | undefined {
  if ((flags & ENCRYPTED) !== 0) return "it is encrypted (passwords are not supported: decrypt it first)";
  if (method !== STORED && method !== DEFLATED) return `it is packed by method ${method} of zip, which is not supported (supported: 0, 8)`;
  return size === 0xffffffff ? "its size is in zip64 format, which is not supported" : undefined;
}

/** Locates the data of a member. The local header must have the same name. */
function dataAfter(header: Reader, name: Uint8Array): number {
  if (header.uint32() !== LOCAL) throw damaged();
  header.take(LOCAL_BYTES - 8);
  const [nameLength, extraLength] = [header.uint16(), header.uint16()];
  const same = header.take(nameLength);
  if (same.length !== name.length || same.some((byte, index) => byte !== name[index])) throw damaged();
  header.take(extraLength);
  return header.at;
}

/** Refuses members that share data, which lets a small file unpack to petabytes (Fifield, "A better zip bomb", 2019). */
function checkOverlaps(members: readonly ZipMember[]): void {
  let end = 0;
  for (const { name, header, end: next } of members.toSorted((left, right) => left.header - right.header)) {
    if (header < end) throw new Error(`member ${JSON.stringify(name)} shares its data with another (probably a zip bomb)`);
    end = next;
  }
}

async function contentOf(bytes: Uint8Array, { start, end, method, size, crc }: ZipMember): Promise<Uint8Array> {
  const data = bytes.subarray(start, end);
  if (method === DEFLATED) return await unpackChecked(data, size, crc);
  if (data.length !== size) throw damaged();
  await checkSum(data, crc);
  return data;
}

/** Converts an MS-DOS time: two-second precision, no time zone. */
function toDate(date: number, time: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${1980 + (date >>> 9)}-${two((date >>> 5) & 15)}-${two(date & 31)}`;
  return `${day}T${two(time >>> 11)}:${two((time >>> 5) & 63)}:${two((time & 31) * 2)}`;
}
