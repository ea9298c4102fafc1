/** The forms of a result: for people, for machines, for models, for MCP (SPEC X1). Fixed shapes. */

import { printableJson, printableLines } from "../primitives/text.ts";
import { dryRunText } from "./report-text.ts";
import type { ToolResult, ToolSuccess } from "./call.ts";
import type { ToolErrorData } from "./errors.ts";
import { holdLarge, type Large, largeIn } from "../primitives/json/large.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { blockToMcp, blockToText } from "./content-block.ts";
import { ownMeta } from "./own-meta.ts";

/**
 * One readable text: the output, or what went wrong and what to do about it; of a dry run also what it would have changed.
 *
 * Inert on a terminal: control, bidi and invisible characters of the tool are written out (`\x1b`, `\u{202e}`), in JSON as
 * JSON escapes them. `toMachine`, `toMcp` and `toMessages` are for programs and models, and keep them.
 */
export function toHuman(result: ToolResult): string {
  return withDryRun(result, answerToHuman(result));
}

/** The same without what a dry run would have changed. */
export function answerToHuman(result: ToolResult): string {
  const text = answerText(result);
  const isJson = result.ok && result.content.every((block) => blockToText(block) === "") && typeof result.output !== "string";
  return isJson ? printableJson(text) : printableLines(text);
}

/** As the tool wrote it. */
function answerText(result: ToolResult): string {
  if (!result.ok) return failureText(result);
  const blocks = result.content.map(blockToText).filter((text) => text !== "");
  return blocks.length > 0 ? blocks.join("\n") : outputText(result.output);
}

function withDryRun({ dryRun }: ToolResult, text: string): string {
  return dryRun === undefined ? text : [text, ...dryRunText(dryRun)].join("\n");
}

/** Snake case and this shape only, whatever the tool. */
export interface MachineResult {
  readonly protocol_version: 1;
  readonly ok: boolean;
  readonly status: ToolResult["status"];
  readonly output: JsonValue;
  readonly side_effects_declared: readonly string[];
  readonly requires_approval: boolean;
  readonly metadata: JsonObject;
}

/** On failure `metadata.error` says why. */
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
      // JSON only; its interfaces just have no index signature.
      ...(result.dryRun && { dryRun: { ...result.dryRun } as unknown as JsonObject }),
    },
  };
}

/** A model's wish to call a tool. */
export interface MessageCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** A call or its result as a model's conversation holds it. */
export type Message =
  | { readonly role: "assistant"; readonly content: readonly ToolUseBlock[] }
  | { readonly role: "user"; readonly content: readonly ToolResultBlock[] };
/** A model's call. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}
/** The answer to a model's call. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

/**
 * The two messages that record a turn's calls: what the assistant asked and what it got, in the order of `calls`, each
 * result under the id of its call.
 *
 * @throws {RangeError} if there are not as many results as calls.
 */
export function toMessages(calls: readonly MessageCall[], results: readonly ToolResult[]): readonly [Message, Message] {
  if (calls.length !== results.length) throw new RangeError(`${calls.length} calls have ${results.length} results`);
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
  /** Present where the output is an object, as MCP asks. */
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
  readonly _meta?: JsonObject;
}

export function toMcp(result: ToolResult): McpResult {
  if (!result.ok) return failureToMcp(result);
  const meta = metaOf(result);
  const large = largeIn(result, "output");
  const blocks = result.content.length > 0 ? result.content.map(blockToMcp) : [outputBlock(result, large)];
  // A model must not take it for done.
  const content = result.dryRun ? [...blocks, { type: "text", text: dryRunText(result.dryRun).join("\n") }] : blocks;
  // What was cut does not fit the tool's output schema any more, and MCP asks that this part does.
  const isWhole = result.truncated?.some(({ part }) => part === "output") !== true;
  if (large !== undefined) {
    const told = { content, isError: false, ...meta };
    if (large.shape.type === "object" && isWhole) holdLarge(told, "structuredContent", large);
    return told;
  }
  const { output } = result;
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  // Array.isArray does not narrow readonly arrays away.
  return { content, ...(isObject && isWhole && { structuredContent: output as JsonObject }), isError: false, ...meta };
}

/** Whether a tool said in blocks of its own how it failed: they are its answer, as those of a success are. */
export function hasOwnWords(result: ToolResult): boolean {
  return !result.ok && result.error.code === "tool_failed" && result.content.length > 0;
}

function failureToMcp(result: Failure): McpResult {
  const { error } = result;
  const text = { type: "text", text: failureText(result) };
  if (!hasOwnWords(result))
    return { content: [text], isError: true, _meta: { ...metaOf(result)._meta, "bascule/error": errorToJson(error) } };
  const { details } = error;
  const large = details && largeIn(details, "output");
  const output = large === undefined ? details?.["output"] : undefined;
  const blocks = result.content.map(blockToMcp);
  // The blocks and the output have places of their own: `details` would repeat them.
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

/** Above it a tool's `_meta` is not handed on: no door writes it in slices. */
const META_BYTES = 64 * 1024;

/** The tool's `metadata._meta`, which is for programs; empty if it has none. */
function metaOf(result: ToolResult): { readonly _meta?: JsonObject } {
  const large = largeIn(result, "metadata");
  if (large !== undefined && large.jsonBytes > META_BYTES) return {};
  const meta = result.metadata["_meta"];
  if (meta === undefined || !isJsonObject(meta)) return {};
  const own = ownMeta(meta);
  return Object.keys(own).length === 0 ? {} : { _meta: own };
}

type Failure = Extract<ToolResult, { ok: false }>;

/** For people and for models, who see nothing else of it. */
function failureText(result: Failure): string {
  const { message, hint } = result.error;
  const lines = [messageOf(result.error)];
  for (const problem of argumentProblems(result.error)) if (!message.endsWith(problem)) lines.push(problem);
  if (hint?.text !== undefined) lines.push(hint.text);
  if (hint?.command !== undefined) lines.push(`To allow it: ${hint.command}`);
  return lines.join("\n");
}

/** Without the advice that it ends with, where the hint has the same. */
export function messageOf({ message, hint }: ToolErrorData): string {
  const advice = `, grant it with: ${hint?.command ?? ""}`;
  return hint?.command !== undefined && message.endsWith(advice) ? message.slice(0, -advice.length) : message;
}

const MAX_PROBLEMS = 20;

/** Of `invalid_args` and `invalid_output`: `/path: …`, the first ones of them. */
export function argumentProblems({ details }: ToolErrorData): readonly string[] {
  const errors = details?.["errors"];
  if (!Array.isArray(errors)) return [];
  const shown = errors.slice(0, MAX_PROBLEMS).map((error: JsonValue) => {
    const { pointer, message } = isJsonObject(error) ? error : {};
    const text = typeof message === "string" ? message : JSON.stringify(error);
    return typeof pointer === "string" && pointer !== "" ? `${pointer}: ${text}` : text;
  });
  const more = errors.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}

/** Everything of an error, as JSON. */
function errorToJson(error: ToolErrorData): JsonObject {
  // ToolErrorData holds JSON only; its interfaces just have no index signature.
  return { ...error } as unknown as JsonObject;
}

function outputText(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}

/** A large one as compact JSON, which stays bytes. */
function outputBlock(result: ToolSuccess, large: Large | undefined): JsonObject {
  const block = { type: "text", text: large === undefined ? outputText(result.output) : "" };
  if (large !== undefined) holdLarge(block, "text", large.asText());
  return block;
}
