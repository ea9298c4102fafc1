/** The names that tools have for models, and back (SPEC R2). `tools/snapshot.ts` gives them out. */

import type { ToolListing } from "../listing.ts";
import type { Snapshot } from "../snapshot.ts";

/** By exported name, in the order of the qualified ones. What the snapshot does not have, no model can call. */
export function exportNames(tools: readonly ToolListing[], snapshot: Pick<Snapshot, "exportName">): ReadonlyMap<string, ToolListing> {
  const sorted = tools.toSorted((a, b) => (a.qualifiedName < b.qualifiedName ? -1 : 1));
  return new Map(
    sorted.flatMap((tool): readonly (readonly [string, ToolListing])[] => {
      const name = snapshot.exportName(tool.id);
      return name === undefined ? [] : [[name, tool]];
    }),
  );
}

/** What is called in place of a name that no exported tool has. No tool's name has a space, so the host refuses the call and records it. */
export function notExported(name: string): string {
  return `${name} (not exported)`;
}

/** By its qualified name, which is its bare name for a tool of no plugin: once that tool is gone, a plugin's may have the bare name. */
export function stillExported(qualifiedName: string, snapshot: Pick<Snapshot, "find">): string {
  const now = snapshot.find(qualifiedName)?.qualifiedName ?? qualifiedName;
  return now === qualifiedName ? qualifiedName : notExported(qualifiedName);
}
