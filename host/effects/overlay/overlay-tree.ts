/**
 * An in-memory tree over real files, loaded on first access (SPEC E8).
 *
 * Loaded nodes remember their original path. The files below are never changed. The size is bounded: above the bound every act fails with
 * `no_space`, and `exceeded` holds the reason.
 */

import { hostPlace } from "../../capabilities/checked.ts";
import { resourceExhausted, type ToolErrorData } from "../../call/errors.ts";
import { fileError } from "../../platform/files/file-errors.ts";
import { isKernelPath } from "../../platform/files/kernel-paths.ts";
import { type MemoryDirectory, type MemoryFile, type MemoryNode, MemoryTree, type Resolved } from "../../platform/memory/memory-tree.ts";
import type { Environment } from "../../platform/environment-types.ts";
import { FileError, type FileInfo, type GuardedFiles } from "../../platform/platform.ts";
import { createSeen, MAX_SEEN, type Seen } from "./seen.ts";

/** State of a node before the run. */
export interface Origin {
  /** Real path. */
  readonly path: string;
  readonly info: FileInfo;
  /** Original contents of a file that is changed. Absent before; then they are read from the disk. */
  base?: Uint8Array;
  /** Set for a replaced file whose contents were too large to read. */
  isUnread?: true;
  /** For a folder: names that were looked up on the disk; null if all were. */
  known?: Set<string> | null;
}

/** Bounds of one dry run. */
export interface OverlayLimits {
  /** Contents of files, before and after changes. */
  readonly bytes: number;
  /** Files and folders that the run loads or creates. */
  readonly nodes: number;
}

/** A file that is only removed or replaced is read for the diff, if it is not larger than this and half of the room is left. */
const MAX_READ_TO_SHOW = 1024 * 1024;

const OVERLAY_LIMITS: OverlayLimits = Object.freeze({ bytes: 64 * 1024 * 1024, nodes: 10_000 });

/** Bytes counted for a node in addition to its contents. */
const NODE_BYTES = 256;

interface OverlayTreeOptions {
  readonly below: GuardedFiles;
  readonly os: Environment["os"];
  readonly now: () => number;
  readonly limits?: OverlayLimits;
}

export class OverlayTree {
  readonly tree: MemoryTree;
  readonly below: GuardedFiles;
  readonly seen: Seen;
  readonly #origins = new Map<MemoryNode, Origin>();
  readonly #os: Environment["os"];
  readonly #limits: OverlayLimits;
  readonly #held = new WeakMap<MemoryFile, number>();
  #bytes = 0;
  #nodes = 0;
  #exceeded: ToolErrorData | undefined;

  constructor({ below, os, now, limits = OVERLAY_LIMITS }: OverlayTreeOptions) {
    this.below = below;
    this.#os = os;
    this.#limits = limits;
    this.tree = new MemoryTree(now);
    this.seen = createSeen();
    const { root } = this.tree;
    const info: FileInfo = { ...this.tree.info(root) };
    this.#origins.set(root, { path: "/", info, known: new Set() });
  }

  /** Every node that was loaded, with its origin. */
  get origins(): ReadonlyMap<MemoryNode, Origin> {
    return this.#origins;
  }

  /** The bound that the run exceeded, if any. */
  get exceeded(): ToolErrorData | undefined {
    return this.#exceeded;
  }

  originOf(node: MemoryNode): Origin | undefined {
    return this.#origins.get(node);
  }

  /** Returns whether a file's contents are still those on the disk. */
  isUntouched(node: MemoryNode): boolean {
    const origin = this.#origins.get(node);
    return node.kind === "file" && origin !== undefined && origin.base === undefined && origin.isUnread !== true;
  }

  /** Resolves a path like `MemoryTree.resolve`, and loads every entry on the way. */
  async load(path: string, follow: boolean): Promise<Resolved> {
    for (;;) {
      const spot = this.tree.resolve(path, follow);
      if (spot.found || spot.folder === undefined || !this.#isUnknown(spot.folder, spot.name)) return spot;
      await this.#takeOver(spot.folder, spot.name);
    }
  }

  /** Loads a folder's entries; at most `atMost`, to see whether there are any. */
  async loadEntries(folder: MemoryDirectory, atMost: number = Infinity): Promise<void> {
    const origin = this.#origins.get(folder);
    if (origin?.known === undefined || origin.known === null) return;
    const entries = await this.listBelow(origin);
    let taken = 0;
    for (const { name } of entries) {
      if (!this.#isUnknown(folder, name)) continue;
      if (taken++ >= atMost) return;
      await this.#takeOver(folder, name);
    }
    origin.known = null;
  }

  /** Loads a folder with everything below it, before it is removed. */
  async loadAll(node: MemoryNode): Promise<void> {
    const open: MemoryNode[] = [node];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.kind === "file") await this.beforeRemoval(next);
      if (next.kind !== "directory") continue;
      await this.loadEntries(next);
      for (const entry of next.entries.values()) open.push(entry);
    }
  }

  /** Returns whether a name was not looked up on the disk yet. */
  isUnknown(folder: MemoryDirectory, name: string): boolean {
    return this.#isUnknown(folder, name);
  }

