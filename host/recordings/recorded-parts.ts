/** The large parts of an output as a recording has them: their hashes (SPEC B8, LV2). */

import type { OutputPart } from "../../sandbox/mod.ts";
import { piecesOf } from "../json/json-bytes.ts";
import type { Platform, RunningHash } from "../platform/platform.ts";
import type { RecordedPart } from "./recording.ts";

/** Takes secrets out of bytes; gives the same bytes where there is none. */
export type RedactBytes = (part: Pick<OutputPart, "kind" | "bytes">) => Generator<void, Uint8Array>;

export async function recordedParts(
  parts: readonly OutputPart[],
  { slices, sha256 }: Pick<Platform, "slices" | "sha256">,
  redact: RedactBytes,
): Promise<{ readonly parts: readonly RecordedPart[]; readonly isRedacted: boolean }> {
  const recorded: RecordedPart[] = [];
  let isRedacted = false;
  for (const part of parts) {
    const bytes = await slices.run(redact(part));
    isRedacted ||= bytes !== part.bytes;
    recorded.push({ at: part.at, length: bytes.length, sha256: await slices.run(hashed(bytes, sha256())) });
  }
  return { parts: recorded, isRedacted };
}

export function* hashed(bytes: Uint8Array, hash: RunningHash): Generator<void, string> {
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    yield;
  }
  return hash.hex();
}
