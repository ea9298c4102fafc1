/** Converts the answer of a server's tool block by block, with its `_meta` (SPEC K3, X1). All of it is the server's text. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, printable } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { blockFromMcp, type ContentBlock, createBlockReader } from "../../call/content-block.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import { type ToolOutput, toolOutput } from "../../call/tool-output.ts";

/** Later conversions of blocks are not sliced, so their number is bounded. */
const MAX_BLOCKS = 10_000;
/** Blocks per slice. */
const STEPS = 1_000;
const META_BOUNDS = { maxBytes: 64 * 1024, maxDepth: 64 } as const;
const MAX_TYPE = 100;

/**
 * Converts in slices; the route bounds the result.
 * @param refused methods that the server asked of its client during the call, and that were refused
 */
export function* toToolOutput(answer: CallToolResult, refused: readonly string[] = []): Generator<void, ToolOutput> {
  // The answer came through JSON.parse, or was read from JSON; a large one has not been validated.
  const { content = [], structuredContent: structured, isError, _meta: meta } = answer as unknown as JsonObject;
  const given = isJsonArray(content) ? content : [];
  if (given.length > MAX_BLOCKS) throw new ToolFailed(`The MCP server's answer has more than ${MAX_BLOCKS} content blocks`);
  const blocks: ContentBlock[] = [];
  const texts: string[] = [];
  const read = createBlockReader(blockFromMcp);
  let isPlain = structured === undefined && isError !== true;
  for (const [index, one] of given.entries()) {
    if (index % STEPS === STEPS - 1) yield;
    const block = read(one) ?? unknownBlock(one);
    blocks.push(block);
    if (block.type === "text") texts.push(block.text);
    isPlain &&= index === 0 && block.type === "text" && block.annotations === undefined && block._meta === undefined;
  }
  const hasFailed = isError === true;
  if (hasFailed && refused.length > 0) blocks.push({ type: "text", text: `(${refusal(refused)})` });
  const metadata = { ...(meta !== undefined && isJsonObject(meta) && { _meta: bounded(meta) }), ...(refused.length > 0 && { refused }) };
  return toolOutput({
    // A failure with blocks only has no output: the blocks hold its text.
    output: structured ?? (hasFailed ? null : texts.join("\n")),
    ...(hasFailed && { success: false }),
    // A single plain text is in the output already.
    ...(!isPlain && { content: blocks }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

/** Explains why a tool may have failed: it asked for something that is refused to every server. */
export function refusal(refused: readonly string[]): string {
  return `during this call the server asked its client for ${refused.join(", ")}, which bascule refuses`;
}

function bounded(meta: JsonObject): JsonObject {
  const copy = copyJson(meta, META_BOUNDS);
  return copy.ok ? meta : { "cut-by-bascule": `The answer's _meta is left out: ${copy.problem.message}` };
}

function unknownBlock(block: JsonValue): ContentBlock {
  const type = isJsonObject(block) && typeof block["type"] === "string" ? printable(block["type"].slice(0, MAX_TYPE)) : "unknown";
  return { type: "text", text: `(unsupported content block of type "${type}")` };
}
