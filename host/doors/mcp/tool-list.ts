/** Tools as MCP lists them (SPEC R4, R5): names without dots, and hints that come from what the host knows. */

import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { exportName, type JsonObject } from "../../../manifests/mod.ts";
import type { ToolListing } from "../../listing.ts";

/** One tool's definition. */
export function toMcpTool(listing: ToolListing): Tool {
  const { title, description, inputSchema, outputSchema, plugin, digest } = listing;
  return {
    name: publicName(listing),
    ...(title !== undefined && { title }),
    description,
    // Our subset is JSON; its interface just has no index signature.
    inputSchema: { ...(inputSchema as JsonObject), type: "object" },
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonObject }),
    annotations: annotationsOf(listing),
    ...(plugin !== undefined && { _meta: { "bascule/plugin": plugin, ...(digest !== undefined && { "bascule/digest": digest }) } }),
  };
}

/** `plugin__tool`; bare for tools of no plugin. */
export function publicName({ name, qualifiedName }: Pick<ToolListing, "name" | "qualifiedName">): string {
  return qualifiedName === name ? name : exportName(qualifiedName.slice(0, -name.length - 1), name);
}

/** What dispatch calls the tool of a public name. Dispatch's own names stay as they are, so clients may use those as well. */
export function dispatchName(name: string, listings: () => readonly ToolListing[]): string {
  const [owner = "", ...rest] = name.split("__");
  const tool = rest.join("__");
  if (tool === "") return name;
  if (!/^[0-9]/.test(tool)) return listings().some((listing) => listing.qualifiedName === name) ? name : `${owner}.${tool}`;
  // Shortened: only the list knows whose it is.
  return listings().find((listing) => publicName(listing) === name)?.qualifiedName ?? name;
}

/**
 * Hints by what the tool's class lets it do (SPEC P8): a tool that declares no writing gets no write grant, so what
 * this says is enforced. What the manifest says in its `annotations` is not read: a plugin would praise itself.
 */
export function annotationsOf({ title, class: sideEffects, sideEffects: effects = [] }: ToolListing): ToolAnnotations {
  const readOnlyHint = sideEffects === "none" || sideEffects === "read";
  const openWorldHint = effects.some((effect) => OPEN_WORLD.has(effect));
  // Who can write can overwrite: only what cannot write at all is known to destroy nothing.
  return { ...(title !== undefined && { title }), readOnlyHint, destructiveHint: !readOnlyHint, openWorldHint };
}

const OPEN_WORLD: ReadonlySet<string> = new Set(["network", "llm", "execute", "system"]);
