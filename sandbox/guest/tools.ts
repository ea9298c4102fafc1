/** `context.tools`: other tools, each called through every gate of the host (SPEC C9). */

import { request } from "./channel.ts";
import { quoteJson } from "./json-text.ts";
import { define, jsonStringify, PrimordialError, PrimordialTypeError, promiseReject } from "./primordials.ts";
import { toDomString } from "./webidl.ts";

/** What the host answers: it went through, whatever came of it. */
type StepAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly tool: string } };

/** Resolves to the tool's output, rejects with an error that has the `code` of what went wrong. */
export function callTool(name: unknown, args: unknown = {}): Promise<unknown> {
  try {
    const text = jsonStringify(args);
    if (text === undefined) throw new PrimordialTypeError("The arguments of a tool are a JSON object");
    const json = `{"name":${quoteJson(toDomString(name))},"args":${text}}`;
    // The host's answer has this shape.
    return request({ operation: "tools.call", args: { __proto__: null }, json, convert: (value) => outputOf(value as StepAnswer) });
  } catch (error) {
    return promiseReject(error);
  }
}

function outputOf(answer: StepAnswer): unknown {
  if (answer.ok) return answer.output;
  const { code, message, tool } = answer.error;
  const error = new PrimordialError(message);
  // Where nobody catches it, its words are the caller's to see (SPEC X4).
  define(error, "name", "ToolError");
  define(error, "code", code, true);
  define(error, "tool", tool, true);
  throw error;
}
