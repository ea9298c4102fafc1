/** What stands for a JSON value where it is bound to or compared: the same for the same value, however it is written. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareText, sha256Hex } from "../digest.ts";
import { sizeOf } from "./known-size.ts";
import { hashSlices } from "./write-slices.ts";

/** What large values are hashed with. */
export type HashPlatform = Pick<Platform, "slices" | "sha256">;

/**
 * SHA-256 in hexadecimal of the value's canonical text.
 *
 * @param platform hashes in slices where the value is a list with something large from outside in it
 */
export async function hashOf(value: JsonValue, platform?: HashPlatform): Promise<string> {
  if (platform !== undefined && isJsonArray(value) && value.some((item) => sizeOf(item) !== undefined))
    return (await platform.slices.run(hashSlices(value, platform.sha256))).sha256;
  return await sha256Hex(new TextEncoder().encode(JSON.stringify(inOrder(value))));
}

/** The same value with the members of every object in one order. */
function inOrder(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => compareText(left, right));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}
