/** Outputs of host tools beside plain JSON (SPEC X1). */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import type { ContentBlock } from "./content-block.ts";

export type { ContentBlock } from "./content-block.ts";

/** The parts of a result that a tool may set. */
export interface ToolOutputParts {
  readonly output?: JsonValue;
  readonly content?: readonly ContentBlock[];
  /** False makes the call fail with `tool_failed`; `output` is then its details. */
  readonly success?: boolean;
  /** Its member `_meta`, an object of at most 64 KB, becomes the answer's `_meta` for MCP clients. */
  readonly metadata?: JsonObject;
  readonly filesModified?: readonly string[];
  readonly commandExecuted?: string;
}

/** Created by `toolOutput`; a plain object with the same fields counts as ordinary output. */
export interface ToolOutput {
  readonly parts: ToolOutputParts;
}

const made = new WeakSet<object>();

/**
 * Creates an output with more than a value: content blocks, metadata, changed files, or failure.
 *
 * @example
 * ```ts
 * import { toolOutput } from "bascule";
 * const result = toolOutput({ output: { lines: 2 }, content: [{ type: "text", text: "2 lines" }] });
 * console.log(result.parts.output); // { lines: 2 }
 * ```
 */
export function toolOutput(parts: ToolOutputParts): ToolOutput {
  const output: ToolOutput = Object.freeze({ parts: Object.freeze({ ...parts }) });
  made.add(output);
  return output;
}

/** Returns whether `toolOutput` created the value; parsed JSON can never match. */
export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && made.has(value);
}
