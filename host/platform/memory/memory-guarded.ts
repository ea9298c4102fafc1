/** Guarded files over a tree in memory: the same answers as on a disk, without the races. */

import { joinBytes } from "../bytes.ts";
import { fileError, ROOT_OF_GRANT, unlessOver } from "../files/file-errors.ts";
import { isKernelPath } from "../files/kernel-paths.ts";
import { dropEntry, listEntries, moveEntry, regular } from "./memory-files.ts";
import { openMemoryFile } from "./memory-open.ts";
import type { Found, MemoryDirectory, MemoryFile, MemoryNode, MemoryTree } from "./memory-tree.ts";
import { FileError, type GuardedFiles, type WriteOptions } from "../platform.ts";
import type { CheckedPath } from "../proof.ts";

type Checked = CheckedPath<"read" | "write">;

export function createMemoryGuarded(tree: MemoryTree): GuardedFiles {
  return {
    readBytes: async (path, { maxBytes, offset = 0, length }) => {
      if (length !== undefined && length > maxBytes) throw fileError("too_large");
      const data = regular(reach(path, true).node).data.slice(offset, length === undefined ? undefined : offset + length);
      if (data.length > maxBytes) throw fileError("too_large");
      return data;
    },

    writeBytes: async (path, data, options) => {
      const file = fileToWrite(path, options, options.mode ?? 0o644);
      if (options.mode !== undefined) file.mode = options.mode & 0o777;
      file.data = options.append === true ? joinBytes([file.data, data]) : data.slice();
      tree.changed(path.path, file);
    },

    list: async (path, { maxEntries, maxNamesLength = Infinity, isOver }) => {
      unlessOver(isOver);
      const entries = listEntries(reach(path, true).node);
      const namesLength = entries.reduce((sum, { name }) => sum + name.length, 0);
      if (entries.length > maxEntries || namesLength > maxNamesLength) throw fileError("too_large");
      return entries;
    },

    stat: async (path) => tree.info(reach(path, true).node),
    lstat: async (path) => tree.info(reach(path, false).node),
    realPath: async (path) => reach(path, true).realPath,

    readLink: async (path) => {
      const { node } = entry(path);
      if (node === undefined) throw fileError("not_found");
      if (node.kind !== "symlink") throw fileError("invalid_path");
      return node.target;
    },

    makeLink: async (path, target) => {
      const { parent, name, node } = entry(path);
      if (node) throw fileError("already_exists");
      parent.entries.set(name, tree.link(target));
      tree.changed(path.path);
    },

    addName: async (from, to) => {
      const source = entry(from);
      if (source.node === undefined) throw fileError("not_found");
      if (source.node.kind === "directory") throw fileError("permission_denied");
      const { parent, name, node } = entry(to);
      if (node) throw fileError("already_exists");
      parent.entries.set(name, source.node);
      source.node.links += 1;
      tree.changed(to.path);
    },

    setFacts: async (path, { mode, modifiedMs }) => {
      const { node } = reach(path, false);
      if (node.kind !== "file" && node.kind !== "directory") throw fileError("not_regular");
      if (mode !== undefined) node.mode = mode & 0o777;
      tree.changed(path.path);
      if (modifiedMs !== undefined) node.modifiedMs = modifiedMs;
    },

    makeDirectory: async (path, { recursive, mode = 0o755 }) => {
      if (recursive) return makeDirectories(path, mode & 0o777);
      const { parent, name, node } = entry(path);
      if (node) throw fileError("already_exists");
      parent.entries.set(name, tree.directory(mode & 0o777));
      tree.changed(path.path);
    },

    remove: async (path, { recursive, isOver }) => {
      unlessOver(isOver);
      const { parent, name, node, realPath } = entry(path);
      if (node === undefined) throw fileError("not_found");
      keepRoot(path, realPath, node);
      if (recursive) removeTree(path, parent, name, realPath);
      else if (node.kind === "directory" && node.entries.size > 0) throw fileError("not_empty");
      else dropEntry(parent, name);
      tree.changed(path.path);
    },

    rename: async (from, to) => {
      const source = entry(from);
      const target = entry(to);
      if (source.node === undefined) throw fileError("not_found");
      keepRoot(from, source.realPath, source.node);
      if (target.node !== undefined) keepRoot(to, target.realPath, target.node);
      moveEntry(tree, from.path, to.path);
    },

    copy: async (from, to, { maxBytes, isOver }) => {
      unlessOver(isOver);
      const source = regular(reach(from, true).node);
      if (source.data.length > maxBytes) throw fileError("too_large");
      const target = fileToWrite(to, {}, source.mode);
      target.data = source.data.slice();
      tree.changed(to.path, target);
    },

    truncate: async (path, length) => {
      const file = regular(reach(path, true).node);
      const data = new Uint8Array(length);
      data.set(file.data.subarray(0, length));
      file.data = data;
      tree.changed(path.path, file);
    },

    openToRead: async (path) =>
      openMemoryFile(regular(reach(path, true).node), { read: true, write: false, append: false }, { tree, path: path.path }),

    openToWrite: async (path, options) => {
      const file = fileToWrite(path, options, options.mode ?? 0o644);
      if (options.truncate) file.data = new Uint8Array();
      tree.changed(path.path, file);
      return openMemoryFile(file, options, { tree, path: path.path });
    },
  };

  function reach(checked: Checked, follow: boolean): Found {
    if (isKernelPath(checked.path, "linux")) throw fileError("not_regular");
    const spot = tree.resolve(checked.path, follow);
    if (!checked.permits(spot.realPath)) throw fileError("not_capable");
    if (isKernelPath(spot.realPath, "linux")) throw fileError("not_regular");
    if (!spot.found) throw fileError(spot.code);
    return spot;
  }

  function keepRoot({ isRoot }: Checked, realPath: string, { kind }: MemoryNode): void {
    if (kind !== "file" && isRoot?.(realPath) === true) throw new FileError("not_capable", ROOT_OF_GRANT);
  }

  /** Returns a name in its folder, with its node if it exists. The last link is not followed. */
  function entry(checked: Checked): {
    readonly parent: MemoryDirectory;
    readonly name: string;
    readonly realPath: string;
    readonly node?: MemoryNode;
  } {
    if (isKernelPath(checked.path, "linux")) throw fileError("not_regular");
    if (checked.path === "/") throw fileError("permission_denied");
    const spot = tree.resolve(checked.path, false);
    if (!checked.permits(spot.realPath)) throw fileError("not_capable");
    if (isKernelPath(spot.realPath, "linux")) throw fileError("not_regular");
    if (spot.found) return spot;
    if (spot.parent === undefined) throw fileError(spot.code);
    return { parent: spot.parent, name: spot.name, realPath: spot.realPath };
  }

  function fileToWrite(checked: CheckedPath<"write">, options: WriteOptions, mode: number): MemoryFile {
    if (isKernelPath(checked.path, "linux")) throw fileError("not_regular");
    const spot = tree.resolve(checked.path, options.createNew !== true);
    if (!checked.permits(spot.realPath)) throw fileError("not_capable");
    if (isKernelPath(spot.realPath, "linux")) throw fileError("not_regular");
    if (spot.found && options.createNew === true) throw fileError("already_exists");
    if (spot.found) return regular(spot.node);
    if (spot.parent === undefined || (options.create === false && options.createNew !== true)) throw fileError(spot.code);
    const file = tree.file(new Uint8Array(), mode & 0o777);
    spot.parent.entries.set(spot.name, file);
    return file;
  }

  function makeDirectories(checked: CheckedPath<"write">, mode: number): void {
    const whole = tree.resolve(checked.path, true);
    if (!checked.permits(whole.realPath)) throw fileError("not_capable");
    if (whole.found && whole.node.kind !== "directory") throw fileError("already_exists");
    let at = "";
    for (const name of checked.path.split("/").filter((step) => step !== "")) {
      at += `/${name}`;
      const spot = tree.resolve(at, true);
      if (spot.found) continue;
      if (!checked.permits(spot.realPath)) throw fileError("not_capable");
      // A dangling link occupies the name; a circular one is reported as `symlink_loop`.
      if (spot.code !== "symlink_loop" && tree.resolve(at, false).found) throw fileError("already_exists");
      if (spot.parent === undefined) throw fileError(spot.code);
      spot.parent.entries.set(spot.name, tree.directory(mode));
      tree.changed(at);
    }
  }

  function removeTree(checked: Checked, parent: MemoryDirectory, name: string, realPath: string): void {
    if (!checked.permits(realPath)) throw fileError("not_capable");
    const node = parent.entries.get(name);
    if (node?.kind === "directory") {
      for (const child of [...node.entries.keys()]) removeTree(checked, node, child, `${realPath}/${child}`);
    }
    dropEntry(parent, name);
  }
}
