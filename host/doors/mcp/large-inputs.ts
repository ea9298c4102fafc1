/**
 * Arguments above 64 KB on their way through the protocol's SDK, which parses, copies and checks messages whole: a mark stands for them
 * until the call is made (SPEC LV2).
 */

import { isJsonObject, type JsonObject, type JsonValue, LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import { bodyText } from "../../primitives/json/body-text.ts";
import { flatten } from "../../primitives/json/flatten.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { LARGE_TEXT, readText } from "../../primitives/json/read-slices.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import type { Platform } from "../../platform/platform.ts";

/** Of one door. */
export interface LargeInputs {
  /** The message with a mark in place of large arguments; undefined if it is no message, or large in another way. */
  shorten(text: string): Promise<string | undefined>;
  /** The same for a request. */
  shortenRequest(request: Request): Promise<Request | undefined>;
  /** The arguments that a mark stands for; the mark stays. Any other arguments as they are. */
  look(args: JsonObject): JsonObject;
  /** The same, and each mark is good once. */
  take(args: JsonObject): JsonObject;
}

const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;
const NO_JSON = "{";
/** A message of a client, in bytes. */
export const MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;
/**
 * Of all arguments that wait for their call, as JSON: as much as the HTTP door reads at once. A message that becomes no call (without a
 * tool's name, of a session that is over) leaves its arguments here until newer ones push them out.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** @param maxBytes of a message */
export function createLargeInputs({ random, slices }: Pick<Platform, "random" | "slices">, maxBytes: number): LargeInputs {
  const waiting = createWaitingMarks<JsonObject>(random, MAX_WAITING_BYTES);

  async function shorten(text: string): Promise<string | undefined> {
    if (text.length <= LARGE_TEXT) return text;
    const read = await readText(text, { maxBytes, maxDepth: MAX_DEPTH }, slices);
    // Arguments that nest too deep are refused where arguments are checked, with the message's id; what is no JSON, as the SDK does it.
    if (!read.ok && "tooLarge" in read)
      return read.tooLarge === "depth" ? await shorten(await slices.run(flatten(text, MAX_DEPTH))) : undefined;
    if (!read.ok) return NO_JSON;
    // What was read from JSON is JSON.
    const message = read.value as JsonValue;
    if (!isJsonObject(message) || !isJsonObject(message["params"])) return undefined;
    const { params } = message;
    const args = params["arguments"];
    const size = message["method"] === "tools/call" && isJsonObject(args) ? sizeOf(args) : undefined;
    const small =
      isJsonObject(args) && size ? { ...message, params: { ...params, arguments: { [waiting.add(args, size.bytes)]: true } } } : message;
    // Anything else of a message is small.
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

/** No mark is empty. */
function markIn(args: JsonObject): string {
  const [name = "", ...more] = Object.keys(args);
  return more.length > 0 ? "" : name;
}
