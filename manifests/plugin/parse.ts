/** Reads `manifest.json` and reports all problems at once (SPEC M2, M4, M5, M9). */

// Imports one function, because loading all of semver takes three times as long.
import validRange from "semver/ranges/valid.js";

import { compact, deepFreeze, DocumentReader, type Fields } from "../text/document.ts";
import { readLimits } from "./limit-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../text/json.ts";
import { fromLegacy, isLegacy } from "../legacy/legacy.ts";
import type { Manifest } from "./manifest.ts";
import { checkModulePath, normalizeModulePath } from "../text/module-path.ts";
import { checkPluginName, printable } from "../text/names.ts";
import { parseJson } from "../text/parse-json.ts";
import { withToolsOfSkills } from "./skill.ts";
import { readPermissions } from "../permissions/permission-field.ts";
import { atMost, DESCRIPTION_LENGTH, readNames, readSkill, readTool, type ToolDefaults } from "./parse-tool.ts";
import type { Parsed } from "../text/problem.ts";
import { readObjectSchema } from "../schema/schema-field.ts";

/** Maximum size of a manifest, in bytes of UTF-8, and its maximum nesting depth. */
export const MANIFEST_BOUNDS: { readonly maxBytes: number; readonly maxDepth: number } = Object.freeze({
  maxBytes: 256 * 1024,
  maxDepth: 64,
});

/** The caller's knowledge of the plugin's surroundings. */
export interface ManifestContext {
  /** Files inside the plugin, `/`-separated and relative to it. If present, a module that is not among them is a problem. */
  readonly files?: ReadonlySet<string>;
  /** Names of the available plugins; needed only to tell a dependency of the older spelling from a note. */
  readonly plugins?: ReadonlySet<string>;
}

/** Field names of a manifest. */
export const MANIFEST_FIELDS: readonly string[] = [
  "$schema",
  "schemaVersion",
  "name",
  "version",
  "description",
  "enabled",
  "main",
  "dependencies",
  "settingsSchema",
  "permissions",
  "toolsFrom",
  "tools",
  "skills",
  "state",
  "limits",
  "imports",
  "author",
  "license",
  "homepage",
  "keywords",
  "notes",
];
const MANIFEST_REQUIRED = ["schemaVersion", "name", "version", "description"];
const MAX_TOOLS = 256;

/** semver.org's own expression, without its captures. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/**
 * Returns a manifest in canonical form, with every default filled in and frozen, or every problem in it.
 *
 * `schema_version` marks the older spelling, which is read too. Whether files exist is checked only with `context.files`; the
 * host checks whether a link leaves the plugin.
 *
 * @example
 * ```ts
 * const parsed = parseManifest(text);
 * if (!parsed.ok) for (const problem of parsed.problems) console.error(problemToText(problem));
 * ```
 */
export function parseManifest(text: string, context: ManifestContext = {}): Parsed<Manifest> {
  const located = parseJson(text, MANIFEST_BOUNDS);
  if (!located.ok) return located;
  const root = located.value.value;
  if (!isJsonObject(root)) {
    return {
      ok: false,
      problems: [{ severity: "error", pointer: "", ...located.value.locate(""), message: "Manifest is not an object", fix: "write { … }" }],
    };
  }
  if (isOfBundle(root)) {
    const message = "This is the manifest of an MCP bundle, not of a plugin";
    const fix = 'move the folder out of the plugins and add it: "bascule add <folder>"';
    return { ok: false, problems: [{ severity: "error", pointer: "", ...located.value.locate(""), message, fix }] };
  }
  const older = isLegacy(root) ? fromLegacy(root, context) : undefined;
  const reader = new DocumentReader(located.value, older?.toOriginal);
  reader.refuseHiddenText();
  if (older !== undefined) reader.adoptOriginal(older.problems);
  const manifest = readManifest(reader, older?.value ?? root, context, older?.assumed ?? new Set());
  // `finish` calls this only without errors, so all required members are present.
  return reader.finish(() => deepFreeze(manifest as Manifest));
}

/** Returns true for the manifest of an MCP bundle, for which problems of a plugin's manifest would be misleading (SPEC M10). */
function isOfBundle(root: JsonObject): boolean {
  const isPlugin = Object.hasOwn(root, "schemaVersion") || isLegacy(root);
  return !isPlugin && (Object.hasOwn(root, "manifest_version") || Object.hasOwn(root, "dxt_version"));
}

type Incomplete<T> = { readonly [K in keyof T]: T[K] | undefined };

