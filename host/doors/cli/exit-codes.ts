/** What the CLI answers to the shell. */

import type { ErrorCode, ToolErrorData } from "../../call/errors.ts";

export const EXIT: Readonly<Record<"ok" | "failed" | "usage" | "notFound" | "denied" | "unavailable" | "limit" | "interrupted", number>> =
  Object.freeze({
    ok: 0,
    /** The tool or the command failed. */
    failed: 1,
    /** The command line, or a tool's arguments, are wrong. */
    usage: 2,
    /** No such tool, plugin or file. */
    notFound: 3,
    /** Not granted, forbidden by policy, or a person said no. */
    denied: 4,
    /** The tool is there but cannot run now. */
    unavailable: 5,
    /** A time or resource limit was reached. */
    limit: 6,
    /** Ended by Ctrl-C. */
    interrupted: 130,
  });

/** Every code in words, for `--help`. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [EXIT.ok, "it worked"],
  [EXIT.failed, "the tool or the command failed"],
  [EXIT.usage, "the command line or the tool's arguments are wrong"],
  [EXIT.notFound, "no such tool, plugin or file"],
  [EXIT.denied, "not granted, forbidden by policy, or answered no"],
  [EXIT.unavailable, "the tool is there but cannot run now"],
  [EXIT.limit, "a time or resource limit was reached"],
  [EXIT.interrupted, "ended by Ctrl-C"],
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
  internal: EXIT.failed,
};

/** The exit code for a failed call. A tool that failed because it was refused something is a denial too. */
export function exitCodeFor(error: Pick<ToolErrorData, "code" | "hint">): number {
  return error.code === "tool_failed" && error.hint?.grant ? EXIT.denied : BY_ERROR[error.code];
}
