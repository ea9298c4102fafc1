/** Door for MCP clients (SPEC I3). Loaded on demand, because the protocol's SDK is large. */

export { createMcpHandler, type McpHandler, type McpHttpCaller } from "./http.ts";
export { serveMcpLines, type McpLines } from "./lines.ts";
export type { McpDoorOptions } from "./parts.ts";
export type { McpPrompts } from "./prompts.ts";
export type { McpResources } from "./resources.ts";
