/** What a server's tool answered, as one of our results (SPEC K3, X1). Everything in it is the server's own word. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../../manifests/mod.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import { type ContentBlock, type ToolOutput, toolOutput } from "../../tools/tool-output.ts";

const MAX_MESSAGE = 4_000;

/** The route bounds it. @throws {ToolFailed} with the server's words, if it says that the tool failed. */
export function toToolOutput(answer: CallToolResult): ToolOutput {
  const blocks = (answer.content ?? []).map(toBlock);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (answer.isError === true) throw new ToolFailed(cut(texts.join("\n")) || "The MCP server says that the tool failed");
  // It came through JSON.parse.
  const structured = answer.structuredContent as JsonValue | undefined;
  return toolOutput({
    output: structured ?? texts.join("\n"),
    // Text that is all there is stands in the output already.
    ...((structured !== undefined || texts.length < blocks.length) && { content: blocks }),
  });
}

type Block = NonNullable<CallToolResult["content"]>[number];

function toBlock(block: Block): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "resource_link":
      return { type: "resource", uri: block.uri, ...(block.mimeType !== undefined && { mimeType: block.mimeType }) };
    case "resource": {
      const { uri, mimeType } = block.resource;
      const text = "text" in block.resource ? block.resource.text : undefined;
      return { type: "resource", uri, ...(text !== undefined && { text }), ...(mimeType !== undefined && { mimeType }) };
    }
    default:
      return { type: "text", text: `(a block of type "${block.type}", which bascule cannot show)` };
  }
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
