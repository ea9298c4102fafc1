/** Schemas of the older manifest spelling: bare property maps and an inline `required` (SPEC M9). */

import { isJsonObject, pointerToken, type JsonValue } from "../text/json.ts";
import { toOriginal, type LegacyDraft } from "./legacy-draft.ts";

/**
 * Converts a full schema, or a bare map of properties; an inline `required` of a property moves to the list.
 *
 * `isRequired` is the default for properties without an inline `required`.
 */
export function legacySchema(value: JsonValue, pointer: string, isRequired: boolean, draft: LegacyDraft): JsonValue {
  if (!isJsonObject(value)) return value;
  const isFull = typeof value["type"] === "string" || Array.isArray(value["type"]);
  const properties = isFull ? value["properties"] : value;
  if (!isJsonObject(properties)) return value;
  if (!isFull) draft.places.set(`${pointer}/properties`, toOriginal(pointer, draft.places));

  const required = new Set(isFull && Array.isArray(value["required"]) ? value["required"].filter((name) => typeof name === "string") : []);
  const converted = Object.create(null) as Record<string, JsonValue>;
  for (const [name, property] of Object.entries(properties)) {
    const inline = isJsonObject(property) ? property["required"] : undefined;
    if ((inline ?? (isFull ? false : isRequired)) === true) required.add(name);
    const bare =
      isJsonObject(property) && typeof inline === "boolean"
        ? Object.fromEntries(Object.entries(property).filter(([key]) => key !== "required"))
        : property;
    const isNested = isJsonObject(bare) && isJsonObject(bare["properties"]);
    converted[name] = isNested ? legacySchema(bare, `${pointer}/properties/${pointerToken(name)}`, false, draft) : bare;
  }
  return { ...(isFull ? value : { type: "object" }), properties: converted, ...(required.size > 0 && { required: [...required] }) };
}
