/** Permission names of the older manifest spelling (SPEC M9). */

import { isJsonArray, isJsonObject, pointerToken, type JsonValue } from "../text/json.ts";
import { refuseLegacy, toOriginal, type LegacyDraft } from "./legacy-draft.ts";
import { printable } from "../text/names.ts";
import { nearest } from "../text/suggest.ts";

/** The permission names of the older spelling. */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["fs:read", "read"],
  ["fs:write", "write"],
  ["net:outbound", "net"],
  ["shell:execute", "run"],
  ["env:read", "env"],
  ["mcp:connect", "mcp"],
]);

/** Converts `["fs:read"]` or `{ "fs:read": ["docs"] }` to a permission set; other values stay, so that the reader refuses them. */
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

/**
 * Adds the additional permissions of its tools to a plugin's own. In the older spelling a tool may request any permission, in the
 * newer one only a subset of its plugin's. A tool without permissions keeps those that the plugin had before.
 */
export function addToolPermissions(manifest: Record<string, JsonValue>): void {
  const { tools = null, permissions: own = {} } = manifest;
  if (!Array.isArray(tools) || !isJsonObject(own)) return;
  const asked = new Map<string, JsonValue>(Object.entries(own));
  for (const tool of tools) {
    const wanted: JsonValue = isJsonObject(tool) ? (tool["permissions"] ?? {}) : {};
    for (const [kind, item] of Object.entries(isJsonObject(wanted) ? wanted : {})) asked.set(kind, union(asked.get(kind), item));
  }
  if (JSON.stringify(Object.fromEntries(asked)) === JSON.stringify(own)) return;
  manifest["permissions"] = Object.fromEntries(asked);
  manifest["tools"] = tools.map((tool: JsonValue) =>
    isJsonObject(tool) && !Object.hasOwn(tool, "permissions") ? { ...tool, permissions: own } : tool,
  );
}

/** Only lists can be joined. Otherwise the plugin's value stays, and the reader reports the tools that request more. */
function union(own: JsonValue | undefined, more: JsonValue): JsonValue {
  if (own === undefined || own === false || more === true) return more;
  return isJsonArray(own) && isJsonArray(more) ? [...new Set([...own, ...more])] : own;
}
