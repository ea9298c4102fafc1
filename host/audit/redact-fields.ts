/** Takes configured fields out of what is shown and kept (SPEC AU4). */

import { isJsonArray, isJsonObject, type JsonValue } from "../../manifests/mod.ts";

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
