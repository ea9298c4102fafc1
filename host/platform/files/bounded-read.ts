/** Reads from an open file without ever holding more than was asked for, even if the file grows meanwhile. */

import type { FileHandle } from "node:fs/promises";
import { fileError } from "./file-errors.ts";
import type { WaitForRoom } from "../platform.ts";

/** Range to read. Without `length`, everything from `offset` on, which must fit into `maxBytes`. */
interface ReadRange {
  readonly maxBytes: number;
  readonly offset?: number;
  readonly length?: number;
  readonly makeRoom?: WaitForRoom;
}

const FIRST_CHUNK_BYTES = 64 * 1024;

/** Reads a range. @throws {FileError} `too_large` if the file holds, or `length` asks for, more than `maxBytes` */
export async function readBounded(file: FileHandle, range: ReadRange): Promise<Uint8Array> {
  const { maxBytes, offset = 0, length, makeRoom } = range;
  if (length !== undefined && length > maxBytes) throw fileError("too_large");
  // One extra byte shows whether there is more than allowed.
  const wanted = length ?? maxBytes + 1;
  const { size } = await file.stat();
  if (length === undefined && size - offset > maxBytes) throw fileError("too_large");

  // The size is only a guess: files grow, and some (in FUSE or /proc) report 0.
  const guess = Math.min(wanted, Math.max(size - offset + 1, size === 0 ? FIRST_CHUNK_BYTES : 1));
  await makeRoom?.(guess);
  let buffer = new Uint8Array(guess);
  let filled = 0;
  while (filled < wanted) {
    if (filled === buffer.length) {
      const larger = Math.min(wanted, Math.max(filled * 2, FIRST_CHUNK_BYTES));
      await makeRoom?.(larger);
      buffer = enlarged(buffer, larger);
    }
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, offset + filled);
    filled += bytesRead;
    // A short read of a file that has a size ends at its end; another read would only say so.
    if (bytesRead === 0 || (size > 0 && filled >= size - offset && filled < buffer.length)) break;
  }
  if (length === undefined && filled > maxBytes) throw fileError("too_large");
  // A view is kept if it fills most of the buffer, because copying many bytes would block the thread.
  return filled * 2 > buffer.length ? buffer.subarray(0, filled) : buffer.slice(0, filled);
}

/** Writes all of `data` at the file's position (or its end, for a file opened to append). */
export async function writeAll(file: FileHandle, data: Uint8Array): Promise<void> {
  let written = 0;
  while (written < data.length) {
    const { bytesWritten } = await file.write(data, written, data.length - written, null);
    written += bytesWritten;
  }
}

function enlarged(buffer: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(buffer);
  return larger;
}
