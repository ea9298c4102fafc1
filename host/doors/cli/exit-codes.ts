/** Exit codes of the CLI. */

import type { ErrorCode, ToolErrorData } from "../../call/errors.ts";

export const EXIT: Readonly<Record<"ok" | "failed" | "usage" | "notFound" | "denied" | "unavailable" | "limit" | "interrupted", number>> =
  Object.freeze({
    ok: 0,
    /** The tool or the command failed. */
    failed: 1,
    /** The command line or the arguments of the tool are invalid. */
    usage: 2,
    /** Tool, plugin or file not found. */
    notFound: 3,
    /** Not granted, denied by policy, or denied by the user. */
    denied: 4,
    /** The tool cannot run at the moment. */
    unavailable: 5,
    /** A time or resource limit was reached. */
    limit: 6,
    /** Ended by Ctrl-C. */
    interrupted: 130,
  });

/** Descriptions of the codes, for `--help`. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [EXIT.ok, "success"],
  [EXIT.failed, "the tool or the command failed"],
  [EXIT.usage, "the command line or the tool's arguments are invalid"],
  [EXIT.notFound, "tool, plugin or file not found"],
  [EXIT.denied, "not granted, denied by policy, or denied by the user"],
  [EXIT.unavailable, "the tool cannot run at the moment"],
  [EXIT.limit, "a time or resource limit was reached"],
  [EXIT.interrupted, "interrupted by Ctrl-C"],
];

const BY_ERROR: Readonly<Record<ErrorCode, number>> = {
  tool_not_found: EXIT.notFound,
  invalid_args: EXIT.usage,
  permission_denied: EXIT.denied,
  fs_denied: EXIT.denied,
  net_denied: EXIT.denied,
  user_denied: EXIT.denied,
  confirmation_timeout: EXIT.denied,
  approval_required: EXIT.denied,
  timeout: EXIT.limit,
  cancelled: EXIT.interrupted,
  resource_exhausted: EXIT.limit,
  overloaded: EXIT.unavailable,
  tool_failed: EXIT.failed,
  invalid_output: EXIT.failed,
  unavailable: EXIT.unavailable,
  lost: EXIT.failed,
  internal: EXIT.failed,
};

/** Returns the exit code of a failed call. A tool that failed because a permission was missing counts as denied. */
export function exitCodeFor(error: Pick<ToolErrorData, "code" | "hint">): number {
  return error.code === "tool_failed" && error.hint?.grant ? EXIT.denied : BY_ERROR[error.code];
}
