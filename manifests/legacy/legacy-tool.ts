/** Converts one tool of the older manifest spelling to the canonical form (SPEC M9). */

import { isJsonArray, isJsonObject, pointerToken, type JsonObject, type JsonValue } from "../text/json.ts";
import { refuseLegacy, refuseMixture, toOriginal, warnLegacy, type LegacyDraft } from "./legacy-draft.ts";
import { legacyPermissions } from "./legacy-permissions.ts";
import { legacySchema } from "./legacy-schema.ts";
import { MODULE_EXTENSIONS } from "../text/module-path.ts";
import { printable } from "../text/names.ts";
import { OLDER_SIDE_EFFECTS } from "../permissions/side-effect.ts";
import { nearest } from "../text/suggest.ts";

/** Renamed fields. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["function", "export"],
  ["parameters", "inputSchema"],
  ["input_schema", "inputSchema"],
  ["output_schema", "outputSchema"],
  ["side_effects", "sideEffects"],
  ["requires_fs", "requires"],
  ["timeout_ms", "timeoutMs"],
  ["allowed_callers", "callers"],
]);
/** Fields that only the newer spelling has. */
const NEWER: ReadonlySet<string> = new Set(["export", "inputSchema", "outputSchema", "sideEffects", "requires", "timeoutMs", "callers"]);

const MODES: ReadonlyMap<JsonValue, readonly ("read" | "write")[]> = new Map<JsonValue, readonly ("read" | "write")[]>([
  ["r", ["read"]],
  ["read", ["read"]],
  ["w", ["write"]],
  ["write", ["write"]],
  ["rw", ["read", "write"]],
]);

/** Returns the tool in canonical fields; fields unknown to both spellings stay, so that the reader refuses them. */
export function readLegacyTool(tool: JsonValue, pointer: string, index: number, draft: LegacyDraft): JsonValue {
  if (!isJsonObject(tool)) return tool;
  const converted = readFields(tool, pointer, draft);
  assumeSideEffects(tool, converted, index, draft);
  return converted;
}

/** Converts a skill, which has no side effects of its own. */
export function readLegacySkill(skill: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  return isJsonObject(skill) ? readFields(skill, pointer, draft) : skill;
}

function readFields(tool: JsonObject, pointer: string, draft: LegacyDraft): Record<string, JsonValue> {
  // A null prototype, because keys come from outside.
  const converted = Object.create(null) as Record<string, JsonValue>;
  for (const [key, value] of Object.entries(tool)) {
    if (key === "requires_capability") {
      warnLegacy(draft, `${pointer}/${key}`, '"requires_capability" has no effect in a plugin', "remove it");
      continue;
    }
    const renamed = RENAMED.get(key) ?? key;
    const place = `${pointer}/${pointerToken(renamed)}`;
    if (renamed !== key) draft.places.set(place, `${pointer}/${pointerToken(key)}`);
    if (NEWER.has(key)) refuseMixture(draft, place, key);
    else if (Object.hasOwn(converted, renamed))
      refuseLegacy(draft, place, `"${key}" and another field mean the same`, 'keep "parameters" or "input_schema"');
    else converted[renamed] = convert(key, value, place, draft);
  }
  converted["inputSchema"] ??= { type: "object", properties: {} };
  return converted;
}

/**
 * Returns the files that a dotted module may mean, in the order in which they are tried: for `a.b.c` the paths `a/b/c`, `b/c` and
 * `c`, each with `.ts`, `.js` and `.mjs`.
 */
export function legacyModuleCandidates(dotted: string): readonly string[] {
  const parts = dotted.split(".");
  if (dotted.length > 512 || parts.length > 16) return [];
  return parts.flatMap((_, start) => MODULE_EXTENSIONS.map((extension) => parts.slice(start).join("/") + extension));
}

function convert(key: string, value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  switch (key) {
    case "parameters":
    case "input_schema":
      return legacySchema(value, pointer, key === "parameters", draft);
    case "output_schema":
      return legacySchema(value, pointer, false, draft);
    case "permissions":
      return legacyPermissions(value, pointer, draft);
    case "side_effects":
      return convertSideEffects(value, pointer, draft);
    case "requires_fs":
      return convertRequirements(value, pointer, draft);
    case "module":
      return convertModule(value, pointer, draft);
    default:
      return value;
  }
}

function assumeSideEffects(tool: JsonObject, converted: Record<string, JsonValue>, index: number, draft: LegacyDraft): void {
  const declared = tool["side_effects"];
  if (declared !== undefined && !(Array.isArray(declared) && declared.length === 0)) return;
  converted["sideEffects"] = ["network"];
  draft.assumed.add(index);
}

function convertSideEffects(value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.flatMap((name: JsonValue, index) => {
    const effect = typeof name === "string" ? OLDER_SIDE_EFFECTS.get(name) : undefined;
    if (effect !== undefined) return [effect];
    const shown =
      typeof name === "string" ? `"${printable(name)}" is not a side effect of the older spelling` : "Side effect is not a name";
    refuseLegacy(draft, `${pointer}/${index}`, shown, nearest(typeof name === "string" ? name : "", [...OLDER_SIDE_EFFECTS.keys()]));
    return [];
  });
}

/** Reads `[{ "arg": "path", "mode": "rw" }]`, `[["rw", "path"]]`, one such object, or `{ "path": "rw" }`. */
function convertRequirements(value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  const isMap = isJsonObject(value) && !Object.hasOwn(value, "mode");
  const entries = isMap
    ? Object.entries(value).map(([arg, mode]) => ({ arg, mode, place: `${pointer}/${pointerToken(arg)}` }))
    : (Array.isArray(value) ? value : [value]).map((item: JsonValue, index) => ({
        ...readMode(item),
        place: Array.isArray(value) ? `${pointer}/${index}` : pointer,
      }));
  const requirements: JsonValue[] = [];
  for (const { arg, mode, place } of entries) {
    const capabilities = mode === undefined ? undefined : MODES.get(mode);
    if (capabilities === undefined || typeof arg !== "string") {
      refuseLegacy(
        draft,
        place,
        "File requirement needs an argument and a known mode",
        'write { "arg": "path", "mode": "r" } or ["r", "path"], with "r", "w" or "rw"',
      );
      continue;
    }
    for (const capability of capabilities) {
      draft.places.set(`${pointer}/${requirements.length}`, toOriginal(place, draft.places));
      requirements.push({ capability, arg });
    }
  }
  return requirements;
}

function readMode(item: JsonValue): { readonly arg: JsonValue | undefined; readonly mode: JsonValue | undefined } {
  if (isJsonArray(item) && item.length === 2) return { mode: item[0], arg: item[1] };
  return isJsonObject(item)
    ? { arg: item["arg"] ?? item["param"] ?? item["name"], mode: item["mode"] }
    : { arg: undefined, mode: undefined };
}

function convertModule(value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  if (typeof value !== "string" || MODULE_EXTENSIONS.some((extension) => value.endsWith(extension))) return value;
  const isDotted = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/.test(value);
  const candidates = isDotted ? legacyModuleCandidates(value) : [];
  const { files } = draft.context;
  const found = files === undefined ? candidates[0] : candidates.find((candidate) => files.has(candidate));
  if (found !== undefined) return found;
  const fix = isDotted ? `create one of ${candidates.slice(0, 9).join(", ")}` : 'write it like "tools.search"';
  refuseLegacy(draft, pointer, `Module "${printable(value)}" not found in the plugin`, fix);
  return value;
}
