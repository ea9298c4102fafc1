/** Watches folders with chokidar. Events are hints, never the only way to notice a change (FACTS, watching). */

import { isAtOrBelow } from "../../../manifests/mod.ts";
import type { Watcher } from "../platform.ts";
import { withSlashes } from "./slashes.ts";

/** Folders that contain no plugin files. */
const NOISE_FOLDERS: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".bascule", ".DS_Store"]);

/** Swap, backup and lock files of editors, and bascule's own temporary files. */
const NOISE_FILE = /(?:^\.#|^#.*#$|~$|\.sw[a-z]$|\.tmp$|^4913$|___jb_(?:tmp|old)___$|^\.subl.*\.tmp$)/;

/** Maximum depth; plugins nested deeper are noticed by the reconcile scan only. */
const MAX_DEPTH = 16;

export function createWatcher(): Watcher {
  return {
    async watch(paths, onChange, onError) {
      const roots = [...paths];
      // Loaded on first use, because a program that makes one call watches nothing.
      const { watch } = await import("chokidar");
      const watcher = watch(roots, {
        ignored: (path) => isNoise(path, roots),
        ignoreInitial: true,
        // Without it a link loop raises an uncaught ELOOP.
        followSymlinks: false,
        // Debounce is the caller's task; a delay here would add to it.
        atomic: false,
        awaitWriteFinish: false,
        depth: MAX_DEPTH,
      });
      watcher.on("all", (_event, path) => onChange(path));
      watcher.on("error", (error) => onError(error instanceof Error ? error : new Error(String(error))));
      await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
      return { close: () => watcher.close() };
    },
  };
}

/** Whether to ignore a path. Only names below a watched folder count, because the folder itself may be in a `node_modules`. */
function isNoise(path: string, roots: readonly string[]): boolean {
  const root = roots.find((candidate) => isAtOrBelow(withSlashes(path), withSlashes(candidate)));
  const names = (root === undefined ? path : path.slice(root.length)).split(/[\\/]/);
  return names.some((name) => NOISE_FOLDERS.has(name)) || NOISE_FILE.test(names.at(-1) ?? "");
}
