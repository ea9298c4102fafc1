/** Reads what was left out of a result, so that a person gets all of it (SPEC X6). */

import type { ToolResult, TruncatedPart } from "../call.ts";
import type { Operations } from "../doors/operations.ts";
import type { JsonValue } from "../../manifests/mod.ts";

/** The result with its whole output; as it is where nothing was cut off that, or the whole was not kept. */
export async function wholeResult(result: ToolResult, operations: Pick<Operations, "readResult">): Promise<ToolResult> {
  const cut = result.truncated?.find(({ part }) => part === "output");
  if (!result.ok || cut?.handle === undefined) return result;
  const text = await readAll(cut.handle, operations);
  const { truncated: _cut, ...rest } = result;
  const others = result.truncated?.filter((part) => part !== cut) ?? [];
  // Our own host wrote it: a text where the output is one, else JSON.
  const output = typeof result.output === "string" ? text : (JSON.parse(text) as JsonValue);
  return { ...rest, output, ...(others.length > 0 && { truncated: others }) };
}

async function readAll(handle: string, operations: Pick<Operations, "readResult">): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const range: Awaited<ReturnType<Operations["readResult"]>> = await operations.readResult(handle, { offset });
    parts.push(range.text);
    offset = range.nextOffset;
  }
  return parts.join("");
}

/** One line about what is not there. */
export function truncatedText(parts: readonly TruncatedPart[], program: string): string {
  const bytes = parts.reduce((total, part) => total + part.bytes - part.shownBytes, 0);
  return `(${bytes} bytes were left out; ${program} call --full … shows all of them)`;
}
