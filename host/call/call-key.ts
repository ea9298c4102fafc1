/** The identity of a call for its caller: a repeat of the same call gets its result and runs nothing (SPEC E6). */

import { LIMIT_CEILINGS } from "../../manifests/mod.ts";
import { copyJson } from "../primitives/json/json.ts";
import { type HashPlatform, hashOf } from "../primitives/json/json-hash.ts";
import { JsonArgumentText } from "./argument-text.ts";
import type { ToolCall } from "./call.ts";

/**
 * Returns a hash that depends on the argument values, not on their spelling.
 *
 * @param scope the session or the caller, so that no other one can read the result by the call's id
 */
export async function callKey(
  scope: string,
  { tool, args }: Pick<ToolCall, "tool" | "args">,
  platform: HashPlatform | undefined,
): Promise<string> {
  if (args instanceof JsonArgumentText) return await hashOf([scope, tool, "text", args.text]);
  const copy = copyJson(args, { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth });
  return await hashOf([scope, tool, "json", copy.ok ? copy.value : null], platform);
}
