/** Permission names of the older manifest spelling (SPEC M9). */

import { isJsonArray, isJsonObject, pointerToken, type JsonValue } from "./json.ts";
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

/**
 * Adds to a plugin's permissions what its tools ask for beyond them: the older spelling lets a tool ask by itself, and the newer one only lets it ask
 * for less than its plugin. A tool that says nothing keeps what the plugin asked for before.
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

/** Only lists can be joined; of anything else the plugin's stands, and the reader says where a tool asks for more. */
function union(own: JsonValue | undefined, more: JsonValue): JsonValue {
  if (own === undefined || own === false || more === true) return more;
  return isJsonArray(own) && isJsonArray(more) ? [...new Set([...own, ...more])] : own;
}
