/** Takes configured fields out of what is shown and kept (SPEC AU4). */

import { isJsonArray, isJsonObject, type JsonValue } from "../../manifests/mod.ts";

const REDACTED = "[redacted]";

/** @param names of members, letter case aside, wherever they are; asked each time. The very same value where there are none. */
export function createFieldRedaction(names: () => readonly string[]): (value: JsonValue) => JsonValue {
  return (value) => {
    const hidden = names();
    return hidden.length === 0 ? value : withoutFields(value, new Set(hidden.map((name) => name.toLowerCase())));
  };
}

function withoutFields(value: JsonValue, hidden: ReadonlySet<string>): JsonValue {
  if (isJsonArray(value)) return value.map((item) => withoutFields(item, hidden));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hidden.has(key.toLowerCase()) ? REDACTED : withoutFields(item, hidden)]),
  );
}
