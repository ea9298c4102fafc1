/**
 * Line protocol of runners: one JSON object per line (SPEC I6).
 *
 * ```
 * → {"op":"tool_call","tool_call_id":"1","tool":"read_file","args":{"path":"a.txt"}}
 * ← {"op":"tool_response","tool_call_id":"1","ok":true,"result":{…},"metadata":{"duration_ms":3}}
 * ← {"op":"tool_yield","tool_call_id":"1","value":…}   if the call has "stream":true
 * ← {"op":"tool_response","tool_call_id":"1","ok":false,"error":"fs_denied","message":"…","metadata":{"duration_ms":1}}
 * ```
 *
 * `error` is a code of `docs/errors.md`. The answer to an invalid request is `invalid_args`, with `"tool_call_id":null` if the
 * request has no readable id.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { ToolResult } from "../../call/call.ts";
import type { ErrorCode } from "../../call/errors.ts";
import { blockToMcp } from "../../call/content-block.ts";
import { holdLarge, largeIn } from "../../primitives/json/large.ts";
import type { JsonText } from "../../primitives/json/json-text.ts";
import { MAX_LINE_BYTES } from "../frames.ts";
import { expectedName, isName } from "../wire.ts";

/** A runner's request. */
export interface RunnerCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Whether the runner takes what the tool yields, before the answer. */
  readonly streams: boolean;
}

/** A request, or the reason why the line is not one. `id` is null if the line has no readable id. */
type RunnerRequest =
  | { readonly ok: true; readonly call: RunnerCall }
  | { readonly ok: false; readonly id: string | null; readonly message: string };

/** Reads a request; never throws. Unknown members are ignored. */
export function readRunnerLine(parsed: JsonText): RunnerRequest {
  if (!parsed.ok || !isJsonObject(parsed.value)) return { ok: false, id: null, message: "Expected one JSON object on each line" };
  const { op, tool_call_id: id, tool, args = {} } = parsed.value;
  if (!isName(id)) return { ok: false, id: null, message: expectedName("tool_call_id") };
  if (op !== "tool_call") return { ok: false, id, message: 'Expected "op" to be "tool_call"' };
  if (!isName(tool)) return { ok: false, id, message: expectedName("tool") };
  if (!isJsonObject(args)) return { ok: false, id, message: 'Expected "args" to be an object' };
  return { ok: true, call: { id, tool, args, streams: parsed.value["stream"] === true } };
}

/** Returns the line for a value that a tool yielded. */
export function toYield(id: string, value: JsonValue): string {
  return JSON.stringify({ op: "tool_yield", tool_call_id: id, value });
}

/** Converts a result to a response. A large output stays bytes; `jsonBytes` writes it. */
export function toResponse(id: string, result: ToolResult): JsonObject {
  const metadata = { duration_ms: Math.round(result.durationMs) };
  const head = { op: "tool_response", tool_call_id: id, ok: result.ok };
  if (!result.ok) return { ...head, error: result.error.code, message: failureText(result), metadata };
  const large = largeIn(result, "output");
  const content = result.content.length === 0 ? {} : { content: result.content.map(blockToMcp) };
  const response: JsonObject = { ...head, result: large === undefined ? result.output : null, ...content, metadata };
  if (large !== undefined) holdLarge(response, "result", large);
  return response;
}

/** Returns the failure line for a result that is longer than a line. */
export function tooLong(id: string): string {
  return toFailure(id, "resource_exhausted", `The result is longer than the ${MAX_LINE_BYTES} bytes that a line carries`);
}

/** Returns the line for a call that did not run. */
export function toFailure(id: string | null, error: ErrorCode, message: string): string {
  return JSON.stringify({ op: "tool_response", tool_call_id: id, ok: false, error, message });
}

/** Includes the hint with the smallest grant that helps, because the runner shows the message to the user. */
function failureText({ error }: Extract<ToolResult, { ok: false }>): string {
  const { message, hint } = error;
  const advice = hint?.command ?? hint?.text;
  return advice === undefined || message.includes(advice) ? message : `${message} (${advice})`;
}
