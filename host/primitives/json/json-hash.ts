/** Canonical hash of a JSON value: equal values have the same hash, however they are written. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareText, sha256Hex } from "../digest.ts";
import { sizeOf } from "./known-size.ts";
import { hashSlices } from "./write-slices.ts";

/** The parts of the platform that hash large values. */
export type HashPlatform = Pick<Platform, "slices" | "sha256">;

/**
 * Returns the SHA-256 of the value's canonical text in hexadecimal.
 *
 * @param platform hashes in slices if the value is a list with a large value from outside
 */
export async function hashOf(value: JsonValue, platform?: HashPlatform): Promise<string> {
  if (platform !== undefined && isJsonArray(value) && value.some((item) => sizeOf(item) !== undefined))
    return (await platform.slices.run(hashSlices(value, platform.sha256))).sha256;
  return await sha256Hex(JSON.stringify(inOrder(value)));
}

/** Returns the same value with sorted members in every object. */
function inOrder(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => compareText(left, right));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}
