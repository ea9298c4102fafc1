/** An event as a row of the journal: its JSON, without what makes it large, at a cost that does not grow with it (SPEC LV2). */

import type { JsonValue } from "../../manifests/mod.ts";
import type { HostEvent } from "./events.ts";

/** Larger events are kept without what makes them large. */
const MAX_TEXT_LENGTH = 64 * 1024;
const MAX_PART_LENGTH = 1_024;
const LARGE = ["output", "arguments", "partialOutput", "errors"] as const;

export function toEventText(event: HostEvent): string {
  if (lengthWithin(event.payload, MAX_TEXT_LENGTH) <= MAX_TEXT_LENGTH) {
    const text = JSON.stringify(event);
    if (text.length <= MAX_TEXT_LENGTH) return text;
  }
  const payload: Record<string, unknown> = { ...event.payload };
  for (const key of LARGE) {
    const part = payload[key];
    if (part !== undefined && lengthWithin(part, MAX_PART_LENGTH) > MAX_PART_LENGTH) payload[key] = leftOut(part);
  }
  if (lengthWithin(payload, MAX_TEXT_LENGTH) <= MAX_TEXT_LENGTH) {
    const short = JSON.stringify({ ...event, payload });
    if (short.length <= MAX_TEXT_LENGTH) return short;
  }
  const { id, time, type, sessionId, callId, plugin, digest } = event;
  return JSON.stringify({ id, time, type, sessionId, callId, plugin, digest, payload: { leftOut: true } });
}

/** How much there was is said where it is known without going through it. */
function leftOut(part: unknown): JsonValue {
  return { leftOut: true, ...(typeof part === "string" && { characters: part.length }) };
}

/**
 * At least the length of a value's JSON less what escapes add, and at most that much; or anything above `most` as soon as that is
 * sure, so that no more than `most` of it is looked at.
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
