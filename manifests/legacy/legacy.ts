/** Converts the older manifest spelling to the canonical one (SPEC M9). */

import { pointerToken, type JsonObject, type JsonValue } from "../text/json.ts";
import { refuseLegacy, refuseMixture, toOriginal, warnLegacy, type LegacyContext, type LegacyDraft } from "./legacy-draft.ts";
import { addToolPermissions, legacyPermissions } from "./legacy-permissions.ts";
import { legacySchema } from "./legacy-schema.ts";
import { readLegacySkill, readLegacyTool } from "./legacy-tool.ts";
import { printable } from "../text/names.ts";
import type { Problem } from "../text/problem.ts";

/** A manifest in canonical fields, with a mapping back to its text. */
interface LegacyManifest {
  readonly value: JsonObject;
  readonly problems: readonly Problem[];
  /** Indices of tools without declared side effects. */
  readonly assumed: ReadonlySet<number>;
  /** Maps a pointer into `value` to one into the text. */
  readonly toOriginal: (pointer: string) => string;
}

/** Returns true if the document is in the older spelling. */
export function isLegacy(document: JsonObject): boolean {
  return Object.hasOwn(document, "schema_version");
}

/**
 * Converts a manifest in the older spelling to the canonical form.
 *
 * Its problems point into the original text. Fields unknown to both spellings stay, so that the reader refuses them; fields of
 * the newer spelling are refused here.
 */
export function fromLegacy(document: JsonObject, context: LegacyContext): LegacyManifest {
  const draft: LegacyDraft = { problems: [], places: new Map(), assumed: new Set(), context };
  // A null prototype, because keys come from outside.
  const value = Object.create(null) as Record<string, JsonValue>;
  for (const [key, item] of Object.entries(document)) {
    const renamed = RENAMED.get(key) ?? key;
    const place = `/${pointerToken(renamed)}`;
    if (renamed !== key) draft.places.set(place, `/${pointerToken(key)}`);
    if (NEWER.has(key)) refuseMixture(draft, place, key);
    else value[renamed] = convert(key, item, place, draft);
  }
  readDependencies(document["dependencies"], value, draft);
  addToolPermissions(value);
  return { value, problems: draft.problems, assumed: draft.assumed, toOriginal: (pointer) => toOriginal(pointer, draft.places) };
}

/** Renamed top-level fields. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["schema_version", "schemaVersion"],
  ["settings_schema", "settingsSchema"],
]);
/** Top-level fields that only the newer spelling has. */
const NEWER: ReadonlySet<string> = new Set(["schemaVersion", "settingsSchema", "state", "imports", "limits", "notes"]);

function convert(key: string, value: JsonValue, pointer: string, draft: LegacyDraft): JsonValue {
  if (key === "tools" && Array.isArray(value))
    return value.map((tool: JsonValue, index) => readLegacyTool(tool, `${pointer}/${index}`, index, draft));
  if (key === "skills" && Array.isArray(value))
    return value.map((skill: JsonValue, index) => readLegacySkill(skill, `${pointer}/${index}`, draft));
  if (key === "settings_schema") return legacySchema(value, pointer, false, draft);
  return key === "permissions" ? legacyPermissions(value, pointer, draft) : value;
}

/** Dependencies of the older spelling name anything that the author's system needs; only names of plugins are dependencies here. */
function readDependencies(value: JsonValue | undefined, into: Record<string, JsonValue>, draft: LegacyDraft): void {
  if (!Array.isArray(value)) return;
  const dependencies = Object.create(null) as Record<string, JsonValue>;
  const notes: string[] = [];
  for (const [index, name] of value.entries()) {
    const pointer = `/dependencies/${index}`;
    if (typeof name !== "string") refuseLegacy(draft, pointer, "Dependency is not a name", "write a name");
    else if (draft.context.plugins?.has(name) === true) dependencies[name] = "*";
    else {
      notes.push(`Depends on ${name}`);
      warnLegacy(
        draft,
        pointer,
        `Dependency "${printable(name)}" is not a plugin and is kept as a note`,
        "install what the tools need yourself",
      );
    }
  }
  into["dependencies"] = dependencies;
  if (notes.length > 0) into["notes"] = notes;
}
