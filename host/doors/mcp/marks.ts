/**
 * Results above 64 KB on their way through the protocol's SDK, which copies and checks what it sends: marks stand for what is
 * large, and where the text goes out the bytes take their place (SPEC LV2).
 */

import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { copyHolder, type JsonPiece, type Large, largeIn } from "../../primitives/json/large.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import type { Platform } from "../../platform/platform.ts";
import type { McpResult } from "../../call/result.ts";
import { LONG_MEMBERS } from "../../call/content-block.ts";

/** Of one door. */
export interface Marks {
  /** The result with marks. Each is good once. */
  place(result: McpResult): McpResult;
  /** JSON text with what its marks stand for between; the text alone where it has none. */
  split(text: string): readonly JsonPiece[];
  /** The answer with what the marks in its body stand for. */
  fill(response: Response): Response;
}

/** What waits to be written, of all clients. A client that goes before takes nothing away. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A string, or an object with nothing else in it, where an object has to be. The hexadecimal passes for base64, too. */
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
      // Where the type is no object the revision of the protocol says what comes of it.
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
          // An event, or an answer, comes whole.
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
