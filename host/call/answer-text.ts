/** The text of a result, for users and models (SPEC X1). */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import { BYTES_URI } from "../platform/result-forms.ts";
import { printableJson, printableLines } from "../primitives/text.ts";
import type { ToolFailure, ToolResult } from "./call.ts";
import type { ContentBlock } from "./content-block.ts";
import type { ToolErrorData } from "./errors.ts";

/** Like `toHuman` of a result, without the changes of a dry run. */
export function answerToHuman(result: ToolResult): string {
  const text = answerText(result);
  const isJson = result.ok && result.content.every((block) => blockToText(block) === "") && typeof result.output !== "string";
  return isJson ? printableJson(text) : printableLines(text);
}

/** Returns the text as the tool wrote it. */
export function answerText(result: ToolResult): string {
  if (!result.ok) return failureText(result);
  const blocks = result.content.map(blockToText).filter((text) => text !== "");
  return blocks.length > 0 ? blocks.join("\n") : outputText(result.output);
}

/** Returns the text of a failure, for users and models, who see nothing else of it. */
export function failureText(result: ToolFailure): string {
  const { message, hint } = result.error;
  const lines = [messageOf(result.error)];
  for (const problem of argumentProblems(result.error)) if (!message.endsWith(problem)) lines.push(problem);
  if (hint?.text !== undefined) lines.push(hint.text);
  if (hint?.command !== undefined) lines.push(`To allow it: ${hint.command}`);
  return lines.join("\n");
}

/** Returns the message without its final advice if the hint repeats it. */
export function messageOf({ message, hint }: ToolErrorData): string {
  const advice = `, grant it with: ${hint?.command ?? ""}`;
  return hint?.command !== undefined && message.endsWith(advice) ? message.slice(0, -advice.length) : message;
}

const MAX_PROBLEMS = 20;

/** Returns the first problems of `invalid_args` and `invalid_output`, as `/path: …`. */
export function argumentProblems({ details }: ToolErrorData): readonly string[] {
  const errors = details?.["errors"];
  if (!Array.isArray(errors)) return [];
  const shown = errors.slice(0, MAX_PROBLEMS).map((error: JsonValue) => {
    const { pointer, message } = isJsonObject(error) ? error : {};
    const text = typeof message === "string" ? message : JSON.stringify(error);
    return typeof pointer === "string" && pointer !== "" ? `${pointer}: ${text}` : text;
  });
  const more = errors.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}

export function outputText(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}

/** Returns the text of a block, else its URI or its type. */
function blockToText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource") return block.text ?? (block.uri === BYTES_URI ? `[bytes, ${block.mimeType ?? ""}]` : `[${block.uri}]`);
  return block.type === "resource_link" ? `[${block.uri}]` : `[${block.type}, ${block.mimeType}]`;
}
