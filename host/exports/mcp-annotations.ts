/** MCP's hints about a tool, by what the host knows and enforces. */

import type { ToolAnnotations } from "../../manifests/mod.ts";
import type { ToolListing } from "../tools/listing.ts";

/**
 * Hints by what the tool's class lets it do (SPEC P8): a tool that declares no writing gets no write grant, so what this says
 * is enforced. What the manifest says in its `annotations` is not read: a plugin would praise itself.
 */
export function annotationsOf({
  title,
  class: sideEffects,
  sideEffects: effects = [],
}: Pick<ToolListing, "title" | "class" | "sideEffects">): ToolAnnotations {
  const readOnlyHint = sideEffects === "none" || sideEffects === "read";
  const openWorldHint = effects.some((effect) => OPEN_WORLD.has(effect));
  // Who can write can overwrite: only what cannot write at all is known to destroy nothing.
  return { ...(title !== undefined && { title }), readOnlyHint, destructiveHint: !readOnlyHint, openWorldHint };
}

const OPEN_WORLD: ReadonlySet<string> = new Set(["network", "llm", "execute", "system"]);
