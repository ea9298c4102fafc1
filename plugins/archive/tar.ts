/** Reads tar files: POSIX's ustar with the long names of pax and of GNU (pax(1), IEEE Std 1003.1-2024). */

import { type Archive, MAX_MEMBERS, type Member } from "./model.ts";
import { damaged, decodeName, NO_UTF8 } from "./bytes.ts";

const BLOCK = 512;

interface TarMember extends Member {
  readonly start: number;
}

/** Values that extension headers set for the next member. */
interface Ahead {
  readonly path?: Uint8Array;
  readonly linkPath?: Uint8Array;
  readonly size?: number;
  readonly isSparse?: boolean;
}

/** @throws {Error} if the archive is damaged or a bound is exceeded. */
export function readTar(bytes: Uint8Array, format: "tar" | "tar.gz"): Archive {
  const members: TarMember[] = [];
  let ahead: Ahead = {};
  let at = 0;
  // Two zero blocks mark the end; many archives end after one.
  while (at + BLOCK <= bytes.length && bytes[at] !== 0) {
    const header = readHeader(bytes.subarray(at, at + BLOCK));
    const isMember = !"xgLK".includes(header.type);
    const size = (isMember ? ahead.size : undefined) ?? header.size;
    const start = at + BLOCK;
    // Some links state a size but have no contents.
    const length = isMember && !hasContents(header.type) ? 0 : size;
    if (start + length > bytes.length) throw new Error("it ends in the middle of a member (damaged or truncated)");
    at = start + Math.ceil(length / BLOCK) * BLOCK;
    if (!isMember) {
      ahead = { ...ahead, ...lookAhead(header.type, bytes.subarray(start, start + length)) };
      continue;
    }
    members.push(toMember(header, ahead, { start, size: length }));
    if (members.length > MAX_MEMBERS) throw new Error(`it has more than ${MAX_MEMBERS} members`);
    ahead = {};
  }
  if (members.length === 0 && !isEmptyTar(bytes)) throw damaged();
  // Callers pass members of this list only.
  const startOf = (member: Member): number => (member as TarMember).start;
  return {
    ...{ format, members },
    read: (member) => Promise.resolve(bytes.subarray(startOf(member), startOf(member) + member.size)),
  };
}

function hasContents(type: string): boolean {
  return !"123456".includes(type);
}

function isEmptyTar(bytes: Uint8Array): boolean {
  return bytes.length >= 2 * BLOCK && bytes.subarray(0, 2 * BLOCK).every((byte) => byte === 0);
}

interface Header {
  readonly name: Uint8Array;
  readonly type: string;
  readonly size: number;
  readonly modified: number;
  readonly target: Uint8Array;
}

function readHeader(block: Uint8Array): Header {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== numberAt(block, 148, 8)) throw damaged();
  const name = fieldAt(block, 0, 100);
  const isPosix = textOf(block.subarray(257, 263)) === "ustar\0";
  const prefix = isPosix ? fieldAt(block, 345, 155) : new Uint8Array();
  return {
    name: prefix.length === 0 ? name : Uint8Array.of(...prefix, 0x2f, ...name),
    type: block[156] === 0 ? "0" : String.fromCharCode(block[156] ?? 0),
    size: numberAt(block, 124, 12),
    modified: numberAt(block, 136, 12),
    target: fieldAt(block, 157, 100),
  };
}

/** Reads octal digits, or GNU's base-256 form, which starts with 0x80, for larger numbers. */
function numberAt(block: Uint8Array, at: number, length: number): number {
  if (block[at] === 0x80) {
    const value = block.subarray(at + 1, at + length).reduce((total, byte) => total * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }
  const text = textOf(block.subarray(at, at + length))
    .replaceAll("\0", " ")
    .trim();
  if (!/^[0-7]*$/u.test(text)) throw damaged();
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function lookAhead(type: string, content: Uint8Array): Ahead {
  if (type === "L") return { path: upToNul(content) };
  if (type === "K") return { linkPath: upToNul(content) };
  const records = paxRecords(content);
  // Global names and sizes are refused: readers disagree on their meaning.
  if (type === "g") {
    if (records.has("path") || records.has("linkpath") || records.has("size")) throw damaged();
    return {};
  }
  const [path, linkPath, size] = [records.get("path"), records.get("linkpath"), records.get("size")];
  if (size !== undefined && !/^\d{1,15}$/u.test(textOf(size))) throw damaged();
  return {
    ...(path !== undefined && { path }),
    ...(linkPath !== undefined && { linkPath }),
    ...(size !== undefined && { size: Number(textOf(size)) }),
    ...([...records.keys()].some((key) => key.startsWith("GNU.sparse")) && { isSparse: true }),
  };
}

/** Parses `<length> <key>=<value>\n` records; `length` is the size of the whole record in bytes. */
function paxRecords(content: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const records = new Map<string, Uint8Array>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space === -1 || space - at > 7 ? 0 : Number(textOf(content.subarray(at, space)));
    const equals = content.indexOf(0x3d, space);
    const end = at + length;
    if (!Number.isInteger(length) || end > content.length || equals <= space || equals >= end || content[end - 1] !== 0x0a) throw damaged();
    records.set(textOf(content.subarray(space + 1, equals)), content.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}

function toMember(header: Header, ahead: Ahead, place: { readonly start: number; readonly size: number }): TarMember {
  const { name, isText } = decodeName(ahead.path ?? header.name);
  const kind = ahead.isSparse === true ? "other" : kindOf(header.type, name);
  const target = decodeName(ahead.linkPath ?? header.target).name;
  const modified = new Date(header.modified * 1_000);
  return {
    ...{ name, kind, ...place },
    ...(!Number.isNaN(modified.getTime()) && { modified: modified.toISOString() }),
    ...(kind === "link" && { target }),
    ...(!isText && { unreadable: NO_UTF8 }),
  };
}

function kindOf(type: string, name: string): Member["kind"] {
  if (type === "1" || type === "2") return "link";
  if (type === "5") return "folder";
  if (type !== "0" && type !== "7") return "other";
  return name.endsWith("/") ? "folder" : "file";
}

function fieldAt(block: Uint8Array, at: number, length: number): Uint8Array {
  return upToNul(block.subarray(at, at + length));
}

function upToNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

/** Decodes byte by byte: keys and numbers are short. */
function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
