/**
 * Passes arguments above 64 KB around the MCP SDK, which serialises messages whole: the SDK sees a placeholder, and the transport writes
 * the arguments in slices in its place (SPEC LV2).
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { createMutex } from "../../platform/mutex.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { LARGE_TEXT } from "../../primitives/json/read-slices.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import { encodeSlices, jsonPieces } from "../../primitives/json/write-slices.ts";
import type { Platform } from "../../platform/platform.ts";
import type { McpClient } from "./client.ts";

/** The large arguments of one connection. */
export interface LargeArguments {
  /** Wraps a client so that it sends placeholders. A placeholder is valid during its call, also if the SDK sends the request twice. */
  client(client: McpClient): McpClient;
  /**
   * Replaces the placeholder in a message with the arguments, as parts in UTF-8. Returns other messages unchanged. One message at a time.
   */
  lengthen(text: string): Promise<string | readonly Uint8Array[]>;
  /** Does the same for requests to a server over HTTP. */
  fetch(send: typeof fetch): typeof fetch;
}

const MARK = "bascule/large-arguments";
/** For a message with a placeholder: the members beside it can take six times their length in JSON. */
const BOUNDS = { maxBytes: 8 * LARGE_TEXT, maxDepth: 256 } as const;
/** Maximum characters of a header value; servers accept no longer ones. */
const MAX_HEADER = 8 * 1024;

export function createLargeArguments({ random, slices }: Pick<Platform, "random" | "slices">): LargeArguments {
  // No bound is needed, because the calls hold the arguments anyway.
  const waiting = createWaitingMarks<JsonObject>(random, Infinity);
  // In order, so that a cancellation cannot overtake its call.
  const inTurn = createMutex();

  function lengthen(text: string): Promise<string | readonly Uint8Array[]> {
    return inTurn(async () => {
      const read = text.includes(`"${MARK}":"`) ? readJsonText(text, BOUNDS) : undefined;
      if (read?.ok !== true || !isJsonObject(read.value)) return text;
      const { params } = read.value;
      const marked = isJsonObject(params) ? params["arguments"] : undefined;
      const name = isJsonObject(marked) ? marked[MARK] : undefined;
      const given = typeof name === "string" ? waiting.find(name) : undefined;
      if (given === undefined) return text;
      return await slices.run(encodeSlices(read.value, { leaf: (item) => (item === marked ? jsonPieces(given, {}) : undefined) }));
    });
  }

  return {
    lengthen,
    fetch: (send) => async (input, init) => {
      const body = typeof init?.body === "string" ? await lengthen(init.body) : undefined;
      if (body === undefined || typeof body === "string") return await send(input, init);
      // Not a stream: the length is known, and servers require it.
      return await send(input, { ...init, body: new Blob([...body]) });
    },
    client: (client) => ({
      listTools: (...given) => client.listTools(...given),
      async callTool(params, options) {
        const { arguments: args } = params;
        const size = sizeOf(args);
        // A value with a recorded size was parsed or copied as a plain object.
        const large = args as JsonObject | undefined;
        if (size === undefined || large === undefined) return await client.callTool(params, options);
        const name = waiting.add(large, size.bytes);
        const inPlace = headerMembers(options?.toolDefinition?.inputSchema as JsonValue | undefined, large, { left: LARGE_TEXT });
        try {
          return await client.callTool({ ...params, arguments: { ...inPlace, [MARK]: name } }, options);
        } finally {
          waiting.take(name);
        }
      },
      close: () => client.close(),
    }),
  };
}

/**
 * Returns the members that the SDK repeats in headers, because the tool's schema marks them with `x-mcp-header`.
 * @param budget characters
 */
function headerMembers(schema: JsonValue | undefined, args: JsonObject, budget: { left: number }): JsonObject {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  const members: [string, JsonValue][] = [];
  for (const [name, inner] of isJsonObject(properties) ? Object.entries(properties) : []) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || !isJsonObject(inner)) continue;
    if (isJsonObject(value)) members.push([name, headerMembers(inner, value, budget)]);
    if (inner["x-mcp-header"] === undefined || isJsonObject(value) || isJsonArray(value)) continue;
    const length = typeof value === "string" ? value.length : 0;
    if (length > MAX_HEADER) continue;
    budget.left -= name.length + length;
    if (budget.left >= 0) members.push([name, value]);
  }
  return Object.fromEntries(members);
}
