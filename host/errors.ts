/** Why a call failed: the host's closed union of codes, one table, and the classes host tools throw (SPEC X2-X5). */

import type { JsonObject, Permissions } from "../manifests/mod.ts";

export const ERROR_CODES = [
  "tool_not_found",
  "invalid_args",
  "permission_denied",
  "fs_denied",
  "net_denied",
  "user_denied",
  "confirmation_timeout",
  "approval_required",
  "timeout",
  "cancelled",
  "resource_exhausted",
  "overloaded",
  "tool_failed",
  "invalid_output",
  "unavailable",
  "internal",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The smallest grant that would allow what was refused, as JSON and as a command (SPEC X3). */
export interface GrantHint {
  readonly grant?: { readonly plugin: string; readonly permissions: Permissions };
  readonly command?: string;
  /** Where a grant cannot help: what to set instead. */
  readonly text?: string;
}

/** An error as data, inside a result. */
export interface ToolErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: JsonObject;
  /** False where the message hides a defect whose details are only in the log. */
  readonly visible: boolean;
  readonly hint?: GrantHint;
}
