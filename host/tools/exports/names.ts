/** Maps tools to their names for models and back (SPEC R2). `tools/snapshot.ts` assigns the names. */

import type { ToolListing } from "../listing.ts";
import type { Snapshot } from "../snapshot.ts";

/** Returns the tools by exported name, sorted by qualified name. Tools that are missing in the snapshot are omitted. */
export function exportNames(tools: readonly ToolListing[], snapshot: Pick<Snapshot, "exportName">): ReadonlyMap<string, ToolListing> {
  const sorted = tools.toSorted((a, b) => (a.qualifiedName < b.qualifiedName ? -1 : 1));
  return new Map(
    sorted.flatMap((tool): readonly (readonly [string, ToolListing])[] => {
      const name = snapshot.exportName(tool.id);
      return name === undefined ? [] : [[name, tool]];
    }),
  );
}

/** Returns a placeholder for a name that was not exported. Tool names contain no space, so the host refuses the call and records it. */
export function notExported(name: string): string {
  return `${name} (not exported)`;
}

/**
 * Returns the qualified name if it still denotes the exported tool. A bare name may belong to a plugin's tool after the original tool was
 * removed.
 */
export function stillExported(qualifiedName: string, snapshot: Pick<Snapshot, "find">): string {
  const now = snapshot.find(qualifiedName)?.qualifiedName ?? qualifiedName;
  return now === qualifiedName ? qualifiedName : notExported(qualifiedName);
}