  async listBelow(origin: Origin): ReturnType<GuardedFiles["list"]> {
    const entries = await this.below.list(hostPlace(origin.path), { maxEntries: 100_000 });
    if (!(await this.seen.list(origin.path, entries))) throw this.#exceed("dryRunLooks", MAX_SEEN);
    return entries;
  }

  /** Reads a part of an untouched file. The commit checks that it is unchanged. */
  async readBelow(origin: Origin, options: Parameters<GuardedFiles["readBytes"]>[1]): Promise<Uint8Array> {
    const bytes = await this.below.readBytes(hostPlace(origin.path), options);
    if (!(await this.seen.read(origin.path, options, bytes))) throw this.#exceed("dryRunLooks", MAX_SEEN);
    return bytes;
  }

  /** Loads a file's contents into the tree, before it is changed. */
  async loadContents(file: MemoryFile): Promise<void> {
    const origin = this.#origins.get(file);
    if (origin === undefined || !this.isUntouched(file)) return;
    this.room(origin.info.size);
    const base = await this.readBelow(origin, { maxBytes: Math.max(0, this.#limits.bytes - this.#bytes) }).catch((error: unknown) => {
      if (error instanceof FileError && error.code === "too_large") throw this.#exceed("dryRunBytes", this.#limits.bytes);
      throw error;
    });
    this.#bytes += base.length;
    origin.base = base;
    // The tree replaces `data` and never changes it in place, so both may be the same array.
    file.data = base;
  }

  /** Called before a file is removed. The contents are needed only for the diff; the commit checks that the file is still the same. */
  async beforeRemoval(file: MemoryFile): Promise<void> {
    const origin = this.#origins.get(file);
    if (origin === undefined || !this.isUntouched(file)) return;
    const { size } = origin.info;
    if (size <= MAX_READ_TO_SHOW && this.#bytes + size <= this.#limits.bytes / 2) return await this.loadContents(file);
    if (!this.seen.file(origin.path, origin.info)) throw this.#exceed("dryRunLooks", MAX_SEEN);
  }

  /** Called before all contents of a file are replaced. */
  async beforeReplacing(file: MemoryFile): Promise<void> {
    await this.beforeRemoval(file);
    const origin = this.#origins.get(file);
    if (origin !== undefined && this.isUntouched(file)) origin.isUnread = true;
  }

  /** @throws {FileError} `no_space` if that many more bytes do not fit */
  room(bytes: number): void {
    if (this.#bytes + bytes > this.#limits.bytes) throw this.#exceed("dryRunBytes", this.#limits.bytes);
  }

  /** Counts the present size of a file. */
  count(file: MemoryFile): void {
    const own = file.data === this.#origins.get(file)?.base ? 0 : file.data.length;
    this.#bytes += own - (this.#held.get(file) ?? 0);
    this.#held.set(file, own);
  }

  /** Counts a new node. */
  countNode(): void {
    if (++this.#nodes > this.#limits.nodes) throw this.#exceed("dryRunFiles", this.#limits.nodes);
    this.room(NODE_BYTES);
    this.#bytes += NODE_BYTES;
  }

  #isUnknown(folder: MemoryDirectory, name: string): boolean {
    const known = this.#origins.get(folder)?.known;
    return known !== undefined && known !== null && !known.has(name);
  }

  async #takeOver(folder: MemoryDirectory, name: string): Promise<void> {
    const origin = this.#origins.get(folder);
    if (origin?.known === undefined || origin.known === null) return;
    const path = origin.path === "/" ? `/${name}` : `${origin.path}/${name}`;
    const node = isKernelPath(path, this.#os) ? this.tree.other() : await this.#look(path);
    origin.known.add(name);
    if (node !== undefined) folder.entries.set(name, node);
  }

  async #look(path: string): Promise<MemoryNode | undefined> {
    this.countNode();
    const info = await this.below.lstat(hostPlace(path)).catch((error: unknown) => {
      if (!(error instanceof FileError)) throw error;
      if (error.code === "not_found" || error.code === "not_regular") return error.code;
      throw error;
    });
    if (info === "not_found" || info === "not_regular") {
      this.#see(path, info === "not_found" ? "missing" : "other");
      return info === "not_found" ? undefined : this.tree.other();
    }
    const link = info.kind === "symlink" ? await this.below.readLink(hostPlace(path)) : undefined;
    this.#see(path, info.kind, link);
    const node = this.#nodeOf(info, link);
    this.#origins.set(node, { path, info, ...(info.kind === "directory" && { known: new Set<string>() }) });
    return node;
  }

  #nodeOf({ kind, mode, modifiedMs, createdMs }: FileInfo, link: string | undefined): MemoryNode {
    const made = { mode: mode & 0o777, modifiedMs, createdMs };
    if (kind === "file") return Object.assign(this.tree.file(NOTHING, 0), made);
    if (kind === "directory") return Object.assign(this.tree.directory(0), made);
    return Object.assign(link === undefined ? this.tree.other() : this.tree.link(link), made);
  }

  #see(path: string, ...what: [Parameters<Seen["kind"]>[1], string?]): void {
    if (!this.seen.kind(path, ...what)) throw this.#exceed("dryRunLooks", MAX_SEEN);
  }

  #exceed(limit: string, allowed: number): FileError {
    this.#exceeded ??= resourceExhausted(limit, allowed);
    return fileError("no_space");
  }
}

const NOTHING = new Uint8Array();
