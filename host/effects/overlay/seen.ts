/** Records what a dry run read from the disk, so that a commit can check that it is unchanged (SPEC E8). */

import { hostPlace } from "../../capabilities/checked.ts";
import { type DirectoryEntry, FileError, type FileInfo, type FileKind, type GuardedFiles } from "../../platform/platform.ts";
import { defined } from "../../primitives/defined.ts";
import { compareText, sha256Hex } from "../../primitives/digest.ts";
import { orUndefined } from "../../platform/or-undefined.ts";

/** A part of a file, or all of it. */
interface SeenRange {
  readonly offset?: number;
  readonly length?: number;
}

/** Maximum number of looks of a dry run; a commit repeats each one. */
export const MAX_SEEN = 20_000;

interface SeenRead extends SeenRange {
  readonly path: string;
  /** Bytes that the repeated read may need. */
  readonly maxBytes: number;
  readonly sha256: string;
}

/** Observed states, by path. */
export interface Seen {
  /**
   * Returns false at the bound.
   * @param link target of a link
   */
  kind(path: string, kind: FileKind | "missing", link?: string): boolean;
  read(path: string, range: SeenRange, bytes: Uint8Array): Promise<boolean>;
  list(path: string, entries: readonly DirectoryEntry[]): Promise<boolean>;
  /** Records a file whose contents were not read: it counts as unchanged if size and time are equal. */
  file(path: string, info: FileInfo): boolean;
  /** Returns the paths that changed; at most `MAX_CHANGED`. */
  changed(below: GuardedFiles): Promise<readonly string[]>;
}

/** Short enough for the user to read. */
const MAX_CHANGED = 20;

export function createSeen(): Seen {
  const kinds = new Map<string, { readonly kind: FileKind | "missing"; readonly link?: string }>();
  const reads = new Map<string, SeenRead>();
  const lists = new Map<string, { readonly sha256: string; readonly count: number }>();
  /** Paths that differed between two looks: the run depends on both states, so it cannot be committed. */
  const moving = new Set<string>();
  const files = new Map<string, string>();
  const hasRoom = (): boolean => kinds.size + reads.size + lists.size + files.size < MAX_SEEN;

  return {
    kind(path, kind, link) {
      if (!kinds.has(path)) {
        if (!hasRoom()) return false;
        kinds.set(path, { kind, ...(link !== undefined && { link }) });
      }
      return true;
    },
    async read(path, { offset, length }, bytes) {
      const key = `${path}\0${offset ?? ""}\0${length ?? ""}`;
      const sha256 = await sha256Hex(bytes.slice());
      const known = reads.get(key);
      if (known !== undefined && known.sha256 !== sha256) moving.add(path);
      if (known !== undefined) return true;
      if (!hasRoom()) return false;
      const range = defined({ offset, length });
      reads.set(key, { path, ...range, maxBytes: Math.max(length ?? 0, bytes.length), sha256 });
      return true;
    },
    async list(path, entries) {
      const sha256 = await hashOfEntries(entries);
      const known = lists.get(path);
      if (known !== undefined && known.sha256 !== sha256) moving.add(path);
      if (known !== undefined) return true;
      if (!hasRoom()) return false;
      lists.set(path, { sha256, count: entries.length });
      return true;
    },
    file(path, info) {
      if (!files.has(path)) {
        if (!hasRoom()) return false;
        files.set(path, factsOf(info));
      }
      return true;
    },
    async changed(below) {
      const changed = new Set([...moving].slice(0, MAX_CHANGED));
      const look = async (path: string, isSame: () => Promise<boolean>): Promise<void> => {
        if (changed.size < MAX_CHANGED && !changed.has(path) && !(await isSame())) changed.add(path);
      };
      for (const [path, { kind, link }] of kinds) {
        await look(path, async () => {
          if ((await kindOf(path, below)) !== kind) return false;
          return link === undefined || (await orUndefined(below.readLink(hostPlace(path)))) === link;
        });
      }
      for (const { path, maxBytes, sha256, ...range } of reads.values()) {
        await look(path, async () => {
          const bytes = await orUndefined(below.readBytes(hostPlace(path), { maxBytes, ...range }));
          return bytes !== undefined && (await sha256Hex(bytes.slice())) === sha256;
        });
      }
      for (const [path, { sha256, count }] of lists) {
        await look(path, async () => {
          const entries = await orUndefined(below.list(hostPlace(path), { maxEntries: count }));
          return entries !== undefined && (await hashOfEntries(entries)) === sha256;
        });
      }
      for (const [path, facts] of files) {
        await look(path, async () => {
          const info = await orUndefined(below.lstat(hostPlace(path)));
          return info !== undefined && factsOf(info) === facts;
        });
      }
      return [...changed];
    },
  };
}

/** Returns the present kind of a path, or undefined if the host cannot look at it. */
async function kindOf(path: string, below: GuardedFiles): Promise<FileKind | "missing" | undefined> {
  try {
    return (await below.lstat(hostPlace(path))).kind;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === "not_found" || error.code === "not_a_directory") return "missing";
    return error.code === "not_regular" ? "other" : undefined;
  }
}

function factsOf({ kind, device, inode, size, modifiedMs }: FileInfo): string {
  return [kind, device, inode, size, modifiedMs].join(" ");
}

async function hashOfEntries(entries: readonly DirectoryEntry[]): Promise<string> {
  const lines = entries.map(({ name, kind }) => `${kind} ${name}`).toSorted(compareText);
  return await sha256Hex(lines.join("\0"));
}
