/** Settings of plugins whose user has set none. */

import { applyDefaults, isJsonObject, type JsonObject, type JsonSchema, type Manifest } from "../../manifests/mod.ts";
import { deepFreeze } from "../primitives/json/json.ts";

/** Settings of a call without a plugin, or without a settings schema. */
export const NO_SETTINGS: JsonObject = Object.freeze({});
const SETTINGS = new WeakMap<JsonSchema, JsonObject>();

/** Returns the schema's defaults: a plugin's settings until the user sets them. Frozen, and the same object for the same schema. */
export function defaultSettings({ settingsSchema: schema }: Manifest): JsonObject {
  if (schema === undefined) return NO_SETTINGS;
  const known = SETTINGS.get(schema);
  if (known !== undefined) return known;
  const filled = deepFreeze(applyDefaults(schema, {}));
  const settings = isJsonObject(filled) ? filled : NO_SETTINGS;
  SETTINGS.set(schema, settings);
  return settings;
}
