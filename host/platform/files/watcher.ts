/** Watches folders with chokidar; events are hints, never the only way to notice a change (FACTS, watching). */

import type { Watcher } from "../platform.ts";

/** Folders nobody loads a plugin's files from. */
const NOISE_FOLDERS: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".bascule", ".DS_Store"]);

/** Swap, backup and lock files of editors, and our own temporary files. */
const NOISE_FILE = /(?:^\.#|^#.*#$|~$|\.sw[a-z]$|\.tmp$|^4913$|___jb_(?:tmp|old)___$|^\.subl.*\.tmp$)/;

/** Plugins nested deeper than this are noticed by the reconcile scan only. */
const MAX_DEPTH = 16;

export function createWatcher(): Watcher {
  return {
    async watch(paths, onChange, onError) {
      const roots = [...paths];
      // A program that makes one call watches nothing.
      const { watch } = await import("chokidar");
      const watcher = watch(roots, {
        ignored: (path) => isNoise(path, roots),
        ignoreInitial: true,
        // A link loop raises an uncaught ELOOP otherwise.
        followSymlinks: false,
        // Debouncing is the caller's: a delay here would only be added to it.
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

/** Only names below a watched folder count: the folder itself may lie in a `node_modules`. */
function isNoise(path: string, roots: readonly string[]): boolean {
  const root = roots.find((candidate) => path.startsWith(candidate));
  const names = (root === undefined ? path : path.slice(root.length)).split(/[\\/]/);
  return names.some((name) => NOISE_FOLDERS.has(name)) || NOISE_FILE.test(names.at(-1) ?? "");
}
