/** Reads the truncated parts of a result, so that the user, a file or a program gets all of it (SPEC X6). */

import type { ToolResult, TruncatedPart } from "../../call/call.ts";
import type { Operations } from "../operations.ts";
import type { JsonValue } from "../../../manifests/mod.ts";

/** Returns the result with its complete output and texts. `truncated` keeps parts that the host dropped, and blocks that are not text. */
export async function wholeResult(result: ToolResult, operations: Pick<Operations, "readResult">): Promise<ToolResult> {
  if (!result.ok || result.truncated === undefined) return result;
  const { truncated, ...rest } = result;
  const content = [...result.content];
  let { output } = result;
  const left: TruncatedPart[] = [];
  for (const cut of truncated) {
    const block = Number(BLOCK.exec(cut.part)?.[1] ?? Number.NaN);
    const isWhole = cut.part === "output" || (content[block]?.type === "text" && cut.shownBytes > 0);
    if (!isWhole || cut.handle === undefined) {
      left.push(cut);
      continue;
    }
    const text = await readAll(cut.handle, operations);
    if (cut.part !== "output") content[block] = { type: "text", text };
    // The host wrote this part: text if the output is text, otherwise JSON.
    else output = typeof output === "string" ? text : (JSON.parse(text) as JsonValue);
  }
  return { ...rest, output, content, ...(left.length > 0 && { truncated: left }) };
}

/** Matches the index of a content block. A truncated image or resource is replaced by a text that describes it. */
const BLOCK = /^content\/(\d+)$/;

async function readAll(handle: string, operations: Pick<Operations, "readResult">): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const range: Awaited<ReturnType<Operations["readResult"]>> = await operations.readResult(handle, { offset });
    parts.push(range.text);
    offset = range.nextOffset;
  }
  return parts.join("");
}

/** Formats why a result is incomplete. */
export function incompleteText(parts: readonly TruncatedPart[]): string {
  const named = parts.map(({ part, bytes }) => `${part} (${bytes} bytes)`).join(", ");
  return `Result incomplete: ${named} left out (above 1 MiB only text and JSON can be read; let the tool write a file)`;
}

/** Formats one line about truncated parts. */
export function truncatedText(parts: readonly TruncatedPart[], program: string): string {
  const bytes = parts.reduce((total, part) => total + part.bytes - part.shownBytes, 0);
  return `(${bytes} bytes left out; ${program} call --full … shows everything)`;
}
