/**
 * Cuts a result down to what its session takes, and keeps the whole of what was cut (SPEC X6).
 *
 * This is about what a model reads. What a tool may answer at all is its `outputBytes` (SPEC B3): above that the call fails,
 * and nothing is kept.
 */

import type { ContentBlock, ToolFailure, ToolResult, ToolSuccess, TruncatedPart } from "../call.ts";
import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import { LEAST_RESULT_BYTES } from "./result-bytes.ts";

export interface ResultCap {
  /** Of output and content together, as JSON. */
  readonly maxBytes: number;
  /** Keeps a text for the session; undefined if it is too large even for that. */
  readonly keep: (text: string) => string | undefined;
}

/** Room for the line that says what was left out. */
const NOTE_BYTES = 512;
const MAX_PREVIEW_BYTES = 2_048;
/** An escaped character takes up to six bytes of JSON, and a preview is text within text. */
const ESCAPED = 12;

/** The same object where nothing has to be cut. */
export function capResult(result: ToolResult, cap: ResultCap): ToolResult {
  // Counted when the output crossed; what a call failed of before that is bounded elsewhere.
  if ((result.limitsUsed.outputBytes ?? 0) <= cap.maxBytes) return result;
  return Object.freeze(result.ok ? capSuccess(result, cap) : capFailure(result, cap));
}

function capSuccess(result: ToolSuccess, cap: ResultCap): ToolResult {
  const truncated: TruncatedPart[] = [];
  let left = cap.maxBytes;
  const content = result.content.map((block, index) => {
    const { block: shown, part } = capBlock(block, index, { ...cap, maxBytes: Math.max(left, LEAST_RESULT_BYTES) });
    left -= jsonBytes(shown);
    if (part !== undefined) truncated.push(part);
    return shown;
  });
  const size = jsonBytes(result.output);
  if (size <= Math.max(left, LEAST_RESULT_BYTES)) return { ...result, content, ...(truncated.length > 0 && { truncated }) };
  const { shown, part } = capOutput(result.output, { ...cap, maxBytes: Math.max(left, LEAST_RESULT_BYTES) });
  return { ...result, content, output: shown, truncated: [part, ...truncated] };
}

function capOutput(output: JsonValue, cap: ResultCap): { readonly shown: JsonValue; readonly part: TruncatedPart } {
  if (typeof output === "string") return capText("output", output, cap);
  const text = JSON.stringify(output);
  const bytes = byteLength(text);
  const handle = cap.keep(text);
  const preview = cutText(text, Math.min(MAX_PREVIEW_BYTES, Math.floor(cap.maxBytes / ESCAPED)));
  const count = Array.isArray(output) ? { items: output.length } : isJsonObject(output) ? { members: Object.keys(output).length } : {};
  const shown: JsonValue = {
    truncated: true,
    type: Array.isArray(output) ? "array" : typeof output,
    ...count,
    bytes,
    ...(handle === undefined ? { lost: "larger than what is kept" } : { handle, next: `read_result {"handle":"${handle}","offset":0}` }),
    preview,
  };
  return { shown, part: { part: "output", bytes, shownBytes: 0, ...(handle !== undefined && { handle }) } };
}

/** As much of the text as there is room for, whole characters only, and a line about the rest. */
function capText(part: string, text: string, cap: ResultCap): { readonly shown: string; readonly part: TruncatedPart } {
  const bytes = byteLength(text);
  const handle = cap.keep(text);
  const room = Math.max(0, cap.maxBytes - NOTE_BYTES);
  // Quotes and control characters grow when they are written as JSON.
  const shown = cutText(text, Math.floor((room * bytes) / Math.max(bytes, jsonBytes(text))));
  const shownBytes = byteLength(shown);
  const rest =
    handle === undefined ? "and was larger than what is kept" : `read on with read_result {"handle":"${handle}","offset":${shownBytes}}`;
  return {
    shown: `${shown}\n[${shownBytes} of ${bytes} bytes are shown; the rest was left out: ${rest}]`,
    part: { part, bytes, shownBytes, ...(handle !== undefined && { handle }) },
  };
}

function capBlock(block: ContentBlock, index: number, cap: ResultCap): { readonly block: ContentBlock; readonly part?: TruncatedPart } {
  if (jsonBytes(block) <= cap.maxBytes) return { block };
  const name = `content/${index}`;
  const text = "data" in block ? block.data : (block.text ?? "");
  if (block.type === "text") {
    const { shown, part } = capText(name, text, cap);
    return { block: { type: "text", text: shown }, part };
  }
  // A part of an image is no image.
  const bytes = byteLength(text);
  const handle = cap.keep(text);
  const what = "data" in block ? `${block.type}, ${block.mimeType}, in base64` : `resource ${cutText(block.uri, 500)}`;
  const rest = handle === undefined ? "larger than what is kept" : `read_result {"handle":"${handle}","offset":0}`;
  return {
    block: { type: "text", text: `[${cutText(what, 600)}, ${bytes} bytes: left out, ${rest}]` },
    part: { part: name, bytes, shownBytes: 0, ...(handle !== undefined && { handle }) },
  };
}

/** A tool that failed may say why at any length, too. */
function capFailure(result: ToolFailure, cap: ResultCap): ToolResult {
  const { message, details } = result.error;
  const half = { ...cap, maxBytes: Math.max(LEAST_RESULT_BYTES, Math.floor(cap.maxBytes / 2)) };
  const isLong = jsonBytes(message) > half.maxBytes;
  const isDeep = details !== undefined && jsonBytes(details) > half.maxBytes;
  if (!isLong && !isDeep) return result;
  const said = isLong ? capText("error/message", message, half) : undefined;
  const more = isDeep ? capOutput(details, half) : undefined;
  const error = {
    ...result.error,
    ...(said && { message: said.shown }),
    // A summary of an object is an object.
    ...(more && isJsonObject(more.shown) && { details: more.shown }),
  };
  const parts = [said?.part, more && { ...more.part, part: "error/details" }].filter((part) => part !== undefined);
  return { ...result, content: [], error, truncated: parts };
}

/** The longest beginning that fits, in whole characters. */
export function cutText(text: string, maxBytes: number): string {
  // Not more than could fit: a huge text is not encoded for its beginning.
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes + 1), new Uint8Array(maxBytes));
  return text.slice(0, read);
}

function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
