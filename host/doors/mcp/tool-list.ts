/** Tools as MCP lists them (SPEC R4, R5): names without dots, and hints that come from what the host knows. */

import type { Tool } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../manifests/mod.ts";
import { wordsForClients } from "../../tools/exports/mcp-annotations.ts";
import type { ToolListing } from "../../tools/listing.ts";

/** One tool's definition, under its public name. */
export function toMcpTool(name: string, listing: ToolListing): Tool {
  const { title, description, inputSchema, outputSchema, plugin, digest } = listing;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    // Schemas are JSON; their interface just has no index signature.
    inputSchema: { ...(inputSchema as JsonObject), type: "object" },
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonObject }),
    ...wordsForClients(listing, {
      ...(plugin !== undefined && { "bascule/plugin": plugin }),
      ...(plugin !== undefined && digest !== undefined && { "bascule/digest": digest }),
    }),
  };
}
