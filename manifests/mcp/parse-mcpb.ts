/**
 * Reads the manifest of an MCPB bundle and refuses launch commands that are not allowed (SPEC M10). The format: MANIFEST.md of
 * modelcontextprotocol/mcpb.
 */

import { compact, deepFreeze, DocumentReader, type Fields } from "../text/document.ts";
import { isJsonObject, type JsonValue } from "../text/json.ts";
import {
  BUNDLE_OPTION_TYPES,
  BUNDLE_PLATFORMS,
  BUNDLE_VERSIONS,
  type BundleManifest,
  type BundleOption,
  type BundlePlatform,
  checkBundleValue,
} from "./mcpb.ts";
import { printable } from "../text/names.ts";
import { type JsonBounds, parseJson } from "../text/parse-json.ts";
import { checkVariables, readLaunch } from "./parse-mcpb-launch.ts";
import type { Parsed } from "../text/problem.ts";

/** Large, because some bundles carry whole lists of tools in `_meta`. */
const BUNDLE_MANIFEST_BOUNDS: JsonBounds = Object.freeze({ maxBytes: 1024 * 1024, maxDepth: 64 });

/** Context in which the manifest is read. */
interface BundleContext {
  /** Paths of the bundle's files. */
  readonly files: { has(path: string): boolean };
  readonly platform: BundlePlatform;
}

const KNOWN = [
  ...["$schema", "manifest_version", "dxt_version", "name", "display_name", "version", "description", "long_description", "author"],
  ...["repository", "homepage", "documentation", "support", "icon", "icons", "screenshots", "localization", "server", "tools"],
  ...[
    "tools_generated",
    "prompts",
    "prompts_generated",
    "keywords",
    "license",
    "privacy_policies",
    "compatibility",
    "user_config",
    "_meta",
  ],
];
const REQUIRED = ["name", "version", "description", "author", "server"];
const MAX_OPTIONS = 64;
const MAX_TOOLS = 512;

/** Returns true if a manifest's text is that of a bundle and not that of a plugin. */
export function isBundleManifest(text: string): boolean {
  const parsed = parseJson(text, BUNDLE_MANIFEST_BOUNDS);
  const value = parsed.ok ? parsed.value.value : undefined;
  return isJsonObject(value) && (Object.hasOwn(value, "manifest_version") || Object.hasOwn(value, "dxt_version"));
}

/** Returns the manifest, or every problem in it. Unknown fields are warnings, because they belong to other programs. */
export function parseBundle(text: string, context: BundleContext): Parsed<BundleManifest> {
  const located = parseJson(text, BUNDLE_MANIFEST_BOUNDS);
  if (!located.ok) return located;
  const reader = new DocumentReader(located.value);
  reader.refuseHiddenText();
  const { value } = located.value;
  const others = isJsonObject(value) ? Object.keys(value).filter((key) => !KNOWN.includes(key)) : [];
  const fields = reader.fields(value, "", { what: "Bundle manifest", known: [...KNOWN, ...others], required: REQUIRED });
  for (const key of others) reader.warn("", `Unknown field "${printable(key)}" is ignored`);
  const manifest = fields === undefined ? undefined : readManifest(reader, fields, context);
  return reader.finish(() => {
    // Every failure to read the manifest was refused before, so it is present.
    if (manifest === undefined) throw new Error("A bundle's manifest was neither read nor refused");
    return deepFreeze(manifest);
  });
}

function readManifest(reader: DocumentReader, fields: Fields, context: BundleContext): BundleManifest | undefined {
  const version = fields.has("manifest_version") ? "manifest_version" : "dxt_version";
  if (!fields.has(version)) reader.refuse("", 'Bundle manifest has no "manifest_version"', 'add "manifest_version": "0.3"');
  fields.choice(version, BUNDLE_VERSIONS);
  const author = reader.fields(fields.get("author") ?? {}, fields.at("author"), { what: "Author", known: ["name", "email", "url"] });
  const options = fields.record("user_config", (item, pointer, key) => readOption(reader, item, pointer, key)) ?? {};
  if (Object.keys(options).length > MAX_OPTIONS) reader.refuse(fields.at("user_config"), `More than ${MAX_OPTIONS} values`);
  const server = readLaunch(reader, fields, { ...context, options });
  const about = {
    name: fields.text("name", line(200)),
    version: fields.text("version", line(100)),
    description: fields.text("description", line(4_096)),
    author: author?.text("name", line(200)) ?? "",
  };
  const { name, version: own, description } = about;
  if (server === undefined || name === undefined || own === undefined || description === undefined) {
    if (fields.has("server") && !isJsonObject(fields.get("server"))) reader.refuse(fields.at("server"), "Server is not an object");
    return undefined;
  }
  return compact({
    ...{ name, version: own, description, author: about.author, ...server, options },
    displayName: fields.text("display_name", line(200)),
    homepage: fields.text("homepage", line(2_048)),
    license: fields.text("license", line(200)),
    ...readCompatibility(reader, fields, context),
    tools: fields.list("tools", (item, pointer) => readTool(reader, item, pointer), MAX_TOOLS) ?? [],
  });
}

