/**
 * Replaces large parts of results (above 64 KB) by marks, because the protocol's SDK copies and checks what it sends. When the text
 * is sent, the bytes replace the marks (SPEC LV2).
 */

import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { copyHolder, type JsonPiece, type Large, largeIn } from "../../primitives/json/large.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import type { Platform } from "../../platform/platform.ts";
import type { McpResult } from "../../call/result.ts";
import { LONG_MEMBERS } from "../../call/content-block.ts";

/** Marks of one door. */
export interface Marks {
  /** Returns the result with marks. Each mark can be used once. */
  place(result: McpResult): McpResult;
  /** Splits JSON text at its marks and inserts their values; returns only the text if it has no marks. */
  split(text: string): readonly JsonPiece[];
  /** Replaces the marks in an answer's body by their values. */
  fill(response: Response): Response;
}

/** Maximum bytes that wait to be written, for all clients. Values of a client that disconnects stay until newer ones replace them. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A mark: a string, or an object with one member where the SDK requires an object. Hexadecimal is valid base64, too. */
const MARK = /\{"([0-9a-f]{32})":true\}|"([0-9a-f]{32})"/;

export function createMarks({ random, slices }: Pick<Platform, "random" | "slices">): Marks {
  const waiting = createWaitingMarks<Large>(random, MAX_WAITING_BYTES);
  const newMark = (large: Large): string => waiting.add(large, large.bytes.length);

  function placeIn(holder: JsonObject): JsonObject {
    const changes: Record<string, JsonValue> = {};
    for (const key of LONG_MEMBERS) {
      const large = largeIn(holder, key);
      if (large !== undefined) changes[key] = newMark(large);
    }
    const { type } = holder;
    const inner = type === "resource" ? holder["resource"] : undefined;
    if (typeof inner === "object") changes["resource"] = placeIn(inner as JsonObject);
    return copyHolder(holder, changes);
  }

  function split(text: string): readonly JsonPiece[] {
    if (waiting.isEmpty) return [text];
    const pieces: JsonPiece[] = [];
    let rest = text;
    for (let found = MARK.exec(rest); found !== null; found = MARK.exec(rest)) {
      const large = waiting.take(found[1] ?? found[2] ?? "");
      const end = found.index + found[0].length;
      pieces.push(rest.slice(0, large === undefined ? end : found.index));
      if (large !== undefined) pieces.push(large);
      rest = rest.slice(end);
    }
    return [...pieces, rest];
  }

  return {
    place(result) {
      const structured = largeIn(result, "structuredContent");
      const content = result.content.map(placeIn);
      if (structured === undefined) return { ...result, content };
      const name = newMark(structured);
      // For other types than objects the protocol's revision decides how the SDK sends them.
      const mark = (structured.shape.type === "object" ? { [name]: true } : name) as JsonObject;
      return copyHolder(result, { content, structuredContent: mark });
    },
    split,
    fill(response) {
      const { body, status, statusText, headers } = response;
      if (body === null) return response;
      const decoder = new TextDecoder();
      const filled = new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          // Each event or answer arrives as one chunk.
          const pieces = waiting.isEmpty ? [] : split(decoder.decode(chunk));
          if (!pieces.some((piece) => typeof piece !== "string")) return controller.enqueue(chunk);
          for await (const bytes of piecesBytes(pieces, slices)) controller.enqueue(bytes);
        },
      });
      const fields = new Headers(headers);
      fields.delete("content-length");
      return new Response(body.pipeThrough(filled), { status, statusText, headers: fields });
    },
  };
}
