/** Reads tar files strictly: regular files and folders, with long names in POSIX (pax) and GNU format (SPEC I2). */

import { quote } from "../folder/problems.ts";
import { type ArchiveFile, checkEntryPath, createArchiveCount, decodeName, latinText } from "./archive-entry.ts";
import { PackageError } from "./package-error.ts";

const BLOCK = 512;

/** Returns true if the bytes start with a ustar header. */
export function isTar(bytes: Uint8Array): boolean {
  return bytes.length >= BLOCK && latinText(bytes, 257, 5) === "ustar";
}

/** Returns every regular file. @throws {PackageError} */
export function readTar(bytes: Uint8Array): readonly ArchiveFile[] {
  const files: ArchiveFile[] = [];
  const count = createArchiveCount();
  let longName: string | undefined;
  let at = 0;
  while (at + BLOCK <= bytes.length && bytes[at] !== 0) {
    count.entry();
    const { name, type, size } = readHeader(bytes.subarray(at, at + BLOCK));
    const start = at + BLOCK;
    if (start + size > bytes.length) throw damaged();
    const content = bytes.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x" || type === "L") {
      longName = type === "L" ? decodeName(content).replace(/\0[^]*$/u, "") : (paxPath(content) ?? longName);
      continue;
    }
    // A comment for all files, as git writes it. Any other global header would change the meaning of the entries.
    if (type === "g" && paxKeys(content).every((key) => key === "comment")) continue;
    const written = longName ?? name;
    longName = undefined;
    if (type !== "0" && type !== "5") throw new PackageError(`${quote(written)} ${KINDS.get(type) ?? "is neither a file nor a folder"}`);
    const path = checkEntryPath(written);
    if (type === "5" || written.endsWith("/")) continue;
    if (path === "") throw new PackageError("Contains a file without a name");
    count.bytes(size);
    files.push({ path, bytes: content.slice() });
  }
  if (at + BLOCK > bytes.length) throw damaged();
  return files;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["1", "is a link"],
  ["2", "is a link"],
  ["S", "is a file with holes"],
  ["g", "is a header for all files"],
]);

interface Header {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

function readHeader(block: Uint8Array): Header {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== octal(block, 148, 8)) throw damaged();
  const isPosix = latinText(block, 257, 6) === "ustar\0";
  const prefix = isPosix ? stringOf(block, 345, 155) : "";
  const name = stringOf(block, 0, 100);
  const type = latinText(block, 156, 1);
  return { name: prefix === "" ? name : `${prefix}/${name}`, type: type === "\0" ? "0" : type, size: octal(block, 124, 12) };
}

/** Larger sizes use another encoding, which plugins do not need. */
function octal(block: Uint8Array, at: number, length: number): number {
  const text = latinText(block, at, length)
    .replace(/[\0 ]+$/u, "")
    .trimStart();
  if (!/^[0-7]{1,11}$/u.test(text)) throw damaged();
  return Number.parseInt(text, 8);
}

/**
 * Parses `<length> <key>=<value>
 * `, where length is that of the whole record in bytes.
 */
function paxRecords(content: Uint8Array): readonly (readonly [key: string, value: string])[] {
  const records: [string, string][] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length = space === -1 || space - at > 7 ? 0 : Number(latinText(content, at, space - at));
    if (!Number.isInteger(length) || length <= space - at || at + length > content.length) throw damaged();
    const [, key, value] = /^([^=]+)=([^]*)\n$/u.exec(decodeName(content.subarray(space + 1, at + length))) ?? [];
    if (key === undefined || value === undefined) throw damaged();
    records.push([key, value]);
    at += length;
  }
  return records;
}

/** The header holds the size. A second size is refused, because readers disagree on which one counts. */
function paxPath(content: Uint8Array): string | undefined {
  const records = paxRecords(content);
  if (records.some(([key]) => key === "size" || key.startsWith("GNU.sparse"))) throw new PackageError("Contains a file with two sizes");
  return records.findLast(([key]) => key === "path")?.[1];
}

function paxKeys(content: Uint8Array): readonly string[] {
  return paxRecords(content).map(([key]) => key);
}

function stringOf(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeName(end === -1 ? field : field.subarray(0, end));
}

function damaged(): PackageError {
  return new PackageError("Not a tar file, or damaged");
}
