/** Reads the tools and skills of a manifest (SPEC M3, M4, K5). */

import { annotate } from "./annotations.ts";
import { compact, type DocumentReader, type Fields } from "../text/document.ts";
import { isJsonObject, type JsonValue } from "../text/json.ts";
import { LIMIT_CEILINGS } from "./limits.ts";
import type { Skill } from "./manifest.ts";
import { checkModulePath, normalizeModulePath } from "../text/module-path.ts";
import { checkToolName, confusableKey, printable } from "../text/names.ts";
import { coversPermissions } from "../permissions/permission-covers.ts";
import { readPermissions } from "../permissions/permission-field.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { readObjectSchema, readSchema } from "../schema/schema-field.ts";
import { SIDE_EFFECTS } from "../permissions/side-effect.ts";
import { CALLERS, type Requirement, type ToolAnnotations, type ToolDefinition, type Visibility } from "./tool.ts";

/** Values that tools inherit from their plugin. */
export interface ToolDefaults {
  readonly main: string;
  /** Pointer to `main` in the manifest, if present. */
  readonly mainPointer?: string;
  readonly permissions: Permissions;
  readonly files?: ReadonlySet<string>;
  /** Additional known fields, which another reader parses. */
  readonly alsoKnown?: readonly string[];
  /** Maximum description length in characters. Absent: the source that declares the tool bounds it. */
  readonly descriptionLength?: number;
}

/** Field names of a tool, in canonical order. */
export const TOOL_FIELDS: readonly string[] = [
  "name",
  "title",
  "description",
  "module",
  "export",
  "category",
  "tags",
  "inputSchema",
  "outputSchema",
  "sideEffects",
  "destructive",
  "determinism",
  "idempotent",
  "permissions",
  "native",
  "requires",
  "timeoutMs",
  "callers",
  "visibility",
  "annotations",
];
export const SKILL_FIELDS: readonly string[] = ["name", "description", "tools", "module", "export", "inputSchema", "outputSchema", "tags"];

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const NAMED_AUTOMATICALLY = ["source:", "toolkit:", "mcp_server:"];

/** Returns one tool in canonical form; undefined if a required field is missing or invalid. */
export function readTool(reader: DocumentReader, value: JsonValue, pointer: string, defaults: ToolDefaults): ToolDefinition | undefined {
  const fields = reader.fields(value, pointer, {
    what: "Tool",
    known: defaults.alsoKnown === undefined ? TOOL_FIELDS : [...TOOL_FIELDS, ...defaults.alsoKnown],
    required: ["name", "description", "inputSchema", "sideEffects"],
  });
  if (fields === undefined) return undefined;
  const name = fields.text("name", checkToolName);
  const inputSchema = readObjectSchema(reader, fields, "inputSchema");
  const sideEffects = fields.choices("sideEffects", SIDE_EFFECTS) ?? [];
  const destructive = fields.flag("destructive") ?? false;
  const title = fields.text("title");
  const description = fields.text("description", atMost(defaults.descriptionLength));
  const tool = compact({
    name,
    title,
    description,
    module: readModule(reader, fields, defaults),
    export: fields.text("export", checkExport) ?? name,
    category: fields.text("category", checkCategory),
    tags: fields.texts("tags", checkTag) ?? [],
    inputSchema,
    outputSchema: readSchema(reader, fields, "outputSchema"),
    sideEffects: [...new Set(sideEffects)],
    destructive,
    determinism: fields.choice("determinism", ["deterministic", "nondeterministic"]) ?? "nondeterministic",
    idempotent: fields.flag("idempotent"),
    permissions: readToolPermissions(reader, fields, defaults.permissions),
    native: fields.flag("native"),
    requires:
      fields.list("requires", (item, place) => readRequirement(reader, item, place, inputSchema && (inputSchema.properties ?? {}))) ?? [],
    timeoutMs: fields.count("timeoutMs", LIMIT_CEILINGS.wallMs),
    callers: fields.choices("callers", CALLERS) ?? ["direct" as const],
    visibility: readVisibility(reader, fields) ?? {},
    annotations: annotate({ sideEffects, destructive, ...(title !== undefined && { title }) }, readAnnotations(reader, fields)),
  });
  return hasMembers(tool, ["name", "description", "inputSchema", "export"]) ? tool : undefined;
}

/** Maximum description length of a plugin, a tool or a skill: short enough for the user to read before accepting. */
export const DESCRIPTION_LENGTH = 4_096;

/** Refuses texts that are longer than a user reads. */
export function atMost(length: number = Infinity): (text: string) => string | undefined {
  return (text) =>
    text.length <= length ? undefined : `Has ${text.length} characters, more than ${length}; shorten it, because the user reads all of it`;
}

/** Returns one skill in canonical form; undefined if a required field is missing or invalid. */
export function readSkill(reader: DocumentReader, value: JsonValue, pointer: string, defaults: ToolDefaults): Skill | undefined {
  const fields = reader.fields(value, pointer, {
    what: "Skill",
    known: SKILL_FIELDS,
    required: ["name", "description", "tools", "inputSchema"],
  });
  if (fields === undefined) return undefined;
  const name = fields.text("name", checkToolName);
  const skill = compact({
    name,
    description: fields.text("description", atMost(defaults.descriptionLength)),
    tools: fields.texts("tools", checkToolReference) ?? [],
    module: readModule(reader, fields, defaults),
    export: fields.text("export", checkExport) ?? name,
    inputSchema: readObjectSchema(reader, fields, "inputSchema"),
    outputSchema: readSchema(reader, fields, "outputSchema"),
    tags: fields.texts("tags", checkTag) ?? [],
  });
  return hasMembers(skill, ["name", "description", "inputSchema", "export"]) ? skill : undefined;
}

