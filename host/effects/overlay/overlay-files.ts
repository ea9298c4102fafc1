/**
 * Guarded files of a copy-on-write overlay, which keeps every change in memory (SPEC E8).
 *
 * The rules are those of `memory-guarded.ts`, on a tree that is filled from the disk on demand. Every act checks its proof for the path
 * that it really reaches, as on the disk. Acts run one after the other.
 */

import { fileError, OTHER_SPELLING } from "../../platform/files/file-errors.ts";
import { isKernelPath } from "../../platform/files/kernel-paths.ts";
import { regular } from "../../platform/memory/memory-files.ts";
import { createMemoryGuarded } from "../../platform/memory/memory-guarded.ts";
import type { Found, MemoryFile, MemoryNode, Resolved } from "../../platform/memory/memory-tree.ts";
import { createMutex } from "../../platform/mutex.ts";
import { FileError, type FileInfo, type Files, type GuardedFile, type GuardedFiles } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import type { Change } from "./change-log.ts";
import type { OverlayTree } from "./overlay-tree.ts";

type Checked = CheckedPath<"read" | "write">;

/** @param log receives every change, in order */
export function createOverlayFiles(overlay: OverlayTree, log: (change: Change) => void, files: Pick<Files, "permitsPlace">): GuardedFiles {
  const { tree } = overlay;
  const memory = createMemoryGuarded(tree);
  // Nothing changes between a check and its act.
  const inTurn = createMutex();

  return {
    readBytes: (path, options) =>
      inTurn(async () => {
        const untouched = await findUntouched(path);
        if (untouched === undefined) return await memory.readBytes(path, options);
        const { maxBytes, length } = options;
        if (length !== undefined && length > maxBytes) throw fileError("too_large");
        return await readUntouched(untouched, options);
      }),

    writeBytes: (path, data, options) =>
      inTurn(async () => {
        const before = await fileToWrite(path, options.createNew !== true, { replaces: options.append !== true });
        overlay.room(data.length + (options.append === true ? (before?.data.length ?? 0) : 0));
        await memory.writeBytes(path, data, options);
        written(path, options.createNew !== true);
      }),

    list: (path, options) =>
      inTurn(async () => {
        const spot = await load(path, true);
        const origin = spot.found && spot.node.kind === "directory" ? overlay.originOf(spot.node) : undefined;
        const own = await memory.list(path, options);
        if (origin?.known === undefined || origin.known === null || !spot.found || spot.node.kind !== "directory") return own;
        const folder = spot.node;
        const entries = [...own, ...(await overlay.listBelow(origin)).filter(({ name }) => overlay.isUnknown(folder, name))];
        const namesLength = entries.reduce((sum, { name }) => sum + name.length, 0);
        if (entries.length > options.maxEntries || namesLength > (options.maxNamesLength ?? Infinity)) throw fileError("too_large");
        return entries;
      }),

    stat: (path) => inTurn(() => inspect(path, true)),
    lstat: (path) => inTurn(() => inspect(path, false)),
    realPath: (path) => inTurn(async () => (await load(path, true), await memory.realPath(path))),
    readLink: (path) => inTurn(async () => (await load(path, false), await memory.readLink(path))),

    // Used by the dry run of an undo; tools have no proof for it.
    makeLink: (path, target) =>
      inTurn(async () => {
        await load(path, false);
        overlay.countNode();
        await memory.makeLink(path, target);
      }),

    // A node of the tree has exactly one path. An undo copies the file instead.
    addName: () => Promise.reject(fileError("other")),

    setFacts: (path, facts) =>
      inTurn(async () => {
        const spot = await load(path, false);
        if (spot.found && spot.node.kind === "file") await overlay.loadContents(spot.node);
        await memory.setFacts(path, facts);
        written(path, false);
      }),

    makeDirectory: (path, options) =>
      inTurn(async () => {
        await load(path, true);
        const missing = missingFolders(path.path, options.recursive);
        for (let count = 0; count < missing.length; count++) overlay.countNode();
        await memory.makeDirectory(path, options);
        for (const at of missing) {
          const made = tree.resolve(at, false);
          if (made.found) log({ kind: "folder", path: made.realPath, node: made.node });
        }
      }),

    remove: (path, options) =>
      inTurn(async () => {
        const spot = await load(path, false);
        if (spot.found && spot.node.kind === "file") await overlay.beforeRemoval(spot.node);
        if (spot.found && spot.node.kind === "directory")
          await (options.recursive ? overlay.loadAll(spot.node) : overlay.loadEntries(spot.node, 1));
        overlay.countNode();
        await memory.remove(path, options);
        if (spot.found) log({ kind: "remove", path: spot.realPath, node: spot.node, recursive: options.recursive });
      }),

    rename: (from, to) =>
      inTurn(async () => {
        const source = await load(from, false);
        const target = await load(to, false);
        if (target.found && target.node.kind === "file") await overlay.beforeRemoval(target.node);
        if (target.found && target.node.kind === "directory") await overlay.loadEntries(target.node, 1);
        overlay.countNode();
        await memory.rename(from, to);
        if (source.found) log({ kind: "rename", path: source.realPath, to: target.realPath, node: source.node });
      }),

    copy: (from, to, options) =>
      inTurn(async () => {
        const source = await load(from, true);
        if (source.found) {
          admit(from, source);
          const file = regular(source.node);
          const size = overlay.isUntouched(file) ? (overlay.originOf(file)?.info.size ?? 0) : file.data.length;
          if (size > options.maxBytes) throw fileError("too_large");
          overlay.room(size);
          await overlay.loadContents(file);
        }
        if (source.found) await fileToWrite(to, true, { replaces: true });
        await memory.copy(from, to, options);
        written(to, true);
      }),

    truncate: (path, length) =>
      inTurn(async () => {
        await fileToWrite(path, true, { creates: false, replaces: length === 0 });
        overlay.room(length);
        await memory.truncate(path, length);
        written(path, true);
      }),

    openToRead: (path) =>
      inTurn(async () => {
        const spot = await load(path, true);
        // Makes the checks of an open; the contents may still be on the disk.
        const file = await memory.openToRead(path);
        return spot.found && spot.node.kind === "file" ? openFile(file, spot.node, spot.realPath) : file;
      }),

    openToWrite: (path, options) =>
      inTurn(async () => {
        await fileToWrite(path, !options.createNew, { replaces: options.truncate });
        const file = await memory.openToWrite(path, options);
        const spot = tree.resolve(path.path, true);
        if (!spot.found || spot.node.kind !== "file") return file;
        written(path, true);
        return openFile(file, spot.node, spot.realPath);
      }),
  };

  /** Adds a check that the tree lacks: the real file system may know a denied name by this spelling too. */
  async function load(checked: Checked, follow: boolean): Promise<Resolved> {
    const spot = await overlay.load(checked.path, follow);
    const isRefused = checked.permits(spot.realPath) && !(await files.permitsPlace(checked, spot.realPath));
    if (isRefused && !isKernelPath(spot.realPath, "linux")) throw new FileError("not_capable", OTHER_SPELLING);
    return spot;
  }

  /** Makes the checks of `memory-guarded.ts`, for answers that bypass it. */
  function admit(checked: Checked, { realPath }: Found): void {
    if (isKernelPath(checked.path, "linux")) throw fileError("not_regular");
    if (!checked.permits(realPath)) throw fileError("not_capable");
    if (isKernelPath(realPath, "linux")) throw fileError("not_regular");
  }

  async function findUntouched(checked: Checked): Promise<MemoryNode | undefined> {
    const spot = await load(checked, true);
    if (!spot.found || !overlay.isUntouched(spot.node)) return undefined;
    admit(checked, spot);
    return spot.node;
  }

  async function readUntouched(node: MemoryNode, options: Parameters<GuardedFiles["readBytes"]>[1]): Promise<Uint8Array> {
    const origin = overlay.originOf(node);
    if (origin === undefined) throw new Error("An untouched file has no origin");
    return await overlay.readBelow(origin, options);
  }

  async function inspect(path: CheckedPath<"read">, follow: boolean): Promise<FileInfo> {
    const spot = await load(path, follow);
    const info = await memory[follow ? "stat" : "lstat"](path);
    const origin = spot.found ? overlay.originOf(spot.node) : undefined;
    if (origin === undefined || !spot.found) return info;
    // Facts that are not kept in the tree come from the disk.
    const isOwn = spot.node.kind === "file" && !overlay.isUntouched(spot.node);
    return isOwn ? { ...origin.info, mode: info.mode, size: info.size, modifiedMs: info.modifiedMs } : origin.info;
  }

  /** Loads a file that is about to be changed, if the proof covers it; otherwise the act itself refuses. */
  async function fileToWrite(
    checked: Checked,
    follow: boolean,
    { creates = true, replaces }: { readonly creates?: boolean; readonly replaces: boolean },
  ): Promise<MemoryFile | undefined> {
    const spot = await load(checked, follow);
    if (spot.found && spot.node.kind === "file") {
      admit(checked, spot);
      if (follow) await (replaces ? overlay.beforeReplacing(spot.node) : overlay.loadContents(spot.node));
      return spot.node;
    }
    if (!spot.found && creates) overlay.countNode();
    return undefined;
  }

  function written(checked: Checked, follow: boolean): void {
    const spot = tree.resolve(checked.path, follow);
    if (!spot.found || spot.node.kind !== "file") return;
    overlay.count(spot.node);
    log({ kind: "write", path: spot.realPath, node: spot.node });
  }

  /** Returns the folders that `makeDirectory` would create, topmost first. */
  function missingFolders(path: string, recursive: boolean): readonly string[] {
    if (!recursive) return tree.resolve(path, false).found ? [] : [path];
    const names = path.split("/").slice(1);
    const all = names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
    return all.filter((at) => !tree.resolve(at, true).found);
  }

  function openFile(file: GuardedFile, node: MemoryFile, path: string): GuardedFile {
    const changed = (): void => {
      overlay.count(node);
      log({ kind: "write", path, node });
    };
    return {
      ...file,
      read: (position, length) =>
        inTurn(async () => {
          if (!overlay.isUntouched(node)) return await file.read(position, length);
          return await readUntouched(node, { maxBytes: length, offset: position, length });
        }),
      write: (data, position) =>
        inTurn(async () => {
          const end = position === "end" ? node.data.length + data.length : position + data.length;
          overlay.room(Math.max(0, end - node.data.length));
          await file.write(data, position);
          changed();
        }),
      truncate: (length) =>
        inTurn(async () => {
          overlay.room(length);
          await file.truncate(length);
          changed();
        }),
      stat: () =>
        inTurn(async () => {
          const origin = overlay.originOf(node);
          return overlay.isUntouched(node) && origin !== undefined ? origin.info : await file.stat();
        }),
    };
  }
}
