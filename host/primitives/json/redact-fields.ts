/** Redacts configured fields in shown and kept data (SPEC AU4). */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** Replacement of a redacted value. */
export const REDACTED = "[redacted]";

/**
 * Returns the redaction; without names it returns the same value. @param names of members at any depth, case-insensitive; read on every use
 */
export function createFieldRedaction(names: () => readonly string[]): (value: JsonValue) => JsonValue {
  return (value) => {
    const isHidden = hiddenFields(names());
    return isHidden === undefined ? value : withoutFields(value, isHidden);
  };
}

/** Returns a test for redacted members; undefined if none is. */
export function hiddenFields(names: readonly string[]): ((name: string) => boolean) | undefined {
  if (names.length === 0) return undefined;
  const hidden = new Set(names.map((name) => name.toLowerCase()));
  return (name) => hidden.has(name.toLowerCase());
}

function withoutFields(value: JsonValue, isHidden: (name: string) => boolean): JsonValue {
  if (isJsonArray(value)) return value.map((item) => withoutFields(item, isHidden));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isHidden(key) ? REDACTED : withoutFields(item, isHidden)]));
}

/**
 * Guards the embedding program's redaction: if it throws or returns a value of another form, every text and number is hidden and the
 * operation goes on. The defect is reported once.
 */
export function guardRedaction(
  redact: (value: JsonValue) => JsonValue,
  onDefect: (message: string, error?: unknown) => void,
): (value: JsonValue) => JsonValue {
  let hasTold = false;
  return (value) => {
    try {
      const redacted = redact(value);
      if (isSameForm(value, redacted)) return redacted;
      throw new TypeError("it returned a value of another form");
    } catch (error) {
      if (!hasTold) onDefect("events.redact failed; its input is hidden as a whole", error);
      hasTold = true;
      return hideAll(value);
    }
  };
}

/** A plain object must stay one, because events need their members. */
function isSameForm(before: JsonValue, after: unknown): boolean {
  if (!isJsonObject(before)) return after !== undefined && typeof after !== "function" && !(after instanceof Promise);
  return typeof after === "object" && after !== null && !Array.isArray(after) && !(after instanceof Promise);
}

function hideAll(value: JsonValue): JsonValue {
  if (typeof value === "string") return REDACTED;
  if (typeof value === "number") return 0;
  if (isJsonArray(value)) return value.map(hideAll);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideAll(item)])) : value;
}