function line(most: number): (text: string) => string | undefined {
  return (text) => (text.length <= most ? undefined : `Is longer than ${most} characters; shorten it`);
}

function readCompatibility(
  reader: DocumentReader,
  parent: Fields,
  { platform }: BundleContext,
): Pick<BundleManifest, "platforms" | "runtimes"> {
  const value = parent.get("compatibility");
  const at = parent.at("compatibility");
  // Version ranges of other programs are ignored.
  const known = isJsonObject(value) ? Object.keys(value) : [];
  const fields = value === undefined ? undefined : reader.fields(value, at, { what: "Compatibility", known });
  const platforms = fields?.choices("platforms", BUNDLE_PLATFORMS);
  if (platforms !== undefined && platforms.length > 0 && !platforms.includes(platform))
    reader.refuse(`${at}/platforms`, `Supports ${platforms.join(", ")}, but this is ${platform}`, "choose a bundle for this system");
  const runtimes = fields?.record("runtimes", (range, pointer) => {
    if (typeof range === "string" && range.length <= 200) return range;
    reader.refuse(pointer, "Is not a version range", 'write a string such as ">=20"');
    return undefined;
  });
  return compact({ platforms, runtimes: runtimes ?? {} });
}

function readTool(reader: DocumentReader, value: JsonValue, pointer: string): BundleManifest["tools"][number] | undefined {
  const known = isJsonObject(value) ? Object.keys(value) : [];
  const fields = reader.fields(value, pointer, { what: "Tool", known, required: ["name"] });
  const name = fields?.text("name", line(200));
  return name === undefined ? undefined : compact({ name, description: fields?.text("description", line(4_096)) });
}

const OPTION_FIELDS = ["type", "title", "description", "required", "default", "multiple", "sensitive", "min", "max"];
const KEY = /^[A-Za-z0-9_.-]{1,100}$/;

function readOption(reader: DocumentReader, value: JsonValue, pointer: string, key: string): BundleOption | undefined {
  if (!KEY.test(key)) reader.refuse(pointer, `"${printable(key)}" cannot name a value`, "write letters, digits, _ and -", "key");
  const fields = reader.fields(value, pointer, { what: "Value", known: OPTION_FIELDS, required: ["type", "title", "description"] });
  const type = fields?.choice("type", BUNDLE_OPTION_TYPES);
  if (fields === undefined || type === undefined) return undefined;
  const number = (name: "min" | "max"): number | undefined => {
    const bound = fields.get(name);
    if (bound !== undefined && (typeof bound !== "number" || type !== "number"))
      reader.refuse(fields.at(name), `"${name}" must be a number, in an option of type "number"`, `remove it, or write "type": "number"`);
    return typeof bound === "number" ? bound : undefined;
  };
  const shape = compact({
    type,
    title: fields.text("title", line(200)) ?? key,
    description: fields.text("description", line(4_096)) ?? "",
    required: fields.flag("required") ?? false,
    multiple: fields.flag("multiple") ?? false,
    sensitive: fields.flag("sensitive") ?? false,
    min: number("min"),
    max: number("max"),
  });
  const given = fields.get("default");
  const reason = given === undefined ? undefined : checkBundleValue(shape, given);
  if (reason !== undefined) reader.refuse(fields.at("default"), `The default ${reason}`, "correct it, or leave it out");
  for (const text of [given ?? []].flat()) {
    if (typeof text === "string") checkVariables(reader, fields.at("default"), text, { options: {}, isDefault: true });
  }
  // `checkBundleValue` accepted it above.
  return compact({ ...shape, default: given as BundleOption["default"] });
}
