/**
 * Errors of calls: the host's closed union of codes, errors as data, and their factories (SPEC X2-X5).
 *
 * `error-table.ts` has the fixed properties of each code, `tool-error.ts` the classes that host tools throw.
 */

import type { ValueProblem } from "../primitives/json/json.ts";
import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";

/** All error codes of results. */
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
  "lost",
  "internal",
] as const;
/** One of `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The smallest grant that would allow the refused operation, as JSON and as a command (SPEC X3). */
export interface GrantHint {
  readonly grant?: { readonly plugin: string; readonly permissions: Permissions };
  readonly command?: string;
  /** The setting to change if a grant cannot help. */
  readonly text?: string;
}

/** An error as data, inside a result. */
export interface ToolErrorData {
  readonly code: ErrorCode;
  /** One sentence for people: what was wrong, and what to do. */
  readonly message: string;
  /** Facts for programs, such as `errors` of `invalid_args`. */
  readonly details?: JsonObject;
  /** False if the message hides a defect whose details are only in the log. */
  readonly visible: boolean;
  /** The smallest grant that would allow what was refused. */
  readonly hint?: GrantHint;
}

const ALIASES: ReadonlyMap<string, ErrorCode> = new Map([
  ["not_found", "tool_not_found"],
  ["validation_error", "invalid_args"],
  ["execution_error", "tool_failed"],
]);

/** Reads a code from outside, including older aliases; returns undefined for any other text. */
export function readErrorCode(text: string): ErrorCode | undefined {
  return ERROR_CODES.find((code) => code === text) ?? ALIASES.get(text);
}

/** The parts of an error that not every one has. */
export interface ErrorParts {
  readonly details?: JsonObject;
  readonly hint?: GrantHint;
  readonly visible?: boolean;
}

/** Creates an error; every factory below ends here. */
export function toolError(code: ErrorCode, message: string, parts: ErrorParts = {}): ToolErrorData {
  const { details, hint, visible = true } = parts;
  return Object.freeze({ code, message, visible, ...(details && { details }), ...(hint && { hint }) });
}

/** Names of tools that the session may see. */
export interface AvailableNames {
  /** Nearest first, already capped (SPEC D3). */
  readonly nearest: readonly string[];
  /** Number of all names. */
  readonly total: number;
  /** The name that was probably meant. */
  readonly meant?: string;
}

export function toolNotFound(tool: string, { nearest, total, meant }: AvailableNames): ToolErrorData {
  const asked = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const more = total > nearest.length ? ` and ${total - nearest.length} more (bascule list --all shows all tools)` : "";
  const message = `Tool '${tool}' not found.${asked} Available: [${nearest.join(", ")}]${more}`;
  return toolError("tool_not_found", message, { details: { available: nearest } });
}

/** Includes all problems; the message names the first. */
export function invalidArgs(problems: readonly ValueProblem[]): ToolErrorData {
  return toolError("invalid_args", summarize("Invalid arguments", problems), { details: { errors: problems.map(problemToJson) } });
}

/** @param position in UTF-16 units from 0 */
export function invalidJson(position: number): ToolErrorData {
  const message = `Invalid JSON: unexpected token at position ${position}`;
  return toolError("invalid_args", message, { details: { errors: [{ pointer: "", message }] } });
}

/** An invalid option of the call. @param problem the value, the expected value and the remedy */
export function invalidOption(option: string, problem: string): ToolErrorData {
  const message = `Invalid call option "${option}": ${problem}`;
  return toolError("invalid_args", message, { details: { errors: [{ pointer: "", message }] } });
}

/** Includes all problems; the message names the first. */
export function invalidOutput(problems: readonly ValueProblem[]): ToolErrorData {
  return toolError("invalid_output", summarize("Invalid output", problems), { details: { errors: problems.map(problemToJson) } });
}

/** A policy rule denies the call. */
export function deniedByPolicy(tool: string, hint?: GrantHint): ToolErrorData {
  return toolError("permission_denied", `Permission denied: tool '${tool}' is disabled by policy`, hint && { hint });
}

/** A hook refused the call, or threw. @param reason the hook's own text */
export function deniedByHook(tool: string, reason: string | undefined): ToolErrorData {
  const because = reason === undefined ? "" : `: ${reason}`;
  return toolError("permission_denied", `Permission denied: tool '${tool}' is refused by a hook${because}`, {
    details: { reason: "hook" },
  });
}

/** The user refused the call. @param reason the user's own words */
export function userDenied(reason?: string): ToolErrorData {
  return toolError("user_denied", reason === undefined ? "User denied this operation." : `User denied this operation: ${reason}`);
}

/** The call needs a confirmation, and the user was not asked. @param reason why not @param hint the setting to change */
export function unconfirmed(tool: string, reason: string, hint?: GrantHint): ToolErrorData {
  return toolError("user_denied", `Tool '${tool}' needs confirmation, ${reason}`, hint && { hint });
}

