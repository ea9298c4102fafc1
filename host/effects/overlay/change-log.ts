/** Every change that a dry run made, in order, so that committing makes the same ones (SPEC E8). */

import type { MemoryNode } from "../../platform/memory/memory-tree.ts";

/** One change; `path` is the real path that the place had when it was made. */
export type Change =
  /** The file holds something else. What it holds in the end is in its node. */
  | { readonly kind: "write"; readonly path: string; readonly node: MemoryNode }
  | { readonly kind: "folder"; readonly path: string; readonly node: MemoryNode }
  | { readonly kind: "remove"; readonly path: string; readonly node: MemoryNode; readonly recursive: boolean }
  | { readonly kind: "rename"; readonly path: string; readonly to: string; readonly node: MemoryNode };

/** A log that keeps of each file's writes the first only: the file is written once, with what it holds in the end. */
export interface ChangeLog {
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
