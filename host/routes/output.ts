/** Reads what a tool returned, plain JSON or a tool output, into an outcome (SPEC X1). Everything in it is the tool's own word. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { ContentBlock } from "../call.ts";
import { toolFailed } from "../errors.ts";
import type { LargePart, Outcome, OutcomeBase } from "./executor.ts";

/** What the host itself knows about the run. */
export type OutcomeFacts = Pick<OutcomeBase, "used" | "filesModified" | "steps" | "unfinished" | "problems">;

/** Plain JSON; of a large one `output` is `null`. */
export function plainOutcome(output: JsonValue, facts: OutcomeFacts, large: readonly LargePart[] = []): Outcome {
  const parts = large.filter(({ at }) => at === "output");
  return { ok: true, output, ...facts, ...(parts.length > 0 && { parts }) };
}

const MOST_FILES = 1_000;

/**
 * The parts of a tool output; what has another shape than `ToolOutputParts` is left out. `filesModified` adds to what
 * the bridges saw. `large` are the parts that stay bytes; `reason` says why the tool failed where its own words are among them.
 */
export function partsOutcome(parts: JsonObject, facts: OutcomeFacts, large: readonly LargePart[] = [], reason?: string): Outcome {
  const { output = null, success, metadata, commandExecuted } = parts;
  const content: ContentBlock[] = [];
  /** Where the strings of a block went. */
  const moved = new Map<string, string>();
  for (const [index, given] of listOf(parts["content"]).entries()) {
    const block = toBlock(given);
    if (block === undefined) continue;
    const to = content.push(block) - 1;
    for (const member of LONG_MEMBERS) if (member in block) moved.set(`content/${index}/${member}`, `content/${to}/${member}`);
  }
  const isFailure = success === false;
  moved.set("output", isFailure ? "error/details/output" : "output").set("metadata", "metadata");
  const placed = large.flatMap(({ at, kind, bytes }) => {
    const to = moved.get(at);
    return to === undefined ? [] : [{ at: to, kind, bytes }];
  });
  const claimed = listOf(parts["filesModified"]).filter((path) => typeof path === "string");
  const base: OutcomeBase = {
    used: facts.used,
    ...(facts.steps && { steps: facts.steps }),
    ...(facts.unfinished && { unfinished: facts.unfinished }),
    ...(facts.problems && { problems: facts.problems }),
    filesModified: [...new Set([...facts.filesModified, ...claimed.slice(0, MOST_FILES)])],
    ...(content.length > 0 && { content }),
    ...(isJsonObject(metadata) && { metadata }),
    ...(typeof commandExecuted === "string" && { commandExecuted }),
    ...(placed.length > 0 && { parts: placed }),
  };
  if (!isFailure) return { ok: true, output, ...base };
  const isSaid = output !== null || placed.some(({ at }) => at === "error/details/output");
  return { ok: false, error: toolFailed(reason ?? failureText(output, content), isSaid ? { output } : undefined), ...base };
}

const LONG_MEMBERS = ["data", "text"];

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
