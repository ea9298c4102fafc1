/**
 * Cuts a result to the size that its session accepts, and keeps the whole result (SPEC X6).
 *
 * This limits what a model reads. The limit of a tool's output is its `outputBytes` (SPEC B3): above that the call fails, and nothing is
 * kept.
 */

import type { ContentBlock, ToolFailure, ToolResult, ToolSuccess, TruncatedPart } from "../../call/call.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { copyHolder, decodeText, holdLarge, jsonLength, Large, largeIn } from "../../primitives/json/large.ts";
import { LONG_MEMBERS } from "../../call/content-block.ts";
import { LEAST_RESULT_BYTES } from "../../call/result-bytes.ts";

interface ResultCap {
  /** Maximum JSON bytes of output and content together. */
  readonly maxBytes: number;
  /** Keeps a text or its bytes for the session and returns the handle; undefined if it is too large to keep. */
  readonly keep: (text: string | Uint8Array) => string | undefined;
}

/** Room for the line about the omitted part. */
const NOTE_BYTES = 512;
const MAX_PREVIEW_BYTES = 2_048;
/** An escaped character takes up to six bytes of JSON, and a preview is a string within JSON text. */
const ESCAPED = 12;

/** Returns the same object if nothing has to be cut. */
export function capResult(result: ToolResult, cap: ResultCap): ToolResult {
  // Counted when the output crossed the boundary; errors before that are bounded elsewhere.
  if ((result.limitsUsed.outputBytes ?? 0) <= cap.maxBytes) return result;
  return Object.freeze(result.ok ? capSuccess(result, cap) : capFailure(result, cap));
}

function capSuccess(result: ToolSuccess, cap: ResultCap): ToolResult {
  const { content, truncated, left } = capContent(result.content, cap);
  const large = largeIn(result, "output");
  const size = large?.jsonBytes ?? jsonLength(result.output);
  if (size <= Math.max(left, LEAST_RESULT_BYTES)) return copyHolder(result, { content, ...(truncated.length > 0 && { truncated }) });
  const room = { ...cap, maxBytes: Math.max(left, LEAST_RESULT_BYTES) };
  if (large?.kind === "text") {
    const { shown, part } = capBytes("output", large, room);
    const capped: ToolSuccess = { ...copyHolder(result, { content, output: "" }), truncated: [part, ...truncated] };
    holdLarge(capped, "output", shown);
    return capped;
  }
  const { shown, part } = large === undefined ? capOutput(result.output, room) : summarize(large.bytes, large.shape, room);
  return copyHolder(result, { content, output: shown, truncated: [part, ...truncated] });
}

/** Cuts the blocks. `left` is the room that they leave for the rest. */
function capContent(
  blocks: readonly ContentBlock[],
  cap: ResultCap,
): { readonly content: readonly ContentBlock[]; readonly truncated: readonly TruncatedPart[]; readonly left: number } {
  const truncated: TruncatedPart[] = [];
  let left = cap.maxBytes;
  const content = blocks.map((block, index) => {
    const { block: shown, part } = capBlock(block, index, { ...cap, maxBytes: Math.max(left, LEAST_RESULT_BYTES) });
    left -= jsonLength(shown);
    if (part !== undefined) truncated.push(part);
    return shown;
  });
  return { content, truncated, left };
}

function capOutput(output: JsonValue, cap: ResultCap): { readonly shown: JsonValue; readonly part: TruncatedPart } {
  if (typeof output === "string") return capText("output", output, cap);
  const isList = Array.isArray(output);
  const count = isList ? output.length : isJsonObject(output) ? Object.keys(output).length : 0;
  const type = isList ? "array" : typeof output;
  return summarize(new TextEncoder().encode(JSON.stringify(output)), { type, count }, cap);
}

/** Returns a summary in place of JSON that is too large. */
function summarize(
  bytes: Uint8Array,
  { type, count }: { readonly type: string; readonly count: number },
  cap: ResultCap,
): { readonly shown: JsonValue; readonly part: TruncatedPart } {
  const handle = cap.keep(bytes);
  const previewBytes = Math.min(MAX_PREVIEW_BYTES, Math.floor(cap.maxBytes / ESCAPED));
  const shown: JsonValue = {
    truncated: true,
    type,
    ...(type === "array" ? { items: count } : type === "object" ? { members: count } : {}),
    bytes: bytes.length,
    ...(handle === undefined ? { lost: "too large to keep" } : { handle, next: `read_result {"handle":"${handle}","offset":0}` }),
    preview: decodeText(bytes.subarray(0, wholeCharacters(bytes, previewBytes))),
  };
  return { shown, part: { part: "output", bytes: bytes.length, shownBytes: 0, ...(handle !== undefined && { handle }) } };
}

/** Like `capText`, for a text that stays bytes, also in what is shown. */
function capBytes(part: string, { bytes, jsonBytes }: Large, cap: ResultCap): { readonly shown: Large; readonly part: TruncatedPart } {
  const handle = cap.keep(bytes);
  const room = Math.max(0, cap.maxBytes - NOTE_BYTES);
  const shownBytes = wholeCharacters(bytes, Math.floor((room * bytes.length) / jsonBytes));
  const note = new TextEncoder().encode(restNote({ shownBytes, bytes: bytes.length, handle }));
  const shown = new Uint8Array(shownBytes + note.length);
  shown.set(bytes.subarray(0, shownBytes));
  shown.set(note, shownBytes);
  const shape = { type: "string", count: 0, depth: 0 } as const;
  return {
    // Escapes may be anywhere, so this is an upper bound.
    shown: new Large({ kind: "text", bytes: shown, shape, jsonBytes: Math.min(cap.maxBytes, shown.length * 6) }),
    part: { part, bytes: bytes.length, shownBytes, ...(handle !== undefined && { handle }) },
  };
}

