/** Takes configured fields out of what is shown and kept (SPEC AU4). */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** In place of a hidden value. */
export const REDACTED = "[redacted]";

/** @param names of members, letter case aside, wherever they are; asked each time. The very same value where there are none. */
export function createFieldRedaction(names: () => readonly string[]): (value: JsonValue) => JsonValue {
  return (value) => {
    const isHidden = hiddenFields(names());
    return isHidden === undefined ? value : withoutFields(value, isHidden);
  };
}

/** Which members are hidden; undefined where none is. */
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
 * The embedding program's redaction, which may throw or answer with something else than a value of the same form: then every text and number is
 * hidden, so that nothing that it was to take out is seen, and nothing that is under way ends by it. Told once.
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
      throw new TypeError("what it answered is not of the form of what it was given");
    } catch (error) {
      if (!hasTold) onDefect("events.redact failed, and what it was given is hidden as a whole", error);
      hasTold = true;
      return hideAll(value);
    }
  };
}

/** An object stays a plain object; events are nothing without the members that they have. */
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
