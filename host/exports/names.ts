/** The names that tools have for models, and back (SPEC R2). */

import { exportName } from "../../manifests/mod.ts";
import type { ToolListing } from "../tools/listing.ts";

/**
 * Exported names, each for one tool: `plugin__tool`, or the bare name for tools of no plugin.
 *
 * Where two would be the same, which only a host tool with `__` in its name can bring about, the later one by qualified name gets one
 * with a hash, which no other can have.
 */
export function exportNames(tools: readonly ToolListing[]): ReadonlyMap<string, ToolListing> {
  const named = new Map<string, ToolListing>();
  for (const tool of tools.toSorted((a, b) => (a.qualifiedName < b.qualifiedName ? -1 : 1))) {
    const name = nameOf(tool);
    named.set(named.has(name) ? exportName(LONG, tool.qualifiedName) : name, tool);
  }
  return named;
}

/** Longer than any name may be, so that what it is joined with is told by its hash. */
const LONG = "tool".padEnd(64, "_");

function nameOf({ name, qualifiedName }: ToolListing): string {
  return qualifiedName === name ? name : exportName(qualifiedName.slice(0, -name.length - 1), name);
}