/** The call waits for a confirmation; its result can be read by the call id. */
export function approvalRequired(tool: string, requestId: string): ToolErrorData {
  return toolError("approval_required", `Tool '${tool}' waits for confirmation`, {
    details: { requestId },
    // Addressed to the caller. The user sees elsewhere how to answer.
    hint: { text: "The user answers in a separate terminal or on the console page" },
  });
}

/** The user did not answer in time. */
export function confirmationTimeout(timeoutMs: number): ToolErrorData {
  return toolError("confirmation_timeout", `No answer to the confirmation within ${toSeconds(timeoutMs)}`, { details: { timeoutMs } });
}

/** An argument leads out of the workspace (SPEC C5). */
export function pathEscapes(path: string, hint?: GrantHint): ToolErrorData {
  return toolError("fs_denied", "Path escapes workspace boundary", { details: { path }, ...(hint && { hint }) });
}

/** The call exceeded its wall time. */
export function wallTimeout(limitMs: number): ToolErrorData {
  return toolError("timeout", `Tool exceeded ${toSeconds(limitMs)} wall time limit`, { details: { limit: "wall", limitMs } });
}

/** The call exceeded its CPU time. */
export function cpuTimeout(limitMs: number): ToolErrorData {
  return toolError("timeout", `Tool exceeded ${toSeconds(limitMs)} CPU time limit`, { details: { limit: "cpu", limitMs } });
}

/** The caller cancelled the call. */
export function cancelled(): ToolErrorData {
  return toolError("cancelled", "The call was cancelled");
}

/** @param limit a field of `Limits` or of a quota */
export function resourceExhausted(limit: string, allowed: number): ToolErrorData {
  return toolError("resource_exhausted", `Tool exceeded its ${limit} limit of ${allowed}`, { details: { limit, allowed } });
}

/**
 * A quota of `bascule.json` or a session is used up. `used` is the use within its window. `freesInMs` is the time until the call would fit;
 * absent if it never will.
 */
export function quotaExhausted(quota: {
  readonly resource: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly per: string;
  readonly subject: string;
  readonly rule: string;
  readonly used: number;
  readonly freesInMs?: number;
}): ToolErrorData {
  const { resource, limit, windowMs, per, subject, rule, used, freesInMs } = quota;
  const frees = freesInMs === undefined ? "this call needs more than the whole quota" : `free again in ${toSeconds(freesInMs)}`;
  const message = `Quota of ${limit} ${resource} in ${toSeconds(windowMs)} for ${per} "${subject}" is used up: ${used} used, ${frees} (${rule})`;
  const retry = freesInMs === undefined ? {} : { freesInMs, retryable: true };
  return toolError("resource_exhausted", message, {
    details: { limit: resource, allowed: limit, used, windowMs, per, subject, rule, ...retry },
  });
}

/** The session's queue is full. */
export function overloaded(queued: number): ToolErrorData {
  return toolError("overloaded", `The session already has ${queued} calls waiting (call again when some have ended)`, {
    details: { queued },
  });
}

/** Waiting calls of the session's owner hold too many argument bytes. */
export function argumentsWait(maxBytes: number): ToolErrorData {
  return toolError(
    "overloaded",
    `Waiting calls of the session's owner hold all of the ${maxBytes / 1024 / 1024} MiB for their arguments (call again when some have started)`,
    { details: { allowed: maxBytes } },
  );
}

/** A failure that the tool reported, with its own message. */
export function toolFailed(message: string, details?: JsonObject): ToolErrorData {
  return toolError("tool_failed", message, details && { details });
}

/** A host tool threw an error that is not a `ToolError`: the stack is only in the log (SPEC X4). */
export function toolFailedHidden(callId: string): ToolErrorData {
  return toolError("tool_failed", "Tool failed", { details: { callId }, visible: false });
}

/** @param reason what is missing or wrong, and the remedy */
export function unavailable(tool: string, reason: string): ToolErrorData {
  return toolError("unavailable", `Tool '${tool}' is unavailable: ${reason}`);
}

/** The call could not be recorded first, although it changes something or policy requires a record (SPEC AU3). */
export function unrecorded(tool: string, isRequired: boolean): ToolErrorData {
  const why = isRequired ? 'policy requires a record of every call ("audit.required")' : "it changes something";
  return unavailable(tool, `the audit journal cannot be written, and ${why} (see the host's log)`);
}

/** A defect in the host; the details are only in the log. */
export function internal(callId: string): ToolErrorData {
  return toolError("internal", "Internal error", { details: { callId }, visible: false });
}

function summarize(what: string, problems: readonly ValueProblem[]): string {
  const [first, ...rest] = problems;
  if (first === undefined) return what;
  const where = first.pointer === "" ? "" : ` at ${first.pointer}`;
  const more = rest.length === 0 ? "" : ` (and ${rest.length} more)`;
  return `${what}${where}: ${first.message}${more}`;
}

function problemToJson(problem: ValueProblem): JsonValue {
  const { pointer, message, keyword, fix } = problem;
  return { pointer, message, ...(keyword !== undefined && { keyword }), ...(fix !== undefined && { fix }) };
}

/** Formats `30s`, `0.5s`: seconds with as many decimals as needed. */
function toSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(3))}s`;
}
