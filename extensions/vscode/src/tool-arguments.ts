/** Arguments of a call as JSON text. */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../manifests/mod.ts";

/** Returns the arguments, or what is wrong with their text. */
export function argumentsOf(text: string): JsonObject | string {
  const parsed = parseJson(text, { maxBytes: 4 * 1024 * 1024, maxDepth: 64 });
  if (!parsed.ok) return parsed.problems[0]?.message ?? "Is not JSON";
  return isJsonObject(parsed.value.value) ? parsed.value.value : 'Expected an object: { "name": value }';
}

/** Returns an object with the required members: their examples or defaults, otherwise empty values to fill in. */
export function exampleOf({ properties, required }: JsonObject): JsonObject {
  if (!isJsonObject(properties ?? null) || !Array.isArray(required)) return {};
  const members = properties as JsonObject;
  return Object.fromEntries(
    required
      .filter((name): name is string => typeof name === "string")
      .map((name) => {
        const schema = isJsonObject(members[name] ?? null) ? (members[name] as JsonObject) : {};
        const [example] = Array.isArray(schema["examples"]) ? (schema["examples"] as readonly JsonValue[]) : [];
        return [name, example ?? schema["default"] ?? ""];
      }),
  );
}
