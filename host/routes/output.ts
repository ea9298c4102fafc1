/** Reads what a tool returned, plain JSON or a tool output, into an outcome (SPEC X1). Everything in it is the tool's own word. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { ContentBlock } from "../call.ts";
import { toolFailed } from "../errors.ts";
import type { Outcome, OutcomeBase } from "./executor.ts";

/** What the host itself knows about the run. */
export type OutcomeFacts = Pick<OutcomeBase, "used" | "filesModified" | "steps" | "unfinished">;

/** Plain JSON. */
export function plainOutcome(output: JsonValue, facts: OutcomeFacts): Outcome {
  return { ok: true, output, ...facts };
}

const MOST_FILES = 1_000;

/**
 * The parts of a tool output; what has another shape than `ToolOutputParts` is left out. `filesModified` adds to what
 * the bridges saw.
 */
export function partsOutcome(parts: JsonObject, facts: OutcomeFacts): Outcome {
  const { output = null, success, metadata, commandExecuted } = parts;
  const content = listOf(parts["content"]).flatMap((block) => toBlock(block) ?? []);
  const claimed = listOf(parts["filesModified"]).filter((path) => typeof path === "string");
  const base: OutcomeBase = {
    used: facts.used,
    ...(facts.steps && { steps: facts.steps }),
    ...(facts.unfinished && { unfinished: facts.unfinished }),
    filesModified: [...new Set([...facts.filesModified, ...claimed.slice(0, MOST_FILES)])],
    ...(content.length > 0 && { content }),
    ...(isJsonObject(metadata) && { metadata }),
    ...(typeof commandExecuted === "string" && { commandExecuted }),
  };
  if (success !== false) return { ok: true, output, ...base };
  return { ok: false, error: toolFailed(failureText(output, content), output === null ? undefined : { output }), ...base };
}

/** The tool's own words for its failure, wherever it put them. */
function failureText(output: JsonValue, content: readonly ContentBlock[]): string {
  if (typeof output === "string") return output;
  if (isJsonObject(output)) {
    const said = output["message"] ?? output["error"];
    if (typeof said === "string") return said;
  }
  const [text] = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return text ?? "The tool did not succeed";
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function toBlock(block: JsonValue): ContentBlock | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, data, mimeType, uri } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  if (type !== "resource" || typeof uri !== "string") return undefined;
  return { type, uri, ...(typeof text === "string" && { text }), ...(typeof mimeType === "string" && { mimeType }) };
}
