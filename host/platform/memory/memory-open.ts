/** A file in memory that stays open: the node itself, even if it is renamed or removed. */

import { fileError } from "../files/file-errors.ts";
import type { MemoryFile, MemoryTree } from "./memory-tree.ts";
import type { GuardedFile, OpenOptions } from "../platform.ts";

/** Opens a file. @param path the path that watchers of the tree see. */
export function openMemoryFile(
  file: MemoryFile,
  access: Pick<OpenOptions, "read" | "write" | "append">,
  where: { readonly tree: MemoryTree; readonly path: string },
): GuardedFile {
  const { tree, path } = where;
  const change = (data: Uint8Array): void => {
    file.data = data;
    tree.changed(path, file);
  };
  const require = (allowed: boolean): void => {
    // The operating system's answer (EBADF).
    if (!allowed) throw fileError("other");
  };
  return {
    read: async (position, length) => {
      require(access.read);
      return file.data.slice(position, position + length);
    },
    write: async (data, position) => {
      require(access.write || access.append);
      const at = position === "end" || access.append ? file.data.length : position;
      const grown = new Uint8Array(Math.max(file.data.length, at + data.length));
      grown.set(file.data);
      grown.set(data, at);
      change(grown);
    },
    truncate: async (length) => {
      require(access.write || access.append);
      const cut = new Uint8Array(length);
      cut.set(file.data.subarray(0, length));
      change(cut);
    },
    stat: async () => tree.info(file),
    sync: async () => {},
    setTimes: async () => {},
    close: async () => {},
  };
}
