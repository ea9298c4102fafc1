/** Reads a plugin's archive in any supported format, within the bounds of a plugin's folder (SPEC I2). */

import { FOLDER_BOUNDS } from "../folder/walk.ts";
import type { ArchiveFile } from "./archive-entry.ts";
import { inflate } from "./inflate.ts";
import { PackageError } from "./package-error.ts";
import { isTar, readTar } from "./tar.ts";
import { isZip, readZip } from "./zip.ts";

/** Headers and padding add to the size of the files. */
export const MAX_TAR_BYTES: number = FOLDER_BOUNDS.totalBytes + FOLDER_BOUNDS.entries * 2_048;

/** Detects the format by the first bytes, not by the name. @throws {PackageError} */
export function readArchive(bytes: Uint8Array): readonly ArchiveFile[] {
  if (isZip(bytes)) return readZip(bytes);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return readTar(inflate("gzip", bytes, MAX_TAR_BYTES));
  if (isTar(bytes)) return readTar(bytes);
  throw new PackageError("Not a plugin: neither a folder nor a zip, tar or tar.gz file");
}
