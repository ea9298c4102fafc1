/** Converts an event to a row of the journal: its JSON without large parts, at a bounded cost (SPEC LV2). */

import type { JsonValue } from "../../manifests/mod.ts";
import type { HostEvent } from "./events.ts";

/** Members of a row beside its event: the host that wrote it, and the owner of its session (SPEC FR2). */
interface RowMark {
  readonly host: string;
  readonly owner?: string;
}

/** Maximum length of a row; larger events are kept without their large parts. */
const MAX_TEXT_LENGTH = 64 * 1024;
const MAX_PART_LENGTH = 1_024;
const LARGE = ["output", "arguments", "partialOutput", "errors"] as const;

export function toEventText(event: HostEvent, mark?: RowMark): string {
  if (lengthWithin(event.payload, MAX_TEXT_LENGTH) <= MAX_TEXT_LENGTH) {
    const text = JSON.stringify(mark === undefined ? event : { ...event, ...mark });
    if (text.length <= MAX_TEXT_LENGTH) return text;
  }
  const payload: Record<string, unknown> = { ...event.payload };
  for (const key of LARGE) {
    const part = payload[key];
    if (part !== undefined && lengthWithin(part, MAX_PART_LENGTH) > MAX_PART_LENGTH) payload[key] = leftOut(part);
  }
  if (lengthWithin(payload, MAX_TEXT_LENGTH) <= MAX_TEXT_LENGTH) {
    const short = JSON.stringify({ ...event, payload, ...mark });
    if (short.length <= MAX_TEXT_LENGTH) return short;
  }
  const { id, time, type, sessionId, callId, plugin, digest } = event;
  return JSON.stringify({ id, time, type, sessionId, callId, plugin, digest, payload: { leftOut: true }, ...mark });
}

/** The size is included only if it is known without a traversal. */
function leftOut(part: unknown): JsonValue {
  return { leftOut: true, ...(typeof part === "string" && { characters: part.length }) };
}

/**
 * Estimates the length of a value's JSON, not counting escapes. Stops as soon as the sum exceeds `most`, so at most that much of the value
 * is read.
 */
function lengthWithin(value: unknown, most: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      length += 1 + lengthWithin(item, most - length);
      if (length > most) break;
    }
    return length;
  }
  for (const key in value) {
    length += key.length + 4 + lengthWithin((value as Readonly<Record<string, unknown>>)[key], most - length);
    if (length > most) break;
  }
  return length;
}
