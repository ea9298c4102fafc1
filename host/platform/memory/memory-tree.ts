/** A file system in memory: folders, files, symlinks and special files. */

import { fileError } from "../files/file-errors.ts";
import { MAX_LINKS } from "../files/link-limit.ts";
import type { FileErrorCode, FileInfo } from "../platform.ts";

interface Meta {
  readonly inode: number;
  links: number;
  mode: number;
  modifiedMs: number;
  createdMs: number;
}
/** A regular file. */
export interface MemoryFile extends Meta {
  readonly kind: "file";
  data: Uint8Array;
}
/** A folder; entries in creation order. */
export interface MemoryDirectory extends Meta {
  readonly kind: "directory";
  readonly entries: Map<string, MemoryNode>;
}
/** A symbolic link; the target as written. */
interface MemoryLink extends Meta {
  readonly kind: "symlink";
  readonly target: string;
}
/** A FIFO, socket or device. */
interface MemoryOther extends Meta {
  readonly kind: "other";
}
/** Any node that a name can refer to. */
export type MemoryNode = MemoryFile | MemoryDirectory | MemoryLink | MemoryOther;

/** Result of resolving a path. */
export type Resolved = Found | Missing;

/** The path exists. */
export interface Found {
  readonly found: true;
  readonly node: MemoryNode;
  readonly realPath: string;
  /** The folder that contains the node; the root contains itself. */
  readonly parent: MemoryDirectory;
  readonly name: string;
}
/** The path does not exist or is unreachable. */
interface Missing {
  readonly found: false;
  readonly code: FileErrorCode;
  /** The resolved part, followed by the rest of the path. */
  readonly realPath: string;
  /** Set if only the last name is missing, so that it could be created there. */
  readonly parent?: MemoryDirectory;
  /** Set for `not_found`: the folder without an entry `name`, which need not be the last name. */
  readonly folder?: MemoryDirectory;
  readonly name: string;
}

const MAX_NAME_BYTES = 255;

/** The tree; `now` stamps new nodes. Paths are absolute and `/`-separated. */
export class MemoryTree {
  readonly root: MemoryDirectory;
  readonly #now: () => number;
  readonly #listeners = new Set<(path: string) => void>();
  #inodes = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.root = { kind: "directory", entries: new Map(), ...this.#meta(0o755) };
  }

  file(data: Uint8Array, mode: number): MemoryFile {
    return { kind: "file", data, ...this.#meta(mode) };
  }
  directory(mode: number): MemoryDirectory {
    return { kind: "directory", entries: new Map(), ...this.#meta(mode) };
  }
  link(target: string): MemoryLink {
    return { kind: "symlink", target, ...this.#meta(0o777) };
  }
  other(): MemoryOther {
    return { kind: "other", ...this.#meta(0o644) };
  }

  /** Resolves a path. Follows links on the way, and the last one if `follow`. */
  resolve(path: string, follow: boolean, onLink: (link: string) => void = () => {}): Resolved {
    const folders: { readonly node: MemoryDirectory; readonly name: string }[] = [];
    let names = path.split("/").filter(isStep);
    let links = 0;
    const where = (...more: readonly string[]): string => `/${[...folders.map((folder) => folder.name), ...more.filter(isStep)].join("/")}`;

    while (names.length > 0) {
      const [name = "", ...rest] = names;
      const parent = folders.at(-1)?.node ?? this.root;
      if (name === ".." || name === ".") {
        if (name === "..") folders.pop();
        names = rest;
        continue;
      }
      const realPath = where(name, ...rest);
      if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) return { found: false, code: "name_too_long", realPath, name };
      const node = parent.entries.get(name);
      if (node === undefined)
        return { found: false, code: "not_found", realPath, name, folder: parent, ...(rest.length === 0 && { parent }) };
      if (node.kind === "symlink" && (follow || rest.length > 0)) {
        links += 1;
        if (links > MAX_LINKS) return { found: false, code: "symlink_loop", realPath, name };
        onLink(where(name));
        if (node.target.startsWith("/")) folders.length = 0;
        // A target that ends in "." or a slash matches only folders.
        names = [
          ...node.target
            .replace(/\/$/u, "/.")
            .split("/")
            .filter((step) => step !== ""),
          ...rest,
        ];
        continue;
      }
      if (rest.length === 0) return { found: true, node, realPath, parent, name };
      if (node.kind !== "directory") return { found: false, code: "not_a_directory", realPath, name };
      folders.push({ node, name });
      names = rest;
    }
    const last = folders.at(-1);
    return {
      found: true,
      node: last?.node ?? this.root,
      realPath: where(),
      parent: folders.at(-2)?.node ?? this.root,
      name: last?.name ?? "",
    };
  }

  /** Puts a node at a path and creates the folders above it, to fill a tree. */
  plant(path: string, node: MemoryNode): void {
    const names = path.split("/").filter(isStep);
    const last = names.pop();
    if (last === undefined) return;
    let folder = this.root;
    for (const name of names) {
      const next = folder.entries.get(name) ?? this.directory(0o755);
      if (next.kind !== "directory") throw fileError("not_a_directory");
      folder.entries.set(name, next);
      folder = next;
    }
    folder.entries.set(last, node);
  }

  info(node: MemoryNode): FileInfo {
    const { kind, mode, modifiedMs, createdMs, inode, links } = node;
    const size = node.kind === "file" ? node.data.length : node.kind === "symlink" ? node.target.length : 0;
    return { kind, size, mode, modifiedMs, accessedMs: modifiedMs, createdMs, device: 1, inode, links };
  }

  /** Notifies watchers, and stamps the node. */
  changed(path: string, node?: MemoryNode): void {
    if (node) node.modifiedMs = this.#now();
    for (const listener of this.#listeners) listener(path);
  }
  onChange(listener: (path: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #meta(mode: number): Meta {
    this.#inodes += 1;
    return { inode: this.#inodes, links: 1, mode, modifiedMs: this.#now(), createdMs: this.#now() };
  }
}

function isStep(name: string): boolean {
  return name !== "" && name !== ".";
}
