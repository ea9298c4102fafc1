/** Hashes the large parts of an output for a recording (SPEC B8, LV2). */

import type { OutputPart } from "../../../sandbox/mod.ts";
import { hashBytes, type Hasher } from "../../primitives/json/json-bytes.ts";
import type { RecordedPart } from "../../call/recording.ts";

/** Removes secrets from bytes. Returns the same array if it holds none. */
export type RedactBytes = (part: Pick<OutputPart, "kind" | "bytes">) => Generator<void, Uint8Array>;

export async function recordedParts(
  parts: readonly OutputPart[],
  platform: Hasher,
  redact: RedactBytes,
): Promise<{ readonly parts: readonly RecordedPart[]; readonly isRedacted: boolean }> {
  const recorded: RecordedPart[] = [];
  let isRedacted = false;
  for (const part of parts) {
    const bytes = await platform.slices.run(redact(part));
    isRedacted ||= bytes !== part.bytes;
    recorded.push({ at: part.at, length: bytes.length, sha256: await hashBytes(bytes, platform) });
  }
  return { parts: recorded, isRedacted };
}
