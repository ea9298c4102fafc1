/** What a server's tool answered, as one of our results (SPEC K3, X1). Everything in it is the server's own word. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import { type ContentBlock, type ToolOutput, toolOutput } from "../../tools/tool-output.ts";

const MAX_MESSAGE = 4_000;
/** What is made of blocks later is made of all at once. */
const MAX_BLOCKS = 10_000;
/** Blocks between two turns. */
const STEPS = 1_000;

/** In slices; the route bounds it. @throws {ToolFailed} with the server's words, if it says that the tool failed. */
export function* toToolOutput(answer: CallToolResult): Generator<void, ToolOutput> {
  // It came through JSON.parse, or was read from JSON; a large one has not been checked.
  const { content, structuredContent: structured, isError } = answer as unknown as JsonObject;
  if (content !== undefined && isJsonArray(content) && content.length > MAX_BLOCKS)
    throw new ToolFailed(`The MCP server's answer has more than ${MAX_BLOCKS} content blocks`);
  const blocks: ContentBlock[] = [];
  const texts: string[] = [];
  for (const [index, given] of (content !== undefined && isJsonArray(content) ? content : []).entries()) {
    if (index % STEPS === STEPS - 1) yield;
    const block = toBlock(given);
    blocks.push(block);
    if (block.type === "text") texts.push(block.text);
  }
  if (isError === true) throw new ToolFailed(beginning(texts) || "The MCP server says that the tool failed");
  return toolOutput({
    output: structured ?? texts.join("\n"),
    // Text that is all there is stands in the output already.
    ...((structured !== undefined || texts.length < blocks.length) && { content: blocks }),
  });
}

function toBlock(block: JsonValue): ContentBlock {
  const { type, text, data, mimeType, uri, resource } = isJsonObject(block) ? block : {};
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  if (type === "resource_link" && typeof uri === "string")
    return { type: "resource", uri, ...(typeof mimeType === "string" && { mimeType }) };
  if (type === "resource" && isJsonObject(resource)) {
    const { uri: own, text: words, mimeType: kind } = resource;
    if (typeof own === "string")
      return {
        type,
        uri: own,
        ...(typeof words === "string" && { text: words }),
        ...(typeof kind === "string" && { mimeType: kind }),
      };
  }
  return {
    type: "text",
    text: `(a block of type "${typeof type === "string" ? beginning([type]) : "unknown"}", which bascule cannot show)`,
  };
}

function beginning(texts: readonly string[]): string {
  const text = texts.slice(0, MAX_MESSAGE).join("\n");
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
