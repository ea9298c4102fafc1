/** Converts Node's stat results and directory entries. */

import type { Stats } from "node:fs";
import type { FileInfo, FileKind } from "../platform.ts";

/** Methods that `Stats` and `Dirent` share. */
interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export function kindOf(entry: Kinds): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

export function toFileInfo(stats: Stats): FileInfo {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    modifiedMs: stats.mtimeMs,
    accessedMs: stats.atimeMs,
    createdMs: stats.birthtimeMs,
    device: stats.dev,
    inode: stats.ino,
    links: stats.nlink,
  };
}
