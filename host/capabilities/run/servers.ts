/** The `mcp` permission: checked for each call of a tool that an MCP server provides (SPEC K3). */

import { type ToolErrorData, toolError } from "../../call/errors.ts";
import { evaluateAccess, toEntry } from "../../../manifests/mod.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import type { BridgeContext } from "../bridge.ts";
import { toAct } from "../checked.ts";
import { refusalMessage } from "../refusal.ts";

/** Returns an error if the grant does not hold a server that the tool's own permissions name. Records both outcomes. */
export function checkServers(permissions: Permissions | undefined, context: BridgeContext): ToolErrorData | undefined {
  if (permissions?.mcp === undefined) return undefined;
  const { allow } = toEntry(permissions.mcp);
  for (const name of typeof allow === "object" ? allow : []) {
    if (typeof name !== "string") continue;
    const query = { kind: "mcp", name } as const;
    const verdict = evaluateAccess(context.grant.layers, query);
    context.record(toAct("mcp", name, verdict));
    if (verdict.state !== "granted") return toolError("permission_denied", refusalMessage(query, name, verdict, context));
  }
  return undefined;
}