/** Returns the largest number of bytes, at most `most`, that does not split a character. */
function wholeCharacters(bytes: Uint8Array, most: number): number {
  let end = Math.min(most, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return end;
}

function restNote({
  shownBytes,
  bytes,
  handle,
}: {
  readonly shownBytes: number;
  readonly bytes: number;
  readonly handle: string | undefined;
}): string {
  const rest = handle === undefined ? "too large to keep" : `read on with read_result {"handle":"${handle}","offset":${shownBytes}}`;
  return `\n[${shownBytes} of ${bytes} bytes are shown; the rest is omitted: ${rest}]`;
}

/** Returns the beginning of the text that fits, in whole characters, with a line about the rest. */
function capText(part: string, text: string, cap: ResultCap): { readonly shown: string; readonly part: TruncatedPart } {
  const bytes = byteLength(text);
  const handle = cap.keep(text);
  const room = Math.max(0, cap.maxBytes - NOTE_BYTES);
  // Quotes and control characters take more bytes in JSON.
  const shown = cutText(text, Math.floor((room * bytes) / Math.max(bytes, jsonLength(text))));
  const shownBytes = byteLength(shown);
  return {
    shown: shown + restNote({ shownBytes, bytes, handle }),
    part: { part, bytes, shownBytes, ...(handle !== undefined && { handle }) },
  };
}

function capBlock(block: ContentBlock, index: number, cap: ResultCap): { readonly block: ContentBlock; readonly part?: TruncatedPart } {
  if (jsonLength(block) <= cap.maxBytes) return { block };
  const name = `content/${index}`;
  const large = LONG_MEMBERS.map((member) => largeIn(block, member)).find((found) => found !== undefined);
  if (block.type === "text" && large !== undefined) {
    const { shown, part } = capBytes(name, large, cap);
    const capped: ContentBlock = { type: "text", text: "" };
    holdLarge(capped, "text", shown);
    return { block: capped, part };
  }
  const text = large !== undefined ? "" : longIn(block);
  if (block.type === "text") {
    const { shown, part } = capText(name, text, cap);
    return { block: { type: "text", text: shown }, part };
  }
  // An image cannot be cut, so it is replaced by a note.
  const bytes = large?.bytes.length ?? byteLength(text);
  const handle = cap.keep(large?.bytes ?? text);
  const what =
    "data" in block
      ? `${block.type}, ${block.mimeType}, in base64`
      : `resource ${cutText(block.uri, 500)}${"blob" in block ? ", in base64" : ""}`;
  const rest = handle === undefined ? "too large to keep" : `read_result {"handle":"${handle}","offset":0}`;
  return {
    block: { type: "text", text: `[${cutText(what, 600)}, ${bytes} bytes: omitted, ${rest}]` },
    part: { part: name, bytes, shownBytes: 0, ...(handle !== undefined && { handle }) },
  };
}

/** Returns the long part of a block. A link has descriptions only, and is kept as JSON. */
function longIn(block: ContentBlock): string {
  if ("data" in block) return block.data;
  if (block.type === "resource_link") return JSON.stringify(block);
  return ("blob" in block ? block.blob : block.text) ?? "";
}

/** Cuts the message and details of an error, which may be of any length. */
function capFailure(result: ToolFailure, cap: ResultCap): ToolResult {
  const { message, details } = result.error;
  const half = { ...cap, maxBytes: Math.max(LEAST_RESULT_BYTES, Math.floor(cap.maxBytes / 2)) };
  const isLong = jsonLength(message) > half.maxBytes;
  const isDeep = details !== undefined && jsonLength(details) > half.maxBytes;
  const blocks = capContent(result.content, half);
  if (!isLong && !isDeep && blocks.truncated.length === 0) return result;
  const said = isLong ? capText("error/message", message, half) : undefined;
  const more = isDeep ? capDetails(details, half) : undefined;
  const error = {
    ...result.error,
    ...(said && { message: said.shown }),
    // The summary of an object is an object.
    ...(more && isJsonObject(more.shown) && { details: more.shown }),
  };
  const parts = [said?.part, more && { ...more.part, part: "error/details" }].filter((part) => part !== undefined);
  return copyHolder(result, { content: blocks.content, error, truncated: [...parts, ...blocks.truncated] });
}

/** Cuts the details. A member that stays bytes is the output of a failed tool. */
function capDetails(details: JsonObject, cap: ResultCap): { readonly shown: JsonValue; readonly part: TruncatedPart } {
  const output = largeIn(details, "output");
  if (output === undefined) return capOutput(details, cap);
  const { shown, part } = summarize(output.bytes, output.shape, cap);
  return { shown: copyHolder(details, { output: shown }), part };
}

/** Returns the longest beginning that fits, in whole characters. */
function cutText(text: string, maxBytes: number): string {
  // Slices first, so that a huge text is not encoded as a whole.
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes + 1), new Uint8Array(maxBytes));
  return text.slice(0, read);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
