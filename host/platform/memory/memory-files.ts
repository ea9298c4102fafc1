/** The host's own files over a tree in memory. */

import { isBelow } from "../../../manifests/mod.ts";
import { fileError } from "../files/file-errors.ts";
import type { MemoryDirectory, MemoryNode, MemoryTree } from "./memory-tree.ts";
import type { Files } from "../platform.ts";

export function createMemoryFiles(tree: MemoryTree): Files {
  return {
    isBrief: false,
    readText: async (path) => new TextDecoder().decode(read(path)),

    readBytes: async (path, maxBytes = Infinity) => {
      const data = read(path);
      if (data.length > maxBytes) throw fileError("too_large");
      return data.slice();
    },

    writeAtomic: async (path, data, mode = 0o644) => {
      const spot = tree.resolve(path, false);
      if (spot.parent === undefined) throw fileError(spot.found ? "other" : spot.code);
      if (spot.found && spot.node.kind === "directory") throw fileError("is_a_directory");
      dropEntry(spot.parent, spot.name);
      spot.parent.entries.set(spot.name, tree.file(typeof data === "string" ? new TextEncoder().encode(data) : data.slice(), mode));
      tree.changed(path);
    },

    createNew: async (path, text) => {
      const spot = tree.resolve(path, false);
      if (spot.found) return false;
      if (spot.parent === undefined) throw fileError(spot.code);
      spot.parent.entries.set(spot.name, tree.file(new TextEncoder().encode(text), 0o600));
      tree.changed(path);
      return true;
    },

    makeDirectory: async (path) => {
      let at = "";
      for (const name of path.split("/").filter((step) => step !== "")) {
        at += `/${name}`;
        const spot = tree.resolve(at, true);
        if (spot.found && spot.node.kind !== "directory") throw fileError("already_exists");
        if (spot.found) continue;
        if (spot.parent === undefined) throw fileError(spot.code);
        spot.parent.entries.set(spot.name, tree.directory(0o755));
        tree.changed(at);
      }
    },

    // The tree has no links that could be told from files at once.
    readPlain: (paths) => paths.map(() => undefined),
    remove: async (path) => {
      const spot = tree.resolve(path, false);
      if (!spot.found) return;
      dropEntry(spot.parent, spot.name);
      tree.changed(path);
    },

    rename: async (from, to) => {
      moveEntry(tree, from, to);
    },

    list: async (path) => listEntries(existing(path, true)),
    stat: async (path) => {
      const spot = tree.resolve(path, true);
      return spot.found ? tree.info(spot.node) : undefined;
    },
    lstat: async (path) => {
      const spot = tree.resolve(path, false);
      return spot.found ? tree.info(spot.node) : undefined;
    },
    // The tree has no other spellings of a name.
    permitsPlace: async ({ permits }, realPath) => permits(realPath),
    realPath: async (path) => {
      const spot = tree.resolve(path, true);
      if (!spot.found) throw fileError(spot.code);
      return spot.realPath;
    },
    linksOn: async (path) => {
      const links: string[] = [];
      tree.resolve(path, true, (link) => links.push(link));
      return links;
    },
  };

  function existing(path: string, follow: boolean): MemoryNode {
    const spot = tree.resolve(path, follow);
    if (!spot.found) throw fileError(spot.code);
    return spot.node;
  }

  function read(path: string): Uint8Array {
    return regular(existing(path, true)).data;
  }
}

/** Returns a regular file. @throws {FileError} if the node is a folder or not a regular file */
export function regular(node: MemoryNode): MemoryNode & { kind: "file" } {
  if (node.kind === "directory") throw fileError("is_a_directory");
  if (node.kind !== "file") throw fileError("not_regular");
  return node;
}

export function listEntries(node: MemoryNode): { readonly name: string; readonly kind: MemoryNode["kind"] }[] {
  if (node.kind !== "directory") throw fileError("not_a_directory");
  return Array.from(node.entries, ([name, entry]) => ({ name, kind: entry.kind }));
}

/** Removes a name, if it exists. */
export function dropEntry({ entries }: MemoryDirectory, name: string): void {
  const node = entries.get(name);
  if (node !== undefined) node.links -= 1;
  entries.delete(name);
}

/** rename(2): replaces a file by a file, an empty folder by a folder. */
export function moveEntry(tree: MemoryTree, from: string, to: string): void {
  const source = tree.resolve(from, false);
  if (!source.found) throw fileError(source.code);
  const target = tree.resolve(to, false);
  if (target.parent === undefined) throw fileError(target.found ? "other" : target.code);
  // Checks in Linux's order: into itself, onto a folder that contains it, onto itself.
  if (isBelow(target.realPath, source.realPath)) throw fileError("invalid_path");
  if (isBelow(source.realPath, target.realPath)) throw fileError("not_empty");
  if (target.found) {
    if (target.node === source.node) return;
    if (target.node.kind === "directory" && source.node.kind !== "directory") throw fileError("is_a_directory");
    if (target.node.kind !== "directory" && source.node.kind === "directory") throw fileError("not_a_directory");
    if (target.node.kind === "directory" && target.node.entries.size > 0) throw fileError("not_empty");
  }
  source.parent.entries.delete(source.name);
  dropEntry(target.parent, target.name);
  target.parent.entries.set(target.name, source.node);
  tree.changed(from);
  tree.changed(to);
}
