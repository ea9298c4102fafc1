/**
 * Arguments above 64 KB on their way through the protocol's SDK, which parses, copies and checks messages whole: a mark stands for them
 * until the call is made (SPEC LV2).
 */

import { isJsonObject, type JsonObject, type JsonValue, LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import { piecesOf } from "../../json/json-bytes.ts";
import { copyJson } from "../../json/json.ts";
import { sizeOf } from "../../json/known-size.ts";
import { LARGE_TEXT, readText } from "../../json/read-slices.ts";
import type { Platform } from "../../platform/platform.ts";

/** Of one door. */
export interface LargeInputs {
  /** The message with a mark in place of large arguments; undefined if it is no message, or large in another way. */
  shorten(text: string): Promise<string | undefined>;
  /** The same for a request. */
  shortenRequest(request: Request): Promise<Request | undefined>;
  /** What a mark stands for; any other arguments as they are. Each mark is good once. */
  take(args: JsonObject): JsonObject;
}

const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;
const MARK_BYTES = 16;
const NO_JSON = "{";
/** Of messages that never became a call, the first is dropped. */
const MAX_WAITING = 64;

/** @param maxBytes of a message */
export function createLargeInputs({ random, slices }: Pick<Platform, "random" | "slices">, maxBytes: number): LargeInputs {
  const waiting = new Map<string, JsonObject>();

  function mark(args: JsonObject): string {
    const name = Array.from(random.bytes(MARK_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
    waiting.set(name, args);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    return name;
  }

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
    const isLarge = message["method"] === "tools/call" && isJsonObject(args) && sizeOf(args) !== undefined;
    const small = isLarge ? { ...message, params: { ...params, arguments: { [mark(args)]: true } } } : message;
    // Anything else of a message is small.
    const copy = copyJson(small, { maxBytes: LARGE_TEXT, maxDepth: MAX_DEPTH });
    return copy.ok ? JSON.stringify(copy.value) : undefined;
  }

  return {
    shorten,
    async shortenRequest(request) {
      const length = request.headers.get("content-length");
      if (request.method !== "POST" || (length !== null && Number(length) <= LARGE_TEXT)) return request;
      const text = await readBody(request, maxBytes);
      const body = text === undefined ? undefined : await shorten(text);
      if (body === undefined) return undefined;
      const headers = new Headers(request.headers);
      headers.delete("content-length");
      return new Request(request.url, { method: "POST", headers, body, signal: request.signal });
    },
    take(args) {
      const [name, ...more] = Object.keys(args);
      const found = name === undefined || more.length > 0 ? undefined : waiting.get(name);
      if (found === undefined || name === undefined) return args;
      waiting.delete(name);
      return found;
    },
  };
}

/** The text with `0` in place of each container that is nested deeper. */
function* flatten(text: string, maxDepth: number): Generator<void, string> {
  const kept: string[] = [];
  let [from, depth, isInString, steps] = [0, 0, false, STEPS];
  for (let at = 0; at < text.length; at++) {
    if (--steps === 0) {
      steps = STEPS;
      yield;
    }
    const character = text[at];
    if (isInString && character === "\\") at++;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === "[" || character === "{")) {
      if (depth++ === maxDepth) kept.push(text.slice(from, at), "0");
    } else if (!isInString && (character === "]" || character === "}")) {
      if (--depth === maxDepth) from = at + 1;
    }
  }
  if (depth <= maxDepth) kept.push(text.slice(from));
  return kept.join("");
}

/** Characters between two turns. */
const STEPS = 16_384;

/** Undefined if it is longer. */
async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // The runtime's type leaves open what the pieces are.
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    bytes += next.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    for (const piece of piecesOf(next.value)) text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
