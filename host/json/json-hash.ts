/** What stands for a JSON value where it is bound to or compared: the same for the same value, however it is written. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import { compareText, sha256Hex } from "../sources/directory/digest.ts";

/** SHA-256 in hexadecimal of the value's canonical text. */
export async function hashOf(value: JsonValue): Promise<string> {
  return await sha256Hex(new TextEncoder().encode(JSON.stringify(inOrder(value))));
}

/** The same value with the members of every object in one order. */
function inOrder(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => compareText(left, right));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}
