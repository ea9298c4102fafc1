/** What a tool may return beside plain JSON (SPEC X1). */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import type { ContentBlock } from "./content-block.ts";

export type { ContentBlock } from "./content-block.ts";

/** The parts of a result that a tool may set itself. */
export interface ToolOutputParts {
  readonly output?: JsonValue;
  readonly content?: readonly ContentBlock[];
  /** False makes the call fail with `tool_failed`; `output` is then its details. */
  readonly success?: boolean;
  /** Its member `_meta`, an object of at most 64 KB, is the answer's `_meta` for MCP clients. */
  readonly metadata?: JsonObject;
  readonly filesModified?: readonly string[];
  readonly commandExecuted?: string;
}

/** Made by `toolOutput`; a plain object with the same fields is output like any other. */
export interface ToolOutput {
  readonly parts: ToolOutputParts;
}

const made = new WeakSet<object>();

/**
 * Returns more than a value from a host tool: content blocks, metadata, files it changed, or that it did not succeed.
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

/** True for what `toolOutput` made; no object that came as JSON can pass for it. */
export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && made.has(value);
}
