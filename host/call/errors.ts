/**
 * Why a call failed: the host's closed union of codes, errors as data, and the one place that makes them (SPEC X2-X5).
 *
 * What is fixed about a code is in `error-table.ts`; the classes that host tools throw are in `tool-error.ts`.
 */

import type { ValueProblem } from "../primitives/json/json.ts";
import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";

/** Every code a result can carry. */
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
/** One of `ERROR_CODES`. */
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

const ALIASES: ReadonlyMap<string, ErrorCode> = new Map([
  ["not_found", "tool_not_found"],
  ["validation_error", "invalid_args"],
  ["execution_error", "tool_failed"],
]);

/** Reads a code from outside, its older aliases included; undefined for anything else. */
export function readErrorCode(text: string): ErrorCode | undefined {
  return ERROR_CODES.find((code) => code === text) ?? ALIASES.get(text);
}

/** The parts of an error that not every one has. */
export interface ErrorParts {
  readonly details?: JsonObject;
  readonly hint?: GrantHint;
  readonly visible?: boolean;
}

/** Makes an error; every factory below ends here. */
export function toolError(code: ErrorCode, message: string, parts: ErrorParts = {}): ToolErrorData {
  const { details, hint, visible = true } = parts;
  return Object.freeze({ code, message, visible, ...(details && { details }), ...(hint && { hint }) });
}

/** `available` is what the session may see, nearest names first, already capped (SPEC D3). */
export function toolNotFound(tool: string, available: readonly string[]): ToolErrorData {
  return toolError("tool_not_found", `Tool '${tool}' not found. Available: [${available.join(", ")}]`, { details: { available } });
}

/** All problems at once; the message names the first. */
export function invalidArgs(problems: readonly ValueProblem[]): ToolErrorData {
  return toolError("invalid_args", summarize("Invalid arguments", problems), { details: { errors: problems.map(problemToJson) } });
}

/** `position` counts UTF-16 units from 0. */
export function invalidJson(position: number): ToolErrorData {
  const message = `Invalid JSON: unexpected token at position ${position}`;
  return toolError("invalid_args", message, { details: { errors: [{ pointer: "", message }] } });
}

/** An option of the call itself is wrong; `problem` says what it is, what was wanted and what to do. */
export function invalidOption(option: string, problem: string): ToolErrorData {
  const message = `Invalid call option "${option}": ${problem}`;
  return toolError("invalid_args", message, { details: { errors: [{ pointer: "", message }] } });
}

/** All problems at once; the message names the first. */
export function invalidOutput(problems: readonly ValueProblem[]): ToolErrorData {
  return toolError("invalid_output", summarize("Invalid output", problems), { details: { errors: problems.map(problemToJson) } });
}

/** A policy rule says no. */
export function deniedByPolicy(tool: string, hint?: GrantHint): ToolErrorData {
  return toolError("permission_denied", `Permission denied: tool '${tool}' is disabled by policy`, hint && { hint });
}

/** A hook said no, or threw. `reason` is the hook's own word. */
export function deniedByHook(tool: string, reason: string | undefined): ToolErrorData {
  const because = reason === undefined ? "" : `: ${reason}`;
  return toolError("permission_denied", `Permission denied: tool '${tool}' is refused by a hook${because}`, {
    details: { reason: "hook" },
  });
}

/** A person said no. */
export function userDenied(): ToolErrorData {
  return toolError("user_denied", "User denied this operation.");
}

/** A person has to agree, and was not asked. `reason` says why not, `hint` what to set. */
export function unconfirmed(tool: string, reason: string, hint?: GrantHint): ToolErrorData {
  return toolError("user_denied", `Tool '${tool}' needs a person's confirmation, ${reason}`, hint && { hint });
}

/** A person has to agree first; the call waits for that, and its result can be had by its id. */
export function approvalRequired(tool: string, requestId: string): ToolErrorData {
  return toolError("approval_required", `Tool '${tool}' waits for a person's approval`, {
    details: { requestId },
    // The reader asked for the call. How to answer is for the person, who is shown the question elsewhere.
    hint: { text: "The person answers, at a terminal of their own or on the console page, where the question is shown" },
  });
}

/** Nobody answered. */
export function confirmationTimeout(timeoutMs: number): ToolErrorData {
  return toolError("confirmation_timeout", `Nobody answered the confirmation within ${toSeconds(timeoutMs)}`, { details: { timeoutMs } });
}

/** An argument leaves the workspace (SPEC C5). */
export function pathEscapes(path: string, hint?: GrantHint): ToolErrorData {
  return toolError("fs_denied", "Path escapes workspace boundary", { details: { path }, ...(hint && { hint }) });
}

/** Wall time. */
export function wallTimeout(limitMs: number): ToolErrorData {
  return toolError("timeout", `Tool exceeded ${toSeconds(limitMs)} wall time limit`, { details: { limit: "wall", limitMs } });
}

/** CPU time. */
export function cpuTimeout(limitMs: number): ToolErrorData {
  return toolError("timeout", `Tool exceeded ${toSeconds(limitMs)} CPU time limit`, { details: { limit: "cpu", limitMs } });
}

/** The caller gave up. */
export function cancelled(): ToolErrorData {
  return toolError("cancelled", "The call was cancelled");
}

/** `limit` is a field of `Limits` or of a quota. */
export function resourceExhausted(limit: string, allowed: number): ToolErrorData {
  return toolError("resource_exhausted", `Tool exceeded its ${limit} limit of ${allowed}`, { details: { limit, allowed } });
}

/**
 * A quota, as `bascule.json` or a session sets it. `used` is what was used within its window, `freesInMs` when there is room
 * for what was asked; absent if there never will be.
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
  const frees = freesInMs === undefined ? "this asks for more than all of it" : `free again in ${toSeconds(freesInMs)}`;
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

/** Calls of the session's owner that have not begun hold too much. */
export function argumentsWait(maxBytes: number): ToolErrorData {
  return toolError(
    "overloaded",
    `Calls of the session's owner that wait hold all of the ${maxBytes / 1024 / 1024} MiB that their arguments may take (call again when some have begun)`,
    { details: { allowed: maxBytes } },
  );
}

/** The tool's own failure, in its own words. */
export function toolFailed(message: string, details?: JsonObject): ToolErrorData {
  return toolError("tool_failed", message, details && { details });
}

/** A host tool threw something it did not mean to show: the stack is only in the log (SPEC X4). */
export function toolFailedHidden(callId: string): ToolErrorData {
  return toolError("tool_failed", "Tool failed", { details: { callId }, visible: false });
}

/** `reason` says what is missing or wrong, and what to do. */
export function unavailable(tool: string, reason: string): ToolErrorData {
  return toolError("unavailable", `Tool '${tool}' is unavailable: ${reason}`);
}

/** What changes something, and what policy says, is not done unless it is on record first (SPEC AU3). */
export function unrecorded(tool: string, isRequired: boolean): ToolErrorData {
  const why = isRequired ? 'policy requires a record of every call ("audit.required")' : "it changes something";
  return unavailable(tool, `the audit journal cannot be written, and ${why} (see the host's log)`);
}

/** A defect of ours: everything else is in the log. */
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

/** `30s`, `0.5s`: seconds with as many decimals as needed. */
function toSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(3))}s`;
}

/** A defect for the log: where it was thrown, as far as it says so. */
export function defectText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
