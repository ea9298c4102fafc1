/** Why an MCP server gave no result, in its own words or those of the way to it (SPEC K3, X4). */

import type { JsonObject } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { ToolError, ToolFailed, ToolUnavailable } from "../../tools/tool-error.ts";
import { LoginNeeded } from "./tokens.ts";
import { refusal } from "./result.ts";

const MAX_MESSAGE = 4_000;
/** Bounds of the data that an error of the protocol carries beside its message. */
const DATA_BOUNDS = { maxBytes: 16 * 1024, maxDepth: 32 } as const;

/**
 * The server's own error, with its code and data in `details.mcp`; else that the server could not be asked.
 *
 * @param refused what the server asked of its client during the call, and did not get
 */
export function toCallError(thrown: unknown, server: string, refused: readonly string[] = []): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof LoginNeeded) return new ToolUnavailable(thrown.message, { cause: thrown });
  const { code, data, requiredScope, message } = membersOf(thrown);
  const said = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  const why = refused.length === 0 ? said : `${said} (${refusal(refused)})`;
  // Codes are numbers in JSON-RPC; those of the SDK are words.
  if (typeof code === "number")
    return new ToolFailed(why || `The MCP server answered with the error ${code}`, {
      cause: thrown,
      details: { mcp: { code, ...dataOf(data) } },
    });
  if (typeof requiredScope === "string" && requiredScope !== "") {
    const scope = requiredScope.slice(0, MAX_MESSAGE);
    return new ToolUnavailable(
      `The MCP server ${server} wants the scope "${scope}" for this: bascule mcp-servers login ${server}, or a token that has it in "headers"`,
      { cause: thrown, details: { scope } },
    );
  }
  return new ToolUnavailable(`The MCP server ${server} did not answer the call: ${why}`, { cause: thrown, details: { retryable: false } });
}

function membersOf(thrown: unknown): { readonly [name in "code" | "data" | "requiredScope"]?: unknown } & { readonly message: string } {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const [code, data, requiredScope] = ["code", "data", "requiredScope"].map((name): unknown => Reflect.get(thrown, name));
  return { code, data, requiredScope, message: thrown.message };
}

function dataOf(data: unknown): JsonObject {
  if (data === undefined) return {};
  const copy = copyJson(data, DATA_BOUNDS);
  return copy.ok ? { data: copy.value } : { dataLeftOut: copy.problem.message };
}
