/** Error texts about limits for which a plugin requested more than it has (SPEC B3, X3). */

import { type Limits, limitText } from "../../manifests/mod.ts";
import type { GrantHint, ToolErrorData } from "./errors.ts";

/** A limit for which a plugin requested more than it has. */
export interface LackingLimit {
  readonly limit: keyof Limits;
  readonly asked: number;
  readonly allowed: number;
  /** The party that can allow more: the user (`bascule accept`), or the policy, if one of its rules sets the limit lower. */
  readonly by: "consent" | "policy";
}

/** A call of a plugin's tool. */
export interface LimitedCall {
  readonly plugin?: string | undefined;
  readonly lacking?: readonly LackingLimit[];
}

/** Returns the error with a hint to what allows more, if it is about a limit for which the plugin requested more (SPEC X3). */
export function withLimitHint(error: ToolErrorData, call: LimitedCall): ToolErrorData {
  const { limit, windowMs } = error.details ?? {};
  // A quota has a window, and a manifest cannot request one.
  if (call.lacking === undefined || typeof limit !== "string" || windowMs !== undefined || error.hint !== undefined) return error;
  const hint = limitHint(TIMES.get(limit) ?? limit, call);
  return hint === undefined ? error : { ...error, hint };
}

/** Returns the smallest change that allows the requested limit; undefined if the plugin has it already. */
export function limitHint(limit: string, { plugin, lacking = [] }: LimitedCall): GrantHint | undefined {
  const found = lacking.find((one) => one.limit === limit);
  if (found === undefined || plugin === undefined) return undefined;
  const { asked, allowed, by } = found;
  const said = `Plugin "${plugin}" requests ${limit} ${limitText(found.limit, asked)}, but ${limitText(found.limit, allowed)} is allowed`;
  if (by === "consent") return { command: `bascule accept ${plugin}`, text: said };
  return { text: `${said} by a rule of "policy" (to allow it, set {"${limit}":${asked}} in the rule's "limits")` };
}

/** Times have short names in errors. */
const TIMES: ReadonlyMap<string, keyof Limits> = new Map([
  ["wall", "wallMs"],
  ["cpu", "cpuMs"],
]);
