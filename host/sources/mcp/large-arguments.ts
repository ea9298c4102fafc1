/**
 * Arguments above 64 KB on their way to an MCP server through the protocol's SDK, which writes messages whole: a mark stands for them, and
 * the transport writes them in slices in its place (SPEC LV2).
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { LARGE_TEXT } from "../../primitives/json/read-slices.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import { encodeSlices, jsonPieces } from "../../primitives/json/write-slices.ts";
import type { Platform } from "../../platform/platform.ts";
import { createInTurn } from "../../project/in-turn.ts";
import type { McpClient } from "./client.ts";

/** Of one connection. */
export interface LargeArguments {
  /** Has the SDK write marks; a mark is good for as long as its call lasts, also where the SDK sends the request twice. */
  client(client: McpClient): McpClient;
  /** A message of the SDK's, or with arguments in place of a mark its parts in UTF-8; one message after the other. */
  lengthen(text: string): Promise<string | readonly Uint8Array[]>;
  /** The same for what is sent to a server over HTTP. */
  fetch(send: typeof fetch): typeof fetch;
}

const MARK = "bascule/large-arguments";
/** Of a message with a mark: what stands in place may take six times its length in JSON. */
const BOUNDS = { maxBytes: 8 * LARGE_TEXT, maxDepth: 256 } as const;
/** A value in a header, in characters: servers take no longer ones. */
const MAX_HEADER = 8 * 1024;

export function createLargeArguments({ random, slices }: Pick<Platform, "random" | "slices">): LargeArguments {
  // Their calls hold them anyway.
  const waiting = createWaitingMarks<JsonObject>(random, Infinity);
  // What cancels a call must not come before it.
  const inTurn = createInTurn();

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
      // Not a stream: its length is known, and servers ask for it.
      return await send(input, { ...init, body: new Blob([...body]) });
    },
    client: (client) => ({
      listTools: (...given) => client.listTools(...given),
      async callTool(params, options) {
        const { arguments: args } = params;
        const size = sizeOf(args);
        // It is an object of plain data: what has a size was read, or copied, as that.
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

/** Members that the SDK repeats in headers, because the tool's schema says so with `x-mcp-header`. @param budget characters */
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
