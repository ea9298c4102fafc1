import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** Returns the value if it is an object. */
export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== undefined && isJsonObject(value) ? value : undefined;
}
