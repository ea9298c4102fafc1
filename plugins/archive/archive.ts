/** Reads archives of every format into one model (`model.ts`), within its bounds. */

import { type Archive, MAX_MEMBER_BYTES } from "./model.ts";
import { readSevenZip } from "./seven-zip.ts";
import { readTar } from "./tar.ts";
import { readZip } from "./zip.ts";
import { isGzip, unpack } from "./zlib.ts";

/** Highest accepted compression ratio. Some packers reach 20 with texts and programs; bombs reach 1,000. Checked for large totals only. */
const MAX_RATIO = 200;
const RATIO_MATTERS_FROM: number = 4 * 1024 * 1024;

/**
 * Reads the members of an archive. The format is detected by the first bytes, not by the file name.
 *
 * @throws {Error} if the format is unknown, the archive is damaged, or a bound is exceeded.
 */
export async function readArchive(bytes: Uint8Array): Promise<Archive> {
  const archive = await readFormat(bytes);
  const total = archive.members.reduce((sum, { size }) => sum + size, 0);
  if (total > RATIO_MATTERS_FROM && total > MAX_RATIO * bytes.length)
    throw new Error(
      `its ${bytes.length} bytes unpack to ${total}, over ${MAX_RATIO} times as many (probably a zip bomb; open it in a program that you can stop)`,
    );
  return archive;
}

async function readFormat(bytes: Uint8Array): Promise<Archive> {
  if (startsWith(bytes, "PK\x03\x04") || startsWith(bytes, "PK\x05\x06")) return readZip(bytes);
  if (startsWith(bytes, "7z\xbc\xaf\x27\x1c")) return await readSevenZip(bytes);
  if (isGzip(bytes)) return readTar(await unpack("gzip", [bytes], MAX_MEMBER_BYTES), "tar.gz");
  const known = OTHERS.find(([start]) => startsWith(bytes, start));
  if (known !== undefined) throw new Error(`it is packed with ${known[1]}, which is not supported (supported: zip, tar, tar.gz, 7z)`);
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
