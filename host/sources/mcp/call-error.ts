/** Converts failures of MCP calls, with the server's or the transport's message (SPEC K3, X4). */

import type { JsonObject } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { ToolError, ToolFailed, ToolUnavailable } from "../../tools/tool-error.ts";
import { LoginNeeded } from "./tokens.ts";
import { refusal } from "./result.ts";

const MAX_MESSAGE = 4_000;
/** Bounds of the data in a protocol error. */
const DATA_BOUNDS = { maxBytes: 16 * 1024, maxDepth: 32 } as const;

/**
 * Converts the server's own error, with code and data in `details.mcp`, or reports that the server could not be reached.
 *
 * @param refused methods that the server asked of its client during the call, and that were refused
 */
export function toCallError(thrown: unknown, server: string, refused: readonly string[] = []): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof LoginNeeded) return new ToolUnavailable(thrown.message, { cause: thrown });
  const { code, data, requiredScope, message } = membersOf(thrown);
  const said = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  const why = refused.length === 0 ? said : `${said} (${refusal(refused)})`;
  // JSON-RPC codes are numbers; those of the SDK are strings.
  if (typeof code === "number")
    return new ToolFailed(why || `The MCP server answered with error ${code}`, {
      cause: thrown,
      details: { mcp: { code, ...dataOf(data) } },
    });
  if (typeof requiredScope === "string" && requiredScope !== "") {
    const scope = requiredScope.slice(0, MAX_MESSAGE);
    return new ToolUnavailable(
      `The MCP server ${server} requires the scope "${scope}": bascule mcp-servers login ${server}, or use a token with that scope in "headers"`,
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
