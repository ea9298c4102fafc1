/** Reads what was left out of a result, so that a person, a file or a program gets all of it (SPEC X6). */

import type { ToolResult, TruncatedPart } from "../../call/call.ts";
import type { Operations } from "../operations.ts";
import type { JsonValue } from "../../../manifests/mod.ts";

/** The result with its whole output and texts. `truncated` is left with what was not kept, and with blocks that are no texts. */
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
    // Our own host wrote it: a text where the output is one, else JSON.
    else output = typeof output === "string" ? text : (JSON.parse(text) as JsonValue);
  }
  return { ...rest, output, content, ...(left.length > 0 && { truncated: left }) };
}

/** A content block, by its index. An image or a resource that was cut is not shown at all: a text says what it was. */
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

/** Why a caller that wants all of an answer does not get it. */
export function incompleteText(parts: readonly TruncatedPart[]): string {
  const named = parts.map(({ part, bytes }) => `${part} (${bytes} bytes)`).join(", ");
  return `Cannot write all of the answer: ${named} was left out (have the tool write a file: above 1 MiB only texts and JSON are read on)`;
}

/** One line about what is not there. */
export function truncatedText(parts: readonly TruncatedPart[], program: string): string {
  const bytes = parts.reduce((total, part) => total + part.bytes - part.shownBytes, 0);
  return `(${bytes} bytes were left out; ${program} call --full … shows all of them)`;
}
