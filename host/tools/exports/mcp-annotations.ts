/** Members of an MCP tool beside its definition: hints from what the host enforces, and metadata from the tool's own server. */

import type { JsonObject, ToolAnnotations } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import { ownMeta } from "../../call/own-meta.ts";
import type { McpIcon, McpTool } from "./exported.ts";

/** Members of MCP's `Tool`. */
type WordsForClients = Pick<McpTool, "annotations" | "icons" | "execution" | "_meta">;

/** @param meta the host's own `_meta`; a server's hints are added to it, because the host does not verify them */
export function wordsForClients(listing: ToolListing, meta: JsonObject = {}): WordsForClients {
  const { icons, annotations: hints, execution, _meta: said = {} } = listing.mcp ?? {};
  const _meta = { ...ownMeta(said), ...(hints && { "bascule/annotations": hints }), ...meta };
  return {
    annotations: annotationsOf(listing),
    // The originals are frozen, and the caller may change its copy. Icons were validated when they came from MCP.
    ...(execution && { execution: { ...execution } }),
    ...(icons && { icons: structuredClone(icons) as unknown as McpIcon[] }),
    ...(Object.keys(_meta).length > 0 && { _meta: structuredClone(_meta) }),
  };
}

/**
 * Derives the hints from the tool's class (SPEC P8): a tool that declares no writing gets no write grant, so the hints are enforced. The
 * manifest's own `annotations` are ignored, because plugins could claim anything.
 */
function annotationsOf({
  title: own,
  class: sideEffects,
  sideEffects: effects = [],
  source,
  mcp,
}: Pick<ToolListing, "title" | "class" | "sideEffects"> & Partial<Pick<ToolListing, "source" | "mcp">>): ToolAnnotations {
  // The title is the only annotation that does not describe behaviour, so the server's own is used.
  const said = source === "mcp" ? mcp?.annotations?.["title"] : own;
  const title = typeof said === "string" ? said : undefined;
  const readOnlyHint = sideEffects === "none" || sideEffects === "read";
  const openWorldHint = effects.some((effect) => OPEN_WORLD.has(effect));
  // A tool that can write can overwrite: only read-only tools are known to be non-destructive.
  return { ...(title !== undefined && { title }), readOnlyHint, destructiveHint: !readOnlyHint, openWorldHint };
}

const OPEN_WORLD: ReadonlySet<string> = new Set(["network", "llm", "execute", "system"]);
