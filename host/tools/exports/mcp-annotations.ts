/** Members for MCP clients beside a tool's definition: hints by what the host knows and enforces, and the words of the tool's own server. */

import type { JsonObject, ToolAnnotations } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import { ownMeta } from "../../call/own-meta.ts";
import type { McpIcon, McpTool } from "./exported.ts";

/** For MCP's `Tool`. */
export type WordsForClients = Pick<McpTool, "annotations" | "icons" | "execution" | "_meta">;

/** @param meta the host's own words for `_meta`; hints of a server stand there too, since nothing vouches for them */
export function wordsForClients(listing: ToolListing, meta: JsonObject = {}): WordsForClients {
  const { icons, annotations: hints, execution, _meta: said = {} } = listing.mcp ?? {};
  const _meta = { ...ownMeta(said), ...(hints && { "bascule/annotations": hints }), ...meta };
  return {
    annotations: annotationsOf(listing),
    // Ours are frozen; who gets them may change them. They were icons of MCP's when they came.
    ...(execution && { execution: { ...execution } }),
    ...(icons && { icons: structuredClone(icons) as unknown as McpIcon[] }),
    ...(Object.keys(_meta).length > 0 && { _meta: structuredClone(_meta) }),
  };
}

/**
 * Hints by what the tool's class lets it do (SPEC P8): a tool that declares no writing gets no write grant, so what this says
 * is enforced. What the manifest says in its `annotations` is not read: a plugin would praise itself.
 */
export function annotationsOf({
  title: own,
  class: sideEffects,
  sideEffects: effects = [],
  source,
  mcp,
}: Pick<ToolListing, "title" | "class" | "sideEffects"> & Partial<Pick<ToolListing, "source" | "mcp">>): ToolAnnotations {
  // The one annotation that says nothing about what a tool does is its server's own.
  const said = source === "mcp" ? mcp?.annotations?.["title"] : own;
  const title = typeof said === "string" ? said : undefined;
  const readOnlyHint = sideEffects === "none" || sideEffects === "read";
  const openWorldHint = effects.some((effect) => OPEN_WORLD.has(effect));
  // Who can write can overwrite: only what cannot write at all is known to destroy nothing.
  return { ...(title !== undefined && { title }), readOnlyHint, destructiveHint: !readOnlyHint, openWorldHint };
}

const OPEN_WORLD: ReadonlySet<string> = new Set(["network", "llm", "execute", "system"]);
