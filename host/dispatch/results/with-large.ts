/** Large values in a call's result: outputs, contents and error details above 64 KB, which are parsed when they are read (SPEC LV2). */

import type { ToolResult } from "../../call/call.ts";
import { holdLarge } from "../../primitives/json/large.ts";
import type { OutcomeBase } from "../../tools/execution.ts";

/** Inserts the large values at their places, where they are parsed on access. */
export function withLarge<T extends ToolResult>(result: T, large: OutcomeBase["large"]): T {
  if (large === undefined) return result;
  const content = result.content.map((block) => ({ ...block }));
  const error = result.ok || result.error.details === undefined ? undefined : { ...result.error, details: { ...result.error.details } };
  const holders: Readonly<Record<string, object | undefined>> = { content, error };
  const placed = { ...result, content, ...(error && { error }) };
  for (const [at, value] of large) {
    const path = at.split("/");
    const key = path.pop() ?? "";
    const holder = path.reduce<unknown>(memberOf, path.length === 0 ? placed : holders);
    // The place of an output is `output` in a success, and the details in a failure.
    if (typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)) holdLarge(holder, key, value);
  }
  return placed;
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
}
