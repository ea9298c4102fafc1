/**
 * Fixed properties of every error code: whose fault, the remedy, and the codes of the doors (SPEC X2). `docs/errors.md` is generated from
 * it.
 */

import type { ErrorCode } from "./errors.ts";

/** The party that has to act before the call can succeed. */
export type FaultOwner = "caller" | "policy" | "person" | "tool" | "host";

/** One row of the error table. */
export interface ErrorRow {
  readonly fault: FaultOwner;
  /** Whether the same call can succeed later without a change; an error's `details.retryable` overrides it. */
  readonly retryable: boolean;
  readonly httpStatus: number;
  /** Heading in `docs/errors.md`. */
  readonly anchor: string;
  /** Name in events (`payload.errorClass`). */
  readonly errorClass: string;
  /** Sentence about what happened. */
  readonly meaning: string;
  /** Sentence about what its reader can do. */
  readonly remedy: string;
}

/** One row per code, in the order of `ERROR_CODES`. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = Object.freeze({
  tool_not_found: {
    fault: "caller",
    retryable: false,
    httpStatus: 404,
    anchor: "tool_not_found",
    errorClass: "not_found",
    meaning: "The session has no visible tool of that name",
    remedy: "Call one of the names in the message",
  },
  invalid_args: {
    fault: "caller",
    retryable: false,
    httpStatus: 400,
    anchor: "invalid_args",
    errorClass: "validation_error",
    meaning: "The arguments are not JSON, are too large, or do not match the tool's input schema",
    remedy: "Correct every entry of `details.errors`",
  },
  permission_denied: {
    fault: "policy",
    retryable: false,
    httpStatus: 403,
    anchor: "permission_denied",
    errorClass: "permission_denied",
    meaning: "Policy or a hook refuses the call",
    remedy: "Change the rule that `decision.because` names (`bascule why <tool>` shows it)",
  },
  fs_denied: {
    fault: "policy",
    retryable: false,
    httpStatus: 403,
    anchor: "fs_denied",
    errorClass: "permission_denied",
    meaning: "An argument names a file that the grant does not cover",
    remedy: "Name a file inside of the grant, or let the user apply the grant in `hint`",
  },
  net_denied: {
    fault: "policy",
    retryable: false,
    httpStatus: 403,
    anchor: "net_denied",
    errorClass: "permission_denied",
    meaning: "An argument names a host that the grant does not cover",
    remedy: "Name a granted host, or let the user apply the grant in `hint`",
  },
  user_denied: {
    fault: "person",
    retryable: false,
    httpStatus: 403,
    anchor: "user_denied",
    errorClass: "user_denied",
    meaning: "The user refused the call, or could not be asked for a confirmation; the message tells which",
    remedy: "Call again with a reason, or set the confirmation mode in `hint`",
  },
  confirmation_timeout: {
    fault: "person",
    retryable: true,
    httpStatus: 408,
    anchor: "confirmation_timeout",
    errorClass: "confirmation_timeout",
    meaning: "The user did not answer the confirmation in time",
    remedy: "Call again when the user is present",
  },
  approval_required: {
    fault: "person",
    retryable: false,
    httpStatus: 202,
    anchor: "approval_required",
    errorClass: "approval_required",
    meaning: "The call waits for a confirmation",
    remedy: "Approve `details.requestId`, then read the result by the call id",
  },
  timeout: {
    fault: "tool",
    retryable: true,
    httpStatus: 504,
    anchor: "timeout",
    errorClass: "timeout",
    meaning: "The tool exceeded its wall or CPU time",
    remedy: "Request less, or raise the limit",
  },
  cancelled: {
    fault: "caller",
    retryable: true,
    httpStatus: 499,
    anchor: "cancelled",
    errorClass: "cancelled",
    meaning: "The caller cancelled the call",
    remedy: "Call again",
  },
  resource_exhausted: {
    fault: "tool",
    retryable: false,
    httpStatus: 429,
    anchor: "resource_exhausted",
    errorClass: "resource_exhausted",
    meaning: "The tool exceeded a limit other than time: memory, stack, output, operations, a quota",
    remedy: "Request less, or raise the limit in `details.limit`: see `hint`, if the plugin requests more",
  },
  overloaded: {
    fault: "host",
    retryable: true,
    httpStatus: 503,
    anchor: "overloaded",
    errorClass: "overloaded",
    meaning: "The session's queue or that of the workers is full: too many calls wait, or they hold too much memory",
    remedy: "Call again when earlier calls have ended",
  },
  tool_failed: {
    fault: "tool",
    retryable: false,
    httpStatus: 500,
    anchor: "tool_failed",
    errorClass: "execution_error",
    meaning: "The tool threw, or reported a failure",
    remedy: "Read the message, which comes from the tool",
  },
  invalid_output: {
    fault: "tool",
    retryable: false,
    httpStatus: 500,
    anchor: "invalid_output",
    errorClass: "invalid_output",
    meaning:
      "The tool's output is not JSON (maps, sets and bytes inside a value are not), is too deep, or does not match its output schema",
    remedy: "Report the message and `details` to the tool's author",
  },
  unavailable: {
    fault: "host",
    retryable: false,
    httpStatus: 503,
    anchor: "unavailable",
    errorClass: "unavailable",
    meaning: "The tool exists but cannot run now: it is disabled or not loaded, its route is missing, or its worker ended",
    remedy: "Follow the message",
  },
  lost: {
    fault: "host",
    retryable: false,
    httpStatus: 500,
    anchor: "lost",
    errorClass: "lost",
    meaning:
      "The host ended while the call ran, and the call could not be kept; `details.mayHaveHappened` tells whether it may have had effects",
    remedy: "Check what it was to change, then call again with a new call id",
  },
  internal: {
    fault: "host",
    retryable: false,
    httpStatus: 500,
    anchor: "internal",
    errorClass: "internal",
    meaning: "A defect in bascule",
    remedy: "Report it with the call id; the details are in the log",
  },
});

/** Returns the place of a code's documentation, relative to the repository. */
export function errorDocs(code: ErrorCode): string {
  return `docs/errors.md#${ERROR_TABLE[code].anchor}`;
}

/** Returns whether the caller can retry. */
export function isRetryable(error: { readonly code: ErrorCode; readonly details?: { readonly [key: string]: unknown } }): boolean {
  const own = error.details?.["retryable"];
  return typeof own === "boolean" ? own : ERROR_TABLE[error.code].retryable;
}
