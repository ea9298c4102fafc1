/** Reads a plugin's settings file (SPEC G1). */

import { compact, deepFreeze, DocumentReader, type Fields, lower } from "../text/document.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../text/json.ts";
import { parseJson } from "../text/parse-json.ts";
import type { Parsed } from "../text/problem.ts";
import { applyDefaults } from "../schema/schema-fill.ts";
import { checkValue } from "../schema/validator.ts";

/** `.bascule/settings/<plugin>.json` in canonical form. */
export interface PluginSettings {
  /** Overrides the manifest's `enabled`. */
  readonly enabled?: boolean;
  readonly toolOverrides: Readonly<Record<string, ToolOverride>>;
  /** Value of `context.settings`: merged over the schema's defaults and validated. */
  readonly config: JsonObject;
}

export interface ToolOverride {
  readonly enabled?: boolean;
}

const BOUNDS = { maxBytes: 256 * 1024, maxDepth: 64 };
/** Includes the older names of fields. */
const FIELDS = ["$schema", "enabled", "toolOverrides", "config", "tool_overrides", "custom_config"];

/**
 * Returns a plugin's settings, frozen, or every problem in them. `schema` is the manifest's `settingsSchema`; without one the
 * plugin has no settings and `config` must be empty. `"{}"` gives the defaults.
 */
export function parseSettings(text: string, schema: JsonSchema | undefined): Parsed<PluginSettings> {
  const located = parseJson(text, BOUNDS);
  if (!located.ok) return located;
  const reader = new DocumentReader(located.value);
  const fields = reader.fields(located.value.value, "", { what: "Settings", known: FIELDS });
  const settings = fields === undefined ? { toolOverrides: {}, config: {} } : readSettings(reader, fields, schema);
  return reader.finish(() => deepFreeze(settings));
}

function readSettings(reader: DocumentReader, fields: Fields, schema: JsonSchema | undefined): PluginSettings {
  const overrides = only(reader, fields, "toolOverrides", "tool_overrides");
  const config = only(reader, fields, "config", "custom_config");
  return compact({
    enabled: fields.flag("enabled"),
    toolOverrides: fields.record(overrides, (value, pointer) => readOverride(reader, value, pointer)) ?? {},
    config: readConfig(reader, fields, config, schema ?? { type: "object", additionalProperties: false }),
  });
}

function readOverride(reader: DocumentReader, value: JsonValue, pointer: string): ToolOverride | undefined {
  const fields = reader.fields(value, pointer, { what: "Tool override", known: ["enabled"] });
  return fields && compact({ enabled: fields.flag("enabled") });
}

function readConfig(reader: DocumentReader, fields: Fields, key: string, schema: JsonSchema): JsonObject {
  const filled = applyDefaults(schema, fields.object(key) ?? {});
  for (const error of checkValue(schema, filled)) {
    reader.refuse(
      `${fields.at(key)}${error.pointer}`,
      `Setting "${error.pointer.slice(1) || key}": ${lower(error.message)}`,
      "see the plugin's settingsSchema",
    );
  }
  return isJsonObject(filled) ? filled : {};
}

function only(reader: DocumentReader, fields: Fields, name: string, older: string): string {
  if (fields.has(name) && fields.has(older))
    reader.refuse(fields.at(older), `"${older}" is the older name of "${name}", and both are present`, `keep "${name}"`, "key");
  return fields.has(older) && !fields.has(name) ? older : name;
}
