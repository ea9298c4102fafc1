/**
 * Replaces arguments above 64 KB by a mark until the call is made, because the protocol's SDK parses, copies and checks whole messages
 * without yielding (SPEC LV2).
 */

import { isJsonObject, type JsonObject, type JsonValue, LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import { bodyText } from "../../primitives/json/body-text.ts";
import { flatten } from "../../primitives/json/flatten.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { LARGE_TEXT, readText } from "../../primitives/json/read-slices.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import type { Platform } from "../../platform/platform.ts";

/** Large arguments of one door. */
export interface LargeInputs {
  /** Returns the message with a mark in place of large arguments; undefined if it is not a message, or another part is large. */
  shorten(text: string): Promise<string | undefined>;
  /** Like `shorten`, for the body of an HTTP request. */
  shortenRequest(request: Request): Promise<Request | undefined>;
  /** Returns the arguments that a mark stands for and keeps the mark. Other arguments are returned unchanged. */
  look(args: JsonObject): JsonObject;
  /** Like `look`, but removes the mark: each mark can be taken once. */
  take(args: JsonObject): JsonObject;
}

const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;
const NO_JSON = "{";
/** Maximum bytes of a client's message. */
export const MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;
/**
 * Maximum bytes of JSON of all arguments that wait for their call: as much as the HTTP door reads at once. If a message does not
 * become a call (no tool name, or an ended session), its arguments stay here until newer ones replace them.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Creates the store. @param maxBytes of a message */
export function createLargeInputs({ random, slices }: Pick<Platform, "random" | "slices">, maxBytes: number): LargeInputs {
  const waiting = createWaitingMarks<JsonObject>(random, MAX_WAITING_BYTES);

  async function shorten(text: string): Promise<string | undefined> {
    if (text.length <= LARGE_TEXT) return text;
    const read = await readText(text, { maxBytes, maxDepth: MAX_DEPTH }, slices);
    // Arguments that nest too deep are refused later, with the message's id, when they are checked. The SDK refuses invalid JSON.
    if (!read.ok && "tooLarge" in read)
      return read.tooLarge === "depth" ? await shorten(await slices.run(flatten(text, MAX_DEPTH))) : undefined;
    if (!read.ok) return NO_JSON;
    // The value was read from JSON text, so it is JSON.
    const message = read.value as JsonValue;
    if (!isJsonObject(message) || !isJsonObject(message["params"])) return undefined;
    const { params } = message;
    const args = params["arguments"];
    const size = message["method"] === "tools/call" && isJsonObject(args) ? sizeOf(args) : undefined;
    const small =
      isJsonObject(args) && size ? { ...message, params: { ...params, arguments: { [waiting.add(args, size.bytes)]: true } } } : message;
    // The rest of the message must be small.
    const copy = copyJson(small, { maxBytes: LARGE_TEXT, maxDepth: MAX_DEPTH });
    return copy.ok ? JSON.stringify(copy.value) : undefined;
  }

  return {
    shorten,
    async shortenRequest(request) {
      const length = request.headers.get("content-length");
      if (request.method !== "POST" || (length !== null && Number(length) <= LARGE_TEXT)) return request;
      const text = await bodyText(request.body, maxBytes);
      const body = text === undefined ? undefined : await shorten(text);
      if (body === undefined) return undefined;
      const headers = new Headers(request.headers);
      headers.delete("content-length");
      return new Request(request.url, { method: "POST", headers, body, signal: request.signal });
    },
    look: (args) => waiting.find(markIn(args)) ?? args,
    take: (args) => waiting.take(markIn(args)) ?? args,
  };
}

/** Returns the name of the only member, which may be a mark; "" is never a mark. */
function markIn(args: JsonObject): string {
  const [name = "", ...more] = Object.keys(args);
  return more.length > 0 ? "" : name;
}
