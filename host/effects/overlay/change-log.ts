/** Logs every change of a dry run in order, so that a commit makes the same ones (SPEC E8). */

import type { MemoryNode } from "../../platform/memory/memory-tree.ts";

/** One change. `path` is the real path at the time of the change. */
export type Change =
  /** The contents changed. The node holds the final contents. */
  | { readonly kind: "write"; readonly path: string; readonly node: MemoryNode }
  | { readonly kind: "folder"; readonly path: string; readonly node: MemoryNode }
  | { readonly kind: "remove"; readonly path: string; readonly node: MemoryNode; readonly recursive: boolean }
  | { readonly kind: "rename"; readonly path: string; readonly to: string; readonly node: MemoryNode };

/** Creates a log that keeps only the first write to each file: a commit writes the file once, with its final contents. */
interface ChangeLog {
  add(change: Change): void;
  readonly changes: readonly Change[];
}

export function createChangeLog(): ChangeLog {
  const changes: Change[] = [];
  const written = new Set<MemoryNode>();
  return {
    changes,
    add(change) {
      if (change.kind === "write") {
        if (written.has(change.node)) return;
        written.add(change.node);
      }
      changes.push(change);
    },
  };
}
