/** Converts results for users, machines, models and MCP (SPEC X1). The formats are fixed. */

import { dryRunText } from "./report-text.ts";
import { answerText, answerToHuman, failureText, outputText } from "./answer-text.ts";
import type { ToolFailure, ToolResult, ToolSuccess } from "./call.ts";
import type { ToolErrorData } from "./errors.ts";
import { holdLarge, type Large, largeIn } from "../primitives/json/large.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { blockToMcp } from "./content-block.ts";
import { ownMeta } from "./own-meta.ts";

/**
 * Returns readable text: the output, or the error and its remedy; for a dry run also the changes that it would make.
 *
 * Safe on a terminal: control, bidi and invisible characters of the tool are escaped (`\x1b`, `\u{202e}`), in JSON with JSON escapes.
 * `toMachine`, `toMcp` and `toMessages` keep them, because they are for programs and models.
 */
export function toHuman(result: ToolResult): string {
  return withDryRun(result, answerToHuman(result));
}

function withDryRun({ dryRun }: ToolResult, text: string): string {
  return dryRun === undefined ? text : [text, ...dryRunText(dryRun)].join("\n");
}

/** Machine-readable result in snake case, with this shape for every tool. */
export interface MachineResult {
  readonly protocol_version: 1;
  readonly ok: boolean;
  readonly status: ToolResult["status"];
  readonly output: JsonValue;
  readonly side_effects_declared: readonly string[];
  readonly requires_approval: boolean;
  readonly metadata: JsonObject;
}

/** Converts a result. On failure `metadata.error` is the error. */
export function toMachine(result: ToolResult): MachineResult {
  return {
    protocol_version: 1,
    ok: result.ok,
    status: result.status,
    output: result.output,
    side_effects_declared: result.sideEffects,
    requires_approval: result.requiresApproval,
    metadata: {
      ...result.metadata,
      ...(!result.ok && { error: errorToJson(result.error) }),
      // JSON only; its interfaces only lack an index signature.
      ...(result.dryRun && { dryRun: { ...result.dryRun } as unknown as JsonObject }),
    },
  };
}

/** A tool call that a model requests. */
export interface MessageCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** A call or its result in a model's conversation. */
export type Message =
  | { readonly role: "assistant"; readonly content: readonly ToolUseBlock[] }
  | { readonly role: "user"; readonly content: readonly ToolResultBlock[] };
/** A model's tool call. */
interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}
/** The result of a model's tool call. */
interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

/**
 * Returns the two messages of a turn's calls: the assistant's requests and their results, in the order of `calls`, each result with the id
 * of its call.
 *
 * @throws {RangeError} if there are not as many results as calls.
 */
export function toMessages(calls: readonly MessageCall[], results: readonly ToolResult[]): readonly [Message, Message] {
  if (calls.length !== results.length) throw new RangeError(`${calls.length} calls need as many results, not ${results.length}`);
  const used = calls.map(({ id, name, arguments: input }): ToolUseBlock => ({ type: "tool_use", id, name, input }));
  const got = results.map((result, index): ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: calls[index]?.id ?? result.callId,
    content: withDryRun(result, answerText(result)),
    is_error: !result.ok,
  }));
  return [
    { role: "assistant", content: used },
    { role: "user", content: got },
  ];
}

/** `CallToolResult` of MCP. */
export interface McpResult {
  readonly content: readonly JsonObject[];
  /** Set if the output is an object, as MCP requires. */
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
  readonly _meta?: JsonObject;
}

/**
 * Converts a result to that of an MCP tool. A failure has `isError`, its code is in `_meta["bascule/error"]`. Content blocks of the tool come
 * first; an output that is an object and was not truncated is also `structuredContent`.
 */
export function toMcp(result: ToolResult): McpResult {
  if (!result.ok) return failureToMcp(result);
  const meta = metaOf(result);
  const large = largeIn(result, "output");
  const blocks = result.content.length > 0 ? result.content.map(blockToMcp) : [outputBlock(result, large)];
  // Tells the model that nothing was changed.
  const content = result.dryRun ? [...blocks, { type: "text", text: dryRunText(result.dryRun).join("\n") }] : blocks;
  // A truncated output no longer matches the tool's output schema, which MCP requires of this member.
  const isWhole = result.truncated?.some(({ part }) => part === "output") !== true;
  if (large !== undefined) {
    const told = { content, isError: false, ...meta };
    if (large.shape.type === "object" && isWhole) holdLarge(told, "structuredContent", large);
    return told;
  }
  const { output } = result;
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  // Array.isArray does not narrow readonly arrays.
  return { content, ...(isObject && isWhole && { structuredContent: output as JsonObject }), isError: false, ...meta };
}

/** Returns whether a failed tool described its failure in content blocks, which are then its answer. */
export function hasOwnWords(result: ToolResult): boolean {
  return !result.ok && result.error.code === "tool_failed" && result.content.length > 0;
}

function failureToMcp(result: ToolFailure): McpResult {
  const { error } = result;
  const text = { type: "text", text: failureText(result) };
  if (!hasOwnWords(result))
    return { content: [text], isError: true, _meta: { ...metaOf(result)._meta, "bascule/error": errorToJson(error) } };
  const { details } = error;
  const large = details && largeIn(details, "output");
  const output = large === undefined ? details?.["output"] : undefined;
  const blocks = result.content.map(blockToMcp);
  // The blocks and the output have their own members, so `details` would repeat them.
  const { details: _details, ...rest } = error;
  const told = {
    content: typeof output === "string" || large?.shape.type === "string" ? [text, ...blocks] : blocks,
    ...(output !== undefined && isJsonObject(output) && { structuredContent: output }),
    isError: true,
    _meta: { ...metaOf(result)._meta, "bascule/error": errorToJson(rest) },
  };
  if (large?.shape.type === "object") holdLarge(told, "structuredContent", large);
  return told;
}

/** Maximum bytes of a tool's `_meta`; a larger one is dropped, because doors do not write it in slices. */
const META_BYTES = 64 * 1024;

/** Returns the tool's `metadata._meta`, which is for programs; empty if it has none. */
function metaOf(result: ToolResult): { readonly _meta?: JsonObject } {
  const large = largeIn(result, "metadata");
  if (large !== undefined && large.jsonBytes > META_BYTES) return {};
  const meta = result.metadata["_meta"];
  if (meta === undefined || !isJsonObject(meta)) return {};
  const own = ownMeta(meta);
  return Object.keys(own).length === 0 ? {} : { _meta: own };
}

/** Converts the whole error to JSON. */
function errorToJson(error: ToolErrorData): JsonObject {
  // ToolErrorData contains only JSON; its interfaces only lack an index signature.
  return { ...error } as unknown as JsonObject;
}

/** Returns the output as a text block; a large one is compact JSON, which stays bytes. */
function outputBlock(result: ToolSuccess, large: Large | undefined): JsonObject {
  const block = { type: "text", text: large === undefined ? outputText(result.output) : "" };
  if (large !== undefined) holdLarge(block, "text", large.asText());
  return block;
}
