/** Arguments of calls on the cluster: their hash on both sides, and reading them on the member's (SPEC CL2, CL6). */

import type { JsonValue } from "../../manifests/mod.ts";
import { LIMIT_CEILINGS } from "../../manifests/mod.ts";
import { BusError } from "../platform/bus/bus-types.ts";
import { LARGE_BYTES } from "../../sandbox/mod.ts";
import { copyJson } from "../primitives/json/json.ts";
import { type HashPlatform, hashOf } from "../primitives/json/json-hash.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { readSlices } from "../primitives/json/read-slices.ts";
import { textOf } from "./envelope.ts";
import type { CallHeader } from "./messages.ts";
import type { ClusterValues } from "./values.ts";

/** Bounds of arguments from the cluster; the tool's own limits follow in dispatch. */
const BOUNDS = { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth };

/** Identity of a call besides its id: two requests with the same id must have the same one. */
export async function callHash(
  { digest, tool, owner }: Pick<CallHeader, "digest" | "tool" | "owner">,
  args: JsonValue,
  platform: HashPlatform,
): Promise<string> {
  return await hashOf([digest, tool, owner, args], platform);
}

type ReadArguments = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string };

/** @throws {BusError} if large arguments cannot be fetched now */
export async function readArguments(
  request: CallHeader,
  payload: Uint8Array,
  { values, ...platform }: HashPlatform & { readonly values: ClusterValues },
): Promise<ReadArguments> {
  let bytes: Uint8Array;
  try {
    bytes = await values.fetch({ payload, ...(request.large && { large: request.large }) }, BOUNDS.maxBytes);
  } catch (error) {
    if (error instanceof BusError && (error.code === "refused" || error.code === "too_large")) return { ok: false, problem: error.message };
    throw error;
  }
  const text = textOf(bytes);
  if (text === undefined) return { ok: false, problem: "The arguments are not UTF-8" };
  const read = bytes.length > LARGE_BYTES ? await platform.slices.run(readSlices(text, BOUNDS)) : readJsonText(text, BOUNDS);
  const copy = read.ok ? copyJson(read.value, BOUNDS) : undefined;
  if (copy?.ok !== true) return { ok: false, problem: "The arguments are not JSON, or are too large or too deep" };
  if ((await callHash(request, copy.value, platform)) !== request.hash)
    return { ok: false, problem: "The arguments are not those of the message's hash" };
  return { ok: true, value: copy.value };
}
