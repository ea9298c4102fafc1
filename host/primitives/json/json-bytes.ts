/** Writes JSON whose large values are bytes, in pieces (SPEC LV2). */

import type { Platform, RunningHash, Slices } from "../../platform/platform.ts";
import { LARGE_BYTES } from "../../../sandbox/mod.ts";
import type { JsonPiece } from "./large.ts";

const encoder = new TextEncoder();
const QUOTE = encoder.encode('"');

/** Yields the UTF-8 of the pieces from `toPieces`, in chunks of some 64 KB; bytes that need no change are not copied. */
export async function* piecesBytes(pieces: readonly JsonPiece[], slices: Slices): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) yield* pieceBytes(piece, slices);
}

/** Yields the UTF-8 of one piece. */
export async function* pieceBytes(piece: JsonPiece, slices: Slices): AsyncGenerator<Uint8Array, void> {
  if (typeof piece === "string") yield encoder.encode(piece);
  else if (piece.kind === "json") {
    yield* piecesOf(piece.bytes);
  } else {
    yield QUOTE;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for (const slice of piecesOf(piece.bytes)) yield await slices.run(escaped(decoder, slice));
    // The last call flushes the decoder: a truncated character becomes a replacement character.
    yield encoder.encode(decoder.decode());
    yield QUOTE;
  }
}

// oxlint-disable-next-line require-yield -- one piece of work
function* escaped(decoder: InstanceType<typeof TextDecoder>, slice: Uint8Array): Generator<void, Uint8Array> {
  return encoder.encode(JSON.stringify(decoder.decode(slice, { stream: true })).slice(1, -1));
}

/** Joins the parts into new memory. */
export function* joined(parts: readonly Uint8Array[]): Generator<void, Uint8Array> {
  const whole = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    yield;
  }
  return whole;
}

/** The parts of the platform that hash in slices. */
export type Hasher = Pick<Platform, "slices" | "sha256">;

/** Returns the SHA-256 hash in hexadecimal. */
export async function hashBytes(bytes: Uint8Array, { slices, sha256 }: Hasher): Promise<string> {
  return await slices.run(hashed(bytes, sha256()));
}

function* hashed(bytes: Uint8Array, hash: RunningHash): Generator<void, string> {
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    yield;
  }
  return hash.hex();
}

/** Yields subarrays of the same memory. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += LARGE_BYTES) yield bytes.subarray(at, at + LARGE_BYTES);
}
