/** What is fixed about every error code: whose fault, what to do, and how doors translate it (SPEC X2). `docs/errors.md` is generated from it. */

import type { ErrorCode } from "./errors.ts";

/** Who has to act for the call to succeed next time. */
export type FaultOwner = "caller" | "policy" | "person" | "tool" | "host";

/** One row of the error table. */
export interface ErrorRow {
  readonly fault: FaultOwner;
  /** Whether the same call can succeed without anybody changing anything; an error's `details.retryable` overrides it. */
  readonly retryable: boolean;
  readonly httpStatus: number;
  /** The heading in `docs/errors.md`. */
  readonly anchor: string;
  /** The name that events use (`payload.errorClass`). */
  readonly errorClass: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** One row for every code, in the order of `ERROR_CODES`. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = Object.freeze({
  tool_not_found: {
    fault: "caller",
    retryable: false,
    httpStatus: 404,
    anchor: "tool_not_found",
    errorClass: "not_found",
    meaning: "No tool of that name is visible to the session",
    remedy: "Call one of the names that the message lists",
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
    remedy: "Name a file inside the grant, or let a person apply the grant in `hint`",
  },
  net_denied: {
    fault: "policy",
    retryable: false,
    httpStatus: 403,
    anchor: "net_denied",
    errorClass: "permission_denied",
    meaning: "An argument names a host that the grant does not cover",
    remedy: "Name a granted host, or let a person apply the grant in `hint`",
  },
  user_denied: {
    fault: "person",
    retryable: false,
    httpStatus: 403,
    anchor: "user_denied",
    errorClass: "user_denied",
    meaning: "A person refused the call, or has to agree and could not be asked: the message says which",
    remedy: "Ask again with a reason, or set the confirmation mode that `hint` names",
  },
  confirmation_timeout: {
    fault: "person",
    retryable: true,
    httpStatus: 408,
    anchor: "confirmation_timeout",
    errorClass: "confirmation_timeout",
    meaning: "Nobody answered the confirmation in time",
    remedy: "Call again when somebody is there to answer",
  },
  approval_required: {
    fault: "person",
    retryable: false,
    httpStatus: 202,
    anchor: "approval_required",
    errorClass: "approval_required",
    meaning: "The call waits for a person's approval",
    remedy: "Approve `details.requestId`, then read the result by its call id",
  },
  timeout: {
    fault: "tool",
    retryable: true,
    httpStatus: 504,
    anchor: "timeout",
    errorClass: "timeout",
    meaning: "The tool ran past its wall or CPU deadline",
    remedy: "Ask for less, or raise the limit",
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
    meaning: "The tool used up a limit other than time: memory, stack, output, operations, a quota",
    remedy: "Ask for less, or raise the limit that `details.limit` names: `hint` says how, where the plugin asks for more",
  },
  overloaded: {
    fault: "host",
    retryable: true,
    httpStatus: 503,
    anchor: "overloaded",
    errorClass: "overloaded",
    meaning: "The session's queue is full, or that of the workers: too many calls wait, or those that wait hold too much memory",
    remedy: "Call again when earlier calls have ended",
  },
  tool_failed: {
    fault: "tool",
    retryable: false,
    httpStatus: 500,
    anchor: "tool_failed",
    errorClass: "execution_error",
    meaning: "The tool threw, or said that it did not succeed",
    remedy: "Read the message: it is the tool's own",
  },
  invalid_output: {
    fault: "tool",
    retryable: false,
    httpStatus: 500,
    anchor: "invalid_output",
    errorClass: "invalid_output",
    meaning: "The tool's output is not JSON (bytes, maps and generators are not), is too deep, or does not match its output schema",
    remedy: "Tell the tool's author what the message and `details` say",
  },
  unavailable: {
    fault: "host",
    retryable: false,
    httpStatus: 503,
    anchor: "unavailable",
    errorClass: "unavailable",
    meaning: "The tool exists but cannot run now: disabled, not loaded, its route missing, its worker ended",
    remedy: "Do what the message says",
  },
  internal: {
    fault: "host",
    retryable: false,
    httpStatus: 500,
    anchor: "internal",
    errorClass: "internal",
    meaning: "A defect of bascule",
    remedy: "Report it with the call id: the details are only in the log",
  },
});

/** Where the documentation of a code is, relative to the repository. */
export function errorDocs(code: ErrorCode): string {
  return `docs/errors.md#${ERROR_TABLE[code].anchor}`;
}

/** Whether the caller may simply try again. */
export function isRetryable(error: { readonly code: ErrorCode; readonly details?: { readonly [key: string]: unknown } }): boolean {
  const own = error.details?.["retryable"];
  return typeof own === "boolean" ? own : ERROR_TABLE[error.code].retryable;
}
