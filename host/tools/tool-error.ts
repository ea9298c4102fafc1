/** Errors that host tools throw on purpose, one class per code, and errors for misuse of the registry (SPEC X3, X4). */

import type { JsonObject, Problem } from "../../manifests/mod.ts";
import { type ErrorCode, type GrantHint, toolError, type ToolErrorData } from "../call/errors.ts";

/** Options of a thrown error. */
export interface ToolErrorOptions {
  readonly details?: JsonObject;
  readonly hint?: GrantHint;
  readonly cause?: unknown;
}

/**
 * An error of a host tool. It becomes the call's error unchanged: code, message, details and hint.
 *
 * @example
 * ```ts
 * import { ToolError } from "bascule";
 * const error = new ToolError("unavailable", "The index is being rebuilt", { details: { retryAfterMs: 500 } });
 * console.log(error.code); // "unavailable"
 * ```
 */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
  readonly code: ErrorCode;
  readonly details?: JsonObject;
  readonly hint?: GrantHint;

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.details) this.details = options.details;
    if (options.hint) this.hint = options.hint;
  }

  /** Returns the error as data, as results carry it. */
  toData(): ToolErrorData {
    return toolError(this.code, this.message, { ...(this.details && { details: this.details }), ...(this.hint && { hint: this.hint }) });
  }
}

/** `tool_not_found`: The tool does not exist; also thrown by `registry.get`. */
export class ToolNotFound extends ToolError {
  override readonly name = "ToolNotFound";
  constructor(message: string, options?: ToolErrorOptions) {
    super("tool_not_found", message, options);
  }
}

/** `invalid_args`: The arguments are invalid; list every problem in `details.errors`. */
export class InvalidArgs extends ToolError {
  override readonly name = "InvalidArgs";
  constructor(message: string, options?: ToolErrorOptions) {
    super("invalid_args", message, options);
  }
}

/** `permission_denied`: Policy denies the call. */
export class PermissionDenied extends ToolError {
  override readonly name = "PermissionDenied";
  constructor(message: string, options?: ToolErrorOptions) {
    super("permission_denied", message, options);
  }
}

/** `fs_denied`: A file is outside of the grant. */
export class FsDenied extends ToolError {
  override readonly name = "FsDenied";
  constructor(message: string, options?: ToolErrorOptions) {
    super("fs_denied", message, options);
  }
}

/** `net_denied`: A host is outside of the grant. */
export class NetDenied extends ToolError {
  override readonly name = "NetDenied";
  constructor(message: string, options?: ToolErrorOptions) {
    super("net_denied", message, options);
  }
}

/** `user_denied`: The user refused. */
export class UserDenied extends ToolError {
  override readonly name = "UserDenied";
  constructor(message: string, options?: ToolErrorOptions) {
    super("user_denied", message, options);
  }
}

/** `confirmation_timeout`: The user did not answer in time. */
export class ConfirmationTimeout extends ToolError {
  override readonly name = "ConfirmationTimeout";
  constructor(message: string, options?: ToolErrorOptions) {
    super("confirmation_timeout", message, options);
  }
}

/** `approval_required`: The user has to approve the call first. */
export class ApprovalRequired extends ToolError {
  override readonly name = "ApprovalRequired";
  constructor(message: string, options?: ToolErrorOptions) {
    super("approval_required", message, options);
  }
}

/** `timeout`: The tool exceeded its time limit. */
export class ToolTimeout extends ToolError {
  override readonly name = "ToolTimeout";
  constructor(message: string, options?: ToolErrorOptions) {
    super("timeout", message, options);
  }
}

/** `cancelled`: The caller cancelled the call. */
export class ToolCancelled extends ToolError {
  override readonly name = "ToolCancelled";
  constructor(message: string, options?: ToolErrorOptions) {
    super("cancelled", message, options);
  }
}

/** `resource_exhausted`: The tool exceeded a limit other than time. */
export class ResourceExhausted extends ToolError {
  override readonly name = "ResourceExhausted";
  constructor(message: string, options?: ToolErrorOptions) {
    super("resource_exhausted", message, options);
  }
}

/** `overloaded`: Too many calls are waiting. */
export class Overloaded extends ToolError {
  override readonly name = "Overloaded";
  constructor(message: string, options?: ToolErrorOptions) {
    super("overloaded", message, options);
  }
}

/** `tool_failed`: The tool could not complete its task. */
export class ToolFailed extends ToolError {
  override readonly name = "ToolFailed";
  constructor(message: string, options?: ToolErrorOptions) {
    super("tool_failed", message, options);
  }
}

/** `invalid_output`: The output does not match its schema. */
export class InvalidOutput extends ToolError {
  override readonly name = "InvalidOutput";
  constructor(message: string, options?: ToolErrorOptions) {
    super("invalid_output", message, options);
  }
}

/** `unavailable`: The tool cannot run now. */
export class ToolUnavailable extends ToolError {
  override readonly name = "ToolUnavailable";
  constructor(message: string, options?: ToolErrorOptions) {
    super("unavailable", message, options);
  }
}

/** `lost`: The host ended while the call ran. */
export class LostError extends ToolError {
  override readonly name = "LostError";
  constructor(message: string, options?: ToolErrorOptions) {
    super("lost", message, options);
  }
}

/** `internal`: A defect in the host. */
export class InternalError extends ToolError {
  override readonly name = "InternalError";
  constructor(message: string, options?: ToolErrorOptions) {
    super("internal", message, options);
  }
}

/**
 * Thrown if a tool's definition is refused at registration (SPEC R2).
 *
 * `field` is the JSON pointer of the first problem; `problems` has them all.
 */
export class ToolRegistrationError extends Error {
  override readonly name = "ToolRegistrationError";
  readonly tool: string;
  readonly field: string;
  readonly problems: readonly Problem[];

  constructor(tool: string, problems: readonly Problem[]) {
    const [first] = problems;
    super(
      `Cannot register tool "${tool}": ${first?.pointer ?? ""}: ${first?.message ?? "refused"}${first?.fix === undefined ? "" : ` (${first.fix})`}`,
    );
    this.tool = tool;
    this.field = first?.pointer ?? "";
    this.problems = problems;
  }
}
