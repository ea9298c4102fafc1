/** Permission names of the older manifest spelling (SPEC M9). */

import { isJsonObject, pointerToken, type JsonValue } from "./json.ts";
import { refuseLegacy, toOriginal, type LegacyDraft } from "./legacy-draft.ts";
import { printable } from "./names.ts";
import { nearest } from "./suggest.ts";

/** The permission names of the older spelling. */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["fs:read", "read"],
  ["fs:write", "write"],
  ["net:outbound", "net"],
  ["shell:execute", "run"],
  ["env:read", "env"],
  ["mcp:connect", "mcp"],
]);

/** `["fs:read"]` or `{ "fs:read": ["docs"] }` as a permission set; anything else is passed on to be refused. */
export function legacyPermissions(value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  const entries: readonly (readonly [JsonValue, JsonValue, string])[] = Array.isArray(value)
    ? value.map((name: JsonValue, index) => [name, true, `${pointer}/${index}`] as const)
    : Object.entries(isJsonObject(value) ? value : {}).map(([name, item]) => [name, item, `${pointer}/${pointerToken(name)}`] as const);
  if (entries.length === 0 && !Array.isArray(value)) return value;
  const permissions: Record<string, JsonValue> = {};
  for (const [name, item, place] of entries) {
    const kind = typeof name === "string" ? PERMISSIONS.get(name) : undefined;
    if (kind === undefined) {
      const shown =
        typeof name === "string" ? `"${printable(name)}" is not a permission of the older spelling` : "Permission is not a name";
      refuseLegacy(draft, place, shown, nearest(typeof name === "string" ? name : "", [...PERMISSIONS.keys()]));
      continue;
    }
    permissions[kind] = item;
    draft.places.set(`${pointer}/${kind}`, toOriginal(place, draft.places));
  }
  return permissions;
}
