/**
 * Reads 7z files (`7zFormat.txt` of the LZMA SDK) whose data is stored, or packed by LZMA, LZMA2 or DEFLATE, which is what 7-Zip
 * writes for everything but programs. Members packed by other methods are listed with the reason why they cannot be read.
 */

import { type Archive, MAX_MEMBER_BYTES, MAX_MEMBERS, type Member } from "./model.ts";
import { damaged, Reader } from "./bytes.ts";
import { readFiles } from "./seven-zip-files.ts";
import { type Folder, readStreams, type Streams } from "./seven-zip-streams.ts";
import { unpackLzma } from "./lzma.ts";
import { unpackLzma2 } from "./lzma2.ts";
import { checkSum, unpack } from "./zlib.ts";

const HEADER_BYTES = 32;
const MAX_HEADER_BYTES: number = 8 * 1024 * 1024;
const HEADER = 0x01;
const ARCHIVE_PROPERTIES = 0x02;
const ADDITIONAL_STREAMS = 0x03;
const MAIN_STREAMS = 0x04;
const FILES = 0x05;
const END = 0x00;
const ENCODED_HEADER = 0x17;

/** Where a member's bytes lie in the unpacked folder. */
interface SevenZipMember extends Member {
  readonly folder?: Folder;
  readonly offset: number;
  readonly crc?: number;
}

/** @throws {Error} if the archive is damaged or a bound is exceeded. */
export async function readSevenZip(bytes: Uint8Array): Promise<Archive> {
  const header = await readHeader(bytes);
  const members = header === undefined ? [] : readMembers(header);
  // A folder holds many members and can only be unpacked from its start, so the last unpacked folder is kept.
  let last: { readonly folder: Folder; readonly content: Uint8Array } | undefined;
  return {
    ...{ format: "7z", members },
    async read(member) {
      // Callers pass members of this list only.
      const { folder, offset, size, crc } = member as SevenZipMember;
      if (folder === undefined) return new Uint8Array();
      if (last?.folder !== folder) last = { folder, content: await unpackFolder(bytes, folder) };
      const content = last.content.subarray(offset, offset + size);
      if (crc !== undefined) await checkSum(content, crc);
      return content;
    },
  };
}

/** Returns the header, unpacked if necessary; undefined for an empty archive. */
async function readHeader(bytes: Uint8Array): Promise<Reader | undefined> {
  const start = new Reader(bytes, 8);
  const startCrc = start.uint32();
  await checkSum(bytes.subarray(12, HEADER_BYTES), startCrc);
  const [offset, size, crc] = [start.uint64(), start.uint64(), start.uint32()];
  if (size === 0) return undefined;
  if (size > MAX_HEADER_BYTES) throw new Error(`its list of members has ${size} bytes, more than ${MAX_HEADER_BYTES}`);
  let header = new Reader(bytes, HEADER_BYTES).take(offset + size).subarray(offset);
  await checkSum(header, crc);
  // A header can be packed several times; programs rarely do so.
  for (let times = 0; times < 4; times++) {
    const reader = new Reader(header);
    const type = reader.byte();
    if (type === HEADER) return reader;
    if (type !== ENCODED_HEADER) throw damaged();
    const [folder] = readStreams(reader).folders;
    if (folder === undefined) throw damaged();
    if (folder.unreadable !== undefined) throw new Error(`its list of members cannot be read: ${folder.unreadable}`);
    if (folder.size > MAX_HEADER_BYTES) throw new Error(`its list of members has ${folder.size} bytes, more than ${MAX_HEADER_BYTES}`);
    header = await unpackFolder(bytes, folder);
  }
  throw damaged();
}

function readMembers(header: Reader): readonly SevenZipMember[] {
  let streams: Streams = { folders: [], parts: [] };
  for (;;) {
    const type = header.byte();
    if (type === END) return [];
    if (type === MAIN_STREAMS) streams = readStreams(header);
    else if (type === FILES) return placeMembers(header, streams);
    else if (type === ARCHIVE_PROPERTIES || type === ADDITIONAL_STREAMS) throw new Error("its header has an obsolete format");
    else throw damaged();
  }
}

/** Non-empty members have their contents one after the other, in listed order. */
function placeMembers(header: Reader, { parts }: Streams): readonly SevenZipMember[] {
  let index = 0;
  const members = readFiles(header, MAX_MEMBERS).map(({ isEmpty, ...member }): SevenZipMember => {
    if (isEmpty) return { ...member, offset: 0 };
    const part = parts[index++];
    if (part === undefined) throw damaged();
    const { unreadable } = part.folder;
    return { ...member, ...part, ...(unreadable !== undefined && { unreadable }) };
  });
  if (index !== parts.length) throw damaged();
  return members;
}

async function unpackFolder(bytes: Uint8Array, folder: Folder): Promise<Uint8Array> {
  if (folder.size > MAX_MEMBER_BYTES)
    throw new Error(`its members are packed together as ${folder.size} bytes, more than ${MAX_MEMBER_BYTES}`);
  let content = new Reader(bytes, HEADER_BYTES).take(folder.packedAt + folder.packedSize).subarray(folder.packedAt);
  for (const { method, properties, size } of folder.coders) {
    if (size > MAX_MEMBER_BYTES) throw damaged();
    if (method === "deflate") content = await unpack("deflate-raw", [content], size);
    else if (method === "lzma") content = unpackLzma(content, properties, size);
    else if (method === "lzma2") content = unpackLzma2(content, size);
    if (content.length !== size) throw damaged();
  }
  if (folder.crc !== undefined) await checkSum(content, folder.crc);
  return content;
}
