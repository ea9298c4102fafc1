/** Limits that a plugin asked to be higher than they are, and what an error says of them (SPEC B3, X3). */

import { type Limits, limitText } from "../../manifests/mod.ts";
import type { GrantHint, ToolErrorData } from "./errors.ts";

/** A limit that a plugin asked to be higher than it is. */
export interface LackingLimit {
  readonly limit: keyof Limits;
  readonly asked: number;
  readonly allowed: number;
  /** Who allows more: a person (`bascule accept`), or the policy, whose rule sets it lower. */
  readonly by: "consent" | "policy";
}

/** A call of a plugin's tool. */
export interface LimitedCall {
  readonly plugin?: string | undefined;
  readonly lacking?: readonly LackingLimit[];
}

/** The error with what would have allowed more, if it is about a limit that the plugin asked to be higher (SPEC X3). */
export function withLimitHint(error: ToolErrorData, call: LimitedCall): ToolErrorData {
  const { limit, windowMs } = error.details ?? {};
  // A quota has a window, and is nothing that a manifest asks for.
  if (call.lacking === undefined || typeof limit !== "string" || windowMs !== undefined || error.hint !== undefined) return error;
  const hint = limitHint(TIMES.get(limit) ?? limit, call);
  return hint === undefined ? error : { ...error, hint };
}

/** The smallest change that allows as much of a limit as the plugin asks for; undefined if it has that. */
export function limitHint(limit: string, { plugin, lacking = [] }: LimitedCall): GrantHint | undefined {
  const found = lacking.find((one) => one.limit === limit);
  if (found === undefined || plugin === undefined) return undefined;
  const { asked, allowed, by } = found;
  const said = `Plugin "${plugin}" asks for ${limit} of ${limitText(found.limit, asked)}, and ${limitText(found.limit, allowed)} is allowed`;
  if (by === "consent") return { command: `bascule accept ${plugin}`, text: said };
  return { text: `${said} by the rule of "policy" that sets "limits": to allow it, have it say {"${limit}":${asked}}` };
}

/** Times have short names in errors. */
const TIMES: ReadonlyMap<string, keyof Limits> = new Map([
  ["wall", "wallMs"],
  ["cpu", "cpuMs"],
]);
