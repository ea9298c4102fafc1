/** Converts tools for MCP lists (SPEC R4, R5): names without dots, and hints based on the host's own knowledge. */

import type { Tool } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../manifests/mod.ts";
import { wordsForClients } from "../../tools/exports/mcp-annotations.ts";
import type { ToolListing } from "../../tools/listing.ts";

/** Returns a tool's definition under its public name. */
export function toMcpTool(name: string, listing: ToolListing): Tool {
  const { title, description, inputSchema, outputSchema, plugin, digest } = listing;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    // Schemas are JSON; only their interface lacks an index signature.
    inputSchema: { ...(inputSchema as JsonObject), type: "object" },
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonObject }),
    ...wordsForClients(listing, {
      ...(plugin !== undefined && { "bascule/plugin": plugin }),
      ...(plugin !== undefined && digest !== undefined && { "bascule/digest": digest }),
    }),
  };
}
