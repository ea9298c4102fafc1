/**
 * Passes MCP results above 64 KB around the SDK, which parses and validates messages whole: the SDK sees a placeholder, and the client then
 * reads the result in slices (SPEC LV2).
 */

import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { bodyText } from "../../primitives/json/body-text.ts";
import { flatten } from "../../primitives/json/flatten.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { LARGE_TEXT, MAX_MEMBERS, readSlices } from "../../primitives/json/read-slices.ts";
import { createWaitingMarks } from "../../primitives/json/waiting-marks.ts";
import type { Platform } from "../../platform/platform.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import type { McpClient } from "./client.ts";
import { shortEvents } from "./large-events.ts";

/** The large results of one connection. */
export interface LargeResults {
  /** Returns the message with a placeholder for a large result. Undefined if the text is not a message, or is large and not an answer. */
  shorten(text: string): Promise<string | undefined>;
  /** Does the same for responses of a server over HTTP. */
  fetch(send: typeof fetch): typeof fetch;
  /** Wraps a client so that it returns the results themselves. */
  client(client: McpClient): McpClient;
}

/** Bound for all results that were not taken yet, in characters. */
const MAX_WAITING = 64 * 1024 * 1024;
const MAX_LIST = 1024 * 1024;
const MAX_DEPTH = 256;
const LARGE = "bascule/large-result";
const INTERNAL_ERROR = -32_603;

/** @param maxBytes of a message over HTTP */
export function createLargeResults({ random, slices }: Pick<Platform, "random" | "slices">, maxBytes: number): LargeResults {
  const waiting = createWaitingMarks<string>(random, MAX_WAITING);

  async function shorten(text: string): Promise<string | undefined> {
    if (text.length <= LARGE_TEXT) return text;
    // Reads the members of the result, or of the message if a member of the result is a long string.
    const message = (await withoutDepth(text, 2)) ?? (await withoutDepth(text, 1));
    if (message === undefined || message["method"] !== undefined || message["id"] === undefined) return undefined;
    const { jsonrpc = "2.0", id, result } = message;
    const marked = isJsonObject(result) ? mark(result, text) : "The answer is larger than 64 KB, and not the result of a call or a list";
    if (typeof marked !== "string") return JSON.stringify({ jsonrpc, id, result: marked });
    return JSON.stringify({ jsonrpc, id, error: { code: INTERNAL_ERROR, message: marked } });
  }

  async function withoutDepth(text: string, depth: number): Promise<JsonObject | undefined> {
    const brief = await slices.run(flatten(text, depth));
    const read = brief.length > LARGE_TEXT ? undefined : readJsonText(brief, { maxBytes: LARGE_TEXT, maxDepth: depth });
    return read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
  }

  /** @returns the result with a placeholder, or an error message */
  function mark(result: JsonObject, text: string): JsonObject | string {
    const { tools, content, structuredContent } = result;
    if (tools !== undefined) {
      if (text.length > MAX_LIST) return `A page of the tool list is longer than ${MAX_LIST / 1024 / 1024} MiB`;
      return { ...result, tools: [{ name: waiting.add(text, text.length), inputSchema: { type: "object" } }], _meta: {} };
    }
    if (content === undefined && structuredContent === undefined)
      return "The answer is larger than 64 KB, and not the result of a call or a list";
    return {
      ...result,
      content: [],
      ...(structuredContent !== undefined && { structuredContent: {} }),
      _meta: { [LARGE]: waiting.add(text, text.length) },
    };
  }

  async function resultIn(text: string): Promise<JsonObject> {
    const read = await slices.run(readSlices(text, { maxBytes: text.length, maxDepth: MAX_DEPTH }));
    if (!read.ok) throw new ToolFailed(`Cannot read the MCP server's answer: ${whyNot(read)}`);
    const message = read.value as JsonValue;
    // An object with a result, as the flattened text showed.
    return isJsonObject(message) && isJsonObject(message["result"]) ? message["result"] : {};
  }

  async function toolsIn(text: string): Promise<readonly Tool[]> {
    const { tools } = await resultIn(text);
    const { isSpecType } = await import("@modelcontextprotocol/client");
    function* checked(): Generator<void, readonly Tool[]> {
      const found: Tool[] = [];
      for (const tool of isJsonArray(tools) ? tools : []) {
        if (!isSpecType.Tool(tool)) throw new Error("The server's tool list holds something that is not a valid tool");
        found.push(tool);
        yield;
      }
      return found;
    }
    return await slices.run(checked());
  }

  return {
    shorten,
    fetch: (send) => async (input, init) => {
      const response = await send(input, init);
      const { body, status, statusText, headers: given, ok } = response;
      if (body === null) return response;
      const headers = new Headers(given);
      headers.delete("content-length");
      const type = given.get("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (ok && type === "text/event-stream") return new Response(body.pipeThrough(shortEvents(shorten)), { status, statusText, headers });
      if (!ok || type !== "application/json") {
        const text = (await bodyText(body, LARGE_TEXT)) ?? "(an answer of more than 64 KB)";
        return new Response(text, { status, statusText, headers });
      }
      const text = await bodyText(body, maxBytes);
      const short = text === undefined ? undefined : await shorten(text);
      if (short === undefined) throw new TypeError("The server's answer is larger than 64 KB, and not the result of a call or a list");
      return new Response(short, { status, statusText, headers });
    },
    client: (client) => ({
      async listTools(...args) {
        const list = await client.listTools(...args);
        const tools: Tool[] = [];
        for (const tool of list.tools) {
          const text = waiting.take(tool.name);
          for (const one of text === undefined ? [tool] : await toolsIn(text)) tools.push(one);
        }
        return { ...list, tools };
      },
      async callTool(...args) {
        const answer = await client.callTool(...args);
        const name = answer._meta?.[LARGE];
        if (typeof name !== "string") return answer;
        const text = waiting.take(name);
        if (text === undefined) throw new ToolFailed("The MCP server sent more large answers at once than can be held (64 MiB)");
        // `toToolOutput` checks the parts that it uses.
        return (await resultIn(text)) as unknown as CallToolResult;
      },
      close: () => client.close(),
    }),
  };
}

function whyNot(read: { readonly position: number } | { readonly tooLarge: "bytes" | "members" | "depth" }): string {
  if ("position" in read) return `it is not valid JSON at character ${read.position}`;
  return read.tooLarge === "members" ? `an object in it has more than ${MAX_MEMBERS} members` : `it nests deeper than ${MAX_DEPTH} levels`;
}
