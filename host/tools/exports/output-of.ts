import type { ToolResult } from "../../call/call.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { ToolError } from "../tool-error.ts";

/** Returns the output, for frameworks whose tools return or throw. @throws {ToolError} the host's error; its message includes the hint. */
export function outputOf(result: ToolResult): JsonValue {
  if (result.ok) return result.output;
  const { code, message, details, hint } = result.error;
  throw new ToolError(code, message, { ...(details && { details }), ...(hint && { hint }) });
}
