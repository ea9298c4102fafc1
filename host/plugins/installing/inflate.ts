/** Decompresses bytes up to a maximum size. */

import { Gunzip, Inflate } from "fflate";
import { errorText } from "../../platform/error-text.ts";
import { PackageError } from "./package-error.ts";

/** Compressed bytes per step: at most 4 MiB are produced before the size is checked again. */
const STEP_BYTES = 4_096;

/**
 * @param format `raw` as in zip files (RFC 1951), `gzip` as in RFC 1952.
 * @throws {PackageError} if there are more than `maxBytes`, or the data is not valid.
 */
export function inflate(format: "raw" | "gzip", bytes: Uint8Array, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let total = 0;
  let isOver = false;
  const take = (piece: Uint8Array, final: boolean): void => {
    total += piece.length;
    isOver ||= final;
    if (total > maxBytes) throw new PackageError(`Holds more than ${maxBytes} bytes`);
    if (piece.length > 0) pieces.push(piece);
  };
  const stream = format === "raw" ? new Inflate(take) : new Gunzip(take);
  try {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      stream.push(bytes.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length);
    }
  } catch (error) {
    if (error instanceof PackageError) throw error;
    throw new PackageError(`Compressed data is damaged: ${errorText(error)}`);
  }
  if (!isOver) throw new PackageError("Compressed data ends too early");
  return joined(pieces, total);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