function readManifest(
  reader: DocumentReader,
  root: JsonObject,
  context: ManifestContext,
  assumed: ReadonlySet<number>,
): Partial<Incomplete<Manifest>> {
  const fields = reader.fields(root, "", { what: "Manifest", known: MANIFEST_FIELDS, required: MANIFEST_REQUIRED });
  if (fields === undefined) return {};
  const toolsFrom = fields.choice("toolsFrom", ["code"]);
  if (!fields.has("tools") && !fields.has("skills")) {
    if (toolsFrom === undefined) reader.refuse("", 'Manifest has neither "tools" nor "skills"', 'add "tools"');
    else reader.warn("", "The tools are not written yet", 'run "bascule manifest --write", which writes them from the code');
  }

  fields.text("$schema");
  const schemaVersion = fields.choice("schemaVersion", ["1.0"]);
  const name = fields.text("name", checkPluginName);
  const permissions = readPermissions(reader, fields, "permissions") ?? {};
  const main = fields.text("main", checkModulePath) ?? "main.ts";
  const defaults: ToolDefaults = {
    main: normalizeModulePath(main),
    permissions,
    descriptionLength: DESCRIPTION_LENGTH,
    ...(fields.has("main") && { mainPointer: fields.at("main") }),
    ...(context.files && { files: context.files }),
  };
  const tools = fields.list("tools", (tool, pointer) => readTool(reader, tool, pointer, defaults), MAX_TOOLS) ?? [];
  const skills = fields.list("skills", (skill, pointer) => readSkill(reader, skill, pointer, defaults), MAX_TOOLS) ?? [];
  readNames(reader, fields);
  return compact({
    schemaVersion,
    name,
    version: fields.text("version", checkVersion),
    description: fields.text("description", atMost(DESCRIPTION_LENGTH)),
    enabled: fields.flag("enabled") ?? true,
    main: defaults.main,
    dependencies: readDependencies(fields, reader, name),
    settingsSchema: readObjectSchema(reader, fields, "settingsSchema"),
    permissions: name === undefined ? permissions : withToolsOfSkills(permissions, { name, tools, skills }),
    tools: tools.map((tool, index) => (assumed.has(index) ? { ...tool, assumed: true as const } : tool)),
    skills,
    toolsFrom,
    state: fields.choice("state", ["call", "session"]) ?? "call",
    limits: readLimits(reader, fields, "limits") ?? {},
    imports: fields.record("imports", (value, pointer, key) => readImport(reader, key, value, pointer)) ?? {},
    author: fields.text("author"),
    license: fields.text("license"),
    homepage: fields.text("homepage", checkHomepage),
    keywords: fields.texts("keywords") ?? [],
    notes: fields.texts("notes"),
  });
}

function readDependencies(fields: Fields, reader: DocumentReader, self: string | undefined): Readonly<Record<string, string>> {
  const dependencies = fields.record("dependencies", (range, pointer, name) => {
    const reason = checkPluginName(name);
    if (reason !== undefined) reader.refuse(pointer, reason, "name a plugin", "key");
    if (name === self) reader.refuse(pointer, `Plugin "${printable(name)}" depends on itself`, "remove it", "key");
    if (typeof range === "string" && range.length <= 256 && validRange(range) !== null) return range;
    reader.refuse(pointer, "Version range is not valid", 'write one such as "^1.2.0" or "*"');
    return undefined;
  });
  return dependencies ?? {};
}

function readImport(reader: DocumentReader, key: string, value: JsonValue, pointer: string): string | undefined {
  const target = typeof value === "string" ? value : "";
  if (key === "") reader.refuse(pointer, "Import has an empty name", "name what the plugin's code imports", "key");
  if (key !== "" && target !== "" && key.endsWith("/") !== target.endsWith("/")) {
    reader.refuse(
      pointer,
      `Import "${printable(key)}" and "${printable(target)}" must both end in "/", or neither`,
      "end both in it, or neither",
    );
    return undefined;
  }
  if (/^(?:npm|jsr):[^\s]+$/.test(target)) return target;
  const isInside = /^\.\/./.test(target) && !/[\\:%?#\0]/.test(target) && !target.split("/").includes("..");
  if (isInside) return target;
  reader.refuse(
    pointer,
    `Import "${printable(key)}" is not a file of the plugin`,
    'write a path such as "./vendor/lib.js", or "npm:…" or "jsr:…" for a vendored package',
  );
  return undefined;
}

function checkVersion(version: string): string | undefined {
  return version.length <= 256 && VERSION.test(version)
    ? undefined
    : `Version "${printable(version)}" is not a semver version; write one such as "1.0.0"`;
}

function checkHomepage(url: string): string | undefined {
  return /^https?:\/\/[^\s]+$/.test(url) && url.length <= 2_048
    ? undefined
    : "Homepage is not a web address; write one that begins with https://";
}
