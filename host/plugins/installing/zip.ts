/**
 * Reads zip files strictly: everything that two readers could interpret differently is refused (APPNOTE.TXT 6.3.10).
 *
 * Uses names and sizes of the central directory; the headers before the data must match.
 */

import { quote } from "../folder/problems.ts";
import { FOLDER_BOUNDS } from "../folder/walk.ts";
import { type ArchiveBounds, type ArchiveFile, checkEntryPath, createArchiveCount, decodeName } from "./archive-entry.ts";
import { inflate } from "./inflate.ts";
import { PackageError } from "./package-error.ts";

const END = 0x06054b50;
const END_BYTES = 22;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** Returns true if the bytes start with a zip signature. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes.length >= END_BYTES && [LOCAL, END].includes(viewOf(bytes).getUint32(0, true));
}

/** Returns every regular file. @throws {PackageError} */
export function readZip(bytes: Uint8Array, bounds: ArchiveBounds = FOLDER_BOUNDS): readonly ArchiveFile[] {
  const view = viewOf(bytes);
  const end = findEnd(view);
  const count = createArchiveCount(bounds);
  const files: ArchiveFile[] = [];
  let at = end.directory;
  for (let index = 0; index < end.entries; index += 1) {
    count.entry();
    const entry = readEntry(bytes, at, end.at);
    at = entry.next;
    const path = checkEntryPath(entry.name, bounds);
    if (entry.isFolder) continue;
    if (path === "") throw new PackageError("Contains a file without a name");
    count.bytes(entry.size);
    const { executable } = entry;
    files.push({ path, bytes: contentOf(bytes, entry, end.directory), ...(executable && { executable }) });
  }
  if (at !== end.at) throw damaged();
  return files;
}

interface End {
  readonly at: number;
  readonly entries: number;
  readonly directory: number;
}

/** Accepts only an end record at the end of the file, directly after the directory. */
function findEnd(view: DataView): End {
  const lowest = Math.max(0, view.byteLength - END_BYTES - 0xffff);
  for (let at = view.byteLength - END_BYTES; at >= lowest; at -= 1) {
    if (view.getUint32(at, true) !== END || view.getUint16(at + 20, true) !== view.byteLength - at - END_BYTES) continue;
    const [entries, size, directory] = [view.getUint16(at + 10, true), view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
    if (entries === 0xffff || directory === 0xffffffff) throw new PackageError("zip64 files are not supported");
    if (directory + size !== at || view.getUint16(at + 8, true) !== entries) throw damaged();
    return { at, entries, directory };
  }
  throw damaged();
}

interface ZipEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly executable: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly header: number;
  readonly next: number;
}

function readEntry(bytes: Uint8Array, at: number, end: number): ZipEntry {
  const view = viewOf(bytes);
  if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL) throw damaged();
  const nameLength = view.getUint16(at + 28, true);
  const next = at + CENTRAL_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > end) throw damaged();
  const name = decodeName(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength));
  const method = view.getUint16(at + 10, true);
  if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) throw new PackageError(`${quote(name)} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw new PackageError(`${quote(name)} uses an unsupported compression method`);
  const mode = view.getUint32(at + 38, true) >>> 16;
  checkKind(name, mode & 0o170000);
  const isFolder = name.endsWith("/");
  const size = view.getUint32(at + 24, true);
  if (isFolder && size !== 0) throw damaged();
  return {
    ...{ name, isFolder, method, size, next, executable: (mode & 0o111) !== 0 },
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    header: view.getUint32(at + 42, true),
  };
}

/** Unix file types; archives from other systems have none. */
function checkKind(name: string, kind: number): void {
  if (kind === 0o120000) throw new PackageError(`${quote(name)} is a link`);
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) throw new PackageError(`${quote(name)} is neither a file nor a folder`);
}

/** @param limit start of the directory: all data must lie before it. */
function contentOf(bytes: Uint8Array, { name, method, packed, size, header, crc }: ZipEntry, limit: number): Uint8Array {
  const view = viewOf(bytes);
  if (header + LOCAL_BYTES > limit || view.getUint32(header, true) !== LOCAL) throw damaged();
  const nameEnd = header + LOCAL_BYTES + view.getUint16(header + 26, true);
  const start = nameEnd + view.getUint16(header + 28, true);
  if (start + packed > limit || decodeName(bytes.subarray(header + LOCAL_BYTES, nameEnd)) !== name) throw damaged();
  if (view.getUint16(header + 8, true) !== method) throw damaged();
  const data = bytes.subarray(start, start + packed);
  const content = method === STORED ? data.slice() : inflate("raw", data, size);
  if (content.length !== size || crc32(content) !== crc)
    throw new PackageError(`${quote(name)} does not match the size or checksum in the archive`);
  return content;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(): PackageError {
  return new PackageError("Not a zip file, or damaged");
}

const CRC_TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 0 ? value >>> 1 : 0xedb88320 ^ (value >>> 1);
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}
