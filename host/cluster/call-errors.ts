/** Errors of a call at its caller. Once a member may have begun it, the error says that it may have happened (SPEC CL2). */

import { type ErrorCode, toolError, type ToolErrorData, unavailable } from "../call/errors.ts";
import type { Link } from "./link.ts";
import { lostError } from "./lost-call.ts";
import type { CallHeader } from "./messages.ts";

type Named = Pick<CallHeader, "callId" | "tool" | "digest">;

/** A member refuses the call. Unless its arguments are refused, another member may have accepted it. */
export function refusedCall(
  { callId }: Named,
  isUncertain: boolean,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
): ToolErrorData {
  return isUncertain && code !== "invalid_args" ? lostError(callId, message) : toolError(code, message);
}

/** No member answers. */
export function unansweredCall(
  call: Named,
  isUncertain: boolean,
  { cluster, connectedMs }: Pick<Link, "cluster" | "connectedMs">,
): ToolErrorData {
  const { callId, tool, digest } = call;
  if (isUncertain) return lostError(callId, "no member of the cluster answers");
  if (connectedMs() === undefined) return unavailable(tool, `the server of the cluster "${cluster}" cannot be reached`);
  return unavailable(tool, `no member of the cluster "${cluster}" holds this version of the plugin (${digest.slice(0, 12)}), or runs`);
}

/** An answer or a result cannot be used. */
export function unusableCall({ callId, tool }: Named, isUncertain: boolean, reason: string): ToolErrorData {
  return isUncertain ? lostError(callId, reason) : unavailable(tool, reason);
}
