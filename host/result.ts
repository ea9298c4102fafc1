/** The forms of a result: for people, for machines, for models, for MCP (SPEC X1). Fixed shapes. */

import { printableJson, printableLines } from "./cli/text.ts";
import { dryRunText } from "./overlay/report-text.ts";
import type { ContentBlock, ToolResult, ToolSuccess } from "./call.ts";
import type { ToolErrorData } from "./errors.ts";
import { copyHolder, holdLarge, type Large, largeIn } from "./json/large.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../manifests/mod.ts";

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
      ...(!result.ok && { error: errorToJson(result) }),
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
  if (!result.ok) {
    return { content: [{ type: "text", text: failureText(result) }], isError: true, _meta: { "bascule/error": errorToJson(result) } };
  }
  const large = largeIn(result, "output");
  const blocks = result.content.length > 0 ? result.content.map(blockToMcp) : [outputBlock(result, large)];
  // A model must not take it for done.
  const content = result.dryRun ? [...blocks, { type: "text", text: dryRunText(result.dryRun).join("\n") }] : blocks;
  // What was cut does not fit the tool's output schema any more, and MCP asks that this part does.
  const isWhole = result.truncated?.some(({ part }) => part === "output") !== true;
  if (large !== undefined) {
    const told = { content, isError: false };
    if (large.shape.type === "object" && isWhole) holdLarge(told, "structuredContent", large);
    return told;
  }
  const { output } = result;
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  // Array.isArray does not narrow readonly arrays away.
  return isObject && isWhole ? { content, structuredContent: output as JsonObject, isError: false } : { content, isError: false };
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
function errorToJson({ error }: Failure): JsonObject {
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

function blockToText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  return block.type === "resource" ? (block.text ?? `[${block.uri}]`) : `[${block.type}, ${block.mimeType}]`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Data that is no base64 would make the whole answer one that no client takes. */
function blockToMcp(block: ContentBlock): JsonObject {
  if (block.type === "text") return copyHolder<JsonObject>(block);
  if (block.type !== "resource") {
    const large = largeIn(block, "data");
    const isBase64 = large === undefined ? BASE64.test(block.data) : large.isBase64;
    return isBase64 ? copyHolder<JsonObject>(block) : { type: "text", text: `[${block.type} that is not base64]` };
  }
  const { uri, mimeType } = block;
  const large = largeIn(block, "text");
  const resource = { uri, text: large === undefined ? (block.text ?? "") : "", ...(mimeType !== undefined && { mimeType }) };
  if (large !== undefined) holdLarge(resource, "text", large);
  return { type: "resource", resource };
}
