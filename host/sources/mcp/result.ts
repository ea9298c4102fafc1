/** The answer of a server's tool as one of our results: block for block, with its `_meta` (SPEC K3, X1). Everything in it is the server's own word. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, printable } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { blockFromMcp, type ContentBlock, createBlockReader } from "../../call/content-block.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import { type ToolOutput, toolOutput } from "../../call/tool-output.ts";

/** What is made of blocks later is made of all at once. */
const MAX_BLOCKS = 10_000;
/** Blocks between two turns. */
const STEPS = 1_000;
const META_BOUNDS = { maxBytes: 64 * 1024, maxDepth: 64 } as const;
const MAX_TYPE = 100;

/** In slices; the route bounds it. @param refused what the server asked of its client during the call, and did not get */
export function* toToolOutput(answer: CallToolResult, refused: readonly string[] = []): Generator<void, ToolOutput> {
  // It came through JSON.parse, or was read from JSON; a large one has not been checked.
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
    // A failure that is told in blocks only has no output: the blocks hold its words.
    output: structured ?? (hasFailed ? null : texts.join("\n")),
    ...(hasFailed && { success: false }),
    // A text that is all there is stands in the output already.
    ...(!isPlain && { content: blocks }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

/** Why a tool may have failed that asked for what no server gets. */
export function refusal(refused: readonly string[]): string {
  return `during this call the server asked its client for ${refused.join(", ")}, which bascule refuses`;
}

function bounded(meta: JsonObject): JsonObject {
  const copy = copyJson(meta, META_BOUNDS);
  return copy.ok ? meta : { "cut-by-bascule": `The answer's _meta is left out: ${copy.problem.message}` };
}

function unknownBlock(block: JsonValue): ContentBlock {
  const type = isJsonObject(block) && typeof block["type"] === "string" ? printable(block["type"].slice(0, MAX_TYPE)) : "unknown";
  return { type: "text", text: `(a block of type "${type}", which bascule cannot show)` };
}
