/**
 * Reads a tool's return value, plain JSON or a tool output, into an outcome (SPEC X1). Every part of it is an unverified claim of the tool.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { ContentBlock } from "../call/call.ts";
import { toolFailed } from "../call/errors.ts";
import { createBlockReader, LONG_MEMBERS } from "../call/content-block.ts";
import type { LargePart, Outcome, OutcomeBase } from "../tools/execution.ts";

/** The host's own facts about the run. */
export type OutcomeFacts = Pick<OutcomeBase, "used" | "filesModified" | "steps" | "unfinished" | "problems">;

/** Returns the outcome of plain JSON. A large `output` is `null` here and bytes in `parts`. */
export function plainOutcome(output: JsonValue, facts: OutcomeFacts, large: readonly LargePart[] = []): Outcome {
  const parts = large.filter(({ at }) => at === "output");
  return { ok: true, output, ...facts, ...(parts.length > 0 && { parts }) };
}

const MOST_FILES = 1_000;

interface PartsOptions {
  /** Reason of a failure, if the tool's own text is among the parts that stay bytes. */
  readonly reason?: string;
  /** Keeps links to files: the tool is the host's own, or a server's whose answers are passed on unchanged. Default: links are left out. */
  readonly linksToFiles?: boolean;
}

/**
 * Reads the parts of a tool output and leaves out members that do not match `ToolOutputParts`. `filesModified` adds to the files that the
 * bridges recorded. `large` holds the parts that stay bytes.
 */
export function partsOutcome(
  parts: JsonObject,
  facts: OutcomeFacts,
  large: readonly LargePart[] = [],
  { reason, linksToFiles = false }: PartsOptions = {},
): Outcome {
  const { output = null, success, metadata, commandExecuted } = parts;
  const content: ContentBlock[] = [];
  /** New positions of the strings of each block. */
  const moved = new Map<string, string>();
  const readBlock = createBlockReader();
  for (const [index, given] of listOf(parts["content"]).entries()) {
    const block = readBlock(given);
    if (block === undefined || (!linksToFiles && isFileLink(block))) continue;
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
  return {
    ok: false,
    error: toolFailed(reason ?? failureText(output, listOf(parts["content"])), isSaid ? { output } : undefined),
    ...base,
  };
}

/** URL parsers skip control characters and spaces before the scheme, and line breaks and tabs within it. */
const FILE_LINK = /^[\s\p{Cc}]*f\s*i\s*l\s*e\s*:/iu;

/** Whether a block links to a file. A client may open such a link for its model, with rights on its machine that the tool does not have. */
function isFileLink(block: ContentBlock): boolean {
  return block.type === "resource_link" && FILE_LINK.test(block.uri);
}

/** Maximum length of text used as the reason, in UTF-16 units. */
const REASON_LENGTH = 4_000;

/** Returns the tool's own text about its failure, from its output or its content. */
export function failureText(output: JsonValue, content: readonly JsonValue[]): string {
  if (typeof output === "string") return output;
  const told = beginningOf(content);
  if (told !== "") return told;
  const said = isJsonObject(output) ? (output["message"] ?? output["error"]) : undefined;
  return typeof said === "string" ? said : "The tool failed without a reason";
}

function beginningOf(content: readonly JsonValue[]): string {
  let told = "";
  for (const block of content) {
    if (!isJsonObject(block) || block["type"] !== "text" || typeof block["text"] !== "string") continue;
    told += `${told === "" ? "" : "\n"}${block["text"].slice(0, REASON_LENGTH + 1)}`;
    if (told.length > REASON_LENGTH) return shortened(told);
  }
  return told;
}

/** Cuts a reason to the length that a user would read. */
export function shortened(reason: string): string {
  return reason.length <= REASON_LENGTH ? reason : `${reason.slice(0, REASON_LENGTH)}…`;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
