/** The large parts of an output as a recording has them: their hashes (SPEC B8, LV2). */

import type { OutputPart } from "../../../sandbox/mod.ts";
import { hashBytes, type Hasher } from "../../primitives/json/json-bytes.ts";
import type { RecordedPart } from "../../call/recording.ts";

/** Takes secrets out of bytes; gives the same bytes where there is none. */
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