/** Refuses duplicate names and names that look alike (SPEC M4, M5). */
export function readNames(reader: DocumentReader, manifest: Fields): void {
  const taken = new Map<string, string>();
  for (const key of ["tools", "skills"]) {
    const list = manifest.get(key);
    for (const [index, item] of (Array.isArray(list) ? list : []).entries()) {
      const name: unknown = isJsonObject(item) && Object.hasOwn(item, "name") ? item["name"] : undefined;
      if (typeof name !== "string" || checkToolName(name) !== undefined) continue;
      const place = `${manifest.at(key)}/${index}/name`;
      const other = taken.get(confusableKey(name));
      if (other === name) reader.refuse(place, `Duplicate tool name "${name}"`, "rename one of the tools");
      else if (other !== undefined) reader.refuse(place, `Tool name "${name}" looks like "${other}"`, "rename one of the tools");
      else taken.set(confusableKey(name), name);
    }
  }
}

function readModule(reader: DocumentReader, fields: Fields, defaults: ToolDefaults): string {
  const module = normalizeModulePath(fields.text("module", checkModulePath) ?? defaults.main);
  if (defaults.files !== undefined && !defaults.files.has(module)) {
    const [pointer, field] = fields.has("module") ? [fields.at("module"), "module"] : [defaults.mainPointer ?? fields.pointer, "main"];
    reader.refuse(pointer, `Module "${printable(module)}" is not in the plugin's folder`, `create it, or name another in "${field}"`);
  }
  return module;
}

function readToolPermissions(reader: DocumentReader, fields: Fields, plugin: Permissions): Permissions | undefined {
  const permissions = readPermissions(reader, fields, "permissions");
  for (const item of permissions === undefined ? [] : coversPermissions(plugin, permissions)) {
    reader.refuse(
      fields.at("permissions"),
      `Tool requests "${item}", which the plugin does not request`,
      "add it to the plugin's permissions, or remove it here",
    );
  }
  return permissions;
}

function readRequirement(reader: DocumentReader, value: JsonValue, pointer: string, args: object | undefined): Requirement | undefined {
  const fields = reader.fields(value, pointer, { what: "Requirement", known: ["capability", "arg"], required: ["capability", "arg"] });
  const capability = fields?.choice("capability", ["read", "write", "net", "run"]);
  const arg = fields?.text("arg", (name) =>
    args === undefined || Object.hasOwn(args, name)
      ? undefined
      : `"${printable(name)}" is not an argument of the tool; name one of "inputSchema"`,
  );
  return capability === undefined || arg === undefined ? undefined : { capability, arg };
}

function readVisibility(reader: DocumentReader, parent: Fields): Visibility | undefined {
  if (!parent.has("visibility")) return undefined;
  const fields = reader.fields(parent.get("visibility"), parent.at("visibility"), { what: "Visibility", known: ["roles", "notRoles"] });
  return fields && compact({ roles: fields.texts("roles"), notRoles: fields.texts("notRoles") });
}

function readAnnotations(reader: DocumentReader, parent: Fields): ToolAnnotations {
  if (!parent.has("annotations")) return {};
  const fields = reader.fields(parent.get("annotations"), parent.at("annotations"), { what: "Annotations", known: ["title", ...HINTS] });
  if (fields === undefined) return {};
  const hints = Object.fromEntries(HINTS.map((hint) => [hint, fields.flag(hint)]));
  return compact({ title: fields.text("title"), ...hints });
}

function checkExport(name: string): string | undefined {
  const isName = /^[A-Za-z_$][A-Za-z0-9_$-]{0,127}$/.test(name) && name !== "__proto__";
  return isName ? undefined : `"${printable(name)}" is not the name of an export; write the name of an exported function`;
}

function checkCategory(category: string): string | undefined {
  return /^[a-z][a-z0-9_-]{0,63}$/.test(category)
    ? undefined
    : `Category "${printable(category)}" is not a lower-case word; write one such as "web" or "data"`;
}

function checkTag(tag: string): string | undefined {
  if (tag.length > 64) return "A tag has at most 64 characters";
  const prefix = NAMED_AUTOMATICALLY.find((reserved) => tag.toLowerCase().startsWith(reserved));
  return prefix === undefined ? undefined : `Tags that begin with "${prefix}" are set by the host; remove it`;
}

function checkToolReference(name: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z][A-Za-z0-9_-]{0,63})?$/.test(name)
    ? undefined
    : `"${printable(name)}" is not a tool; write "tool" or "plugin.tool"`;
}

/** Narrows the type: the named members are present in `value`. */
function hasMembers<T extends object, K extends keyof T>(
  value: T,
  keys: readonly K[],
): value is T & { readonly [P in K]-?: Exclude<T[P], undefined> } {
  return keys.every((key) => value[key] !== undefined);
}
