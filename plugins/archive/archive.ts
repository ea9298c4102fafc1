/** What all formats are read into, and what all of them are held to. */

import { readSevenZip } from "./seven-zip.ts";
import { readTar } from "./tar.ts";
import { readZip } from "./zip.ts";
import { isGzip, unpack } from "./zlib.ts";

/** A member as the archive names it. The name is the archive's: whoever writes it somewhere checks it first (`safe-path.ts`). */
export interface Member {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** Unpacked, in bytes, as the archive says. */
  readonly size: number;
  /** As it is written in the archive: of some formats in local time, without a zone. */
  readonly modified?: string;
  /** Where a link leads. */
  readonly target?: string;
  /** Why its contents cannot be read here. */
  readonly unreadable?: string;
}

export interface Archive {
  readonly format: "zip" | "tar" | "tar.gz" | "7z";
  readonly members: readonly Member[];
  /** @throws {Error} if it is damaged, or not what the archive says it is. */
  read(member: Member): Promise<Uint8Array>;
}

/** Bytes of an archive that is looked at: it is held in memory. */
export const MAX_ARCHIVE_BYTES: number = 48 * 1024 * 1024;
/** Unpacked bytes of one member, and of what is unpacked as a whole. */
export const MAX_MEMBER_BYTES: number = 32 * 1024 * 1024;
/** Unpacked bytes of all members that one call reads. */
export const MAX_TOTAL_BYTES: number = 128 * 1024 * 1024;
export const MAX_MEMBERS = 20_000;
/** Of texts and programs some packers reach 20; bombs reach 1,000. Only asked where there is much of it. */
const MAX_RATIO = 200;
const RATIO_MATTERS_FROM: number = 4 * 1024 * 1024;

/**
 * Reads what an archive holds, by its first bytes and not by its name.
 *
 * @throws {Error} if it is none of the formats, is damaged or is beyond the bounds.
 */
export async function readArchive(bytes: Uint8Array): Promise<Archive> {
  const archive = await readFormat(bytes);
  const total = archive.members.reduce((sum, { size }) => sum + size, 0);
  if (total > RATIO_MATTERS_FROM && total > MAX_RATIO * bytes.length)
    throw new Error(
      `it says that its ${bytes.length} bytes unpack to ${total}, over ${MAX_RATIO} times as many (that is what bombs do; look at it with a program that you can stop)`,
    );
  return archive;
}

async function readFormat(bytes: Uint8Array): Promise<Archive> {
  if (startsWith(bytes, "PK\x03\x04") || startsWith(bytes, "PK\x05\x06")) return readZip(bytes);
  if (startsWith(bytes, "7z\xbc\xaf\x27\x1c")) return await readSevenZip(bytes);
  if (isGzip(bytes)) return readTar(await unpack("gzip", [bytes], MAX_MEMBER_BYTES), "tar.gz");
  const known = OTHERS.find(([start]) => startsWith(bytes, start));
  if (known !== undefined) throw new Error(`it is packed with ${known[1]}, which is not read here (zip, tar, tar.gz and 7z are)`);
  return readTar(bytes, "tar");
}

const OTHERS: readonly (readonly [start: string, name: string])[] = [
  ["\xfd7zXZ\0", "xz"],
  ["BZh", "bzip2"],
  ["\x28\xb5\x2f\xfd", "zstd"],
  ["Rar!", "RAR"],
  ["PK\x07\x08", "zip in several parts"],
];

function startsWith(bytes: Uint8Array, start: string): boolean {
  return bytes.length >= start.length && [...start].every((character, index) => bytes[index] === character.charCodeAt(0));
}
