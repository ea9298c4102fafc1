/** Compares the final state of a dry run with the initial one, and lists the changes for the user (SPEC E8). */

import type { MemoryDirectory, MemoryFile, MemoryNode } from "../../platform/memory/memory-tree.ts";
import { compareText, sha256Hex } from "../../primitives/digest.ts";
import type { Origin, OverlayTree } from "./overlay-tree.ts";
import type { Contents, FileChange } from "../../call/dry-run-report.ts";
import type { Diff } from "./diff-by.ts";

/** A node and its present path. */
interface Here {
  readonly node: MemoryNode;
  readonly path: string;
  /** Its path changed only because the folder above it was moved. */
  readonly withParent: boolean;
}

/** Maximum length of all diffs of one run; further changes show sizes and hashes only. */
const MAX_DIFFS_LENGTH = 256 * 1024;

/** Returns every node of the tree with its path. */
export function nodesOf(overlay: OverlayTree): ReadonlyMap<MemoryNode, Here> {
  const { root } = overlay.tree;
  const found = new Map<MemoryNode, Here>([[root, { node: root, path: "", withParent: true }]]);
  const open: { readonly folder: MemoryDirectory; readonly path: string }[] = [{ folder: root, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const above = overlay.originOf(next.folder)?.path;
    for (const [name, node] of next.folder.entries) {
      const path = `${next.path}/${name}`;
      const origin = overlay.originOf(node)?.path;
      const withParent = above !== undefined && origin === (above === "/" ? `/${name}` : `${above}/${name}`);
      found.set(node, { node, path, withParent });
      if (node.kind === "directory") open.push({ folder: node, path });
    }
  }
  return found;
}

/**
 * Lists the changes, sorted by path.
 * @param shown formats a path
 */
export async function effectsOf(overlay: OverlayTree, shown: (path: string) => string, unifiedDiff: Diff): Promise<readonly FileChange[]> {
  const here = nodesOf(overlay);
  const gone = new Map<string, { readonly node: MemoryNode; readonly origin: Origin }>();
  for (const [node, origin] of overlay.origins) if (!here.has(node)) gone.set(origin.path, { node, origin });

  const diffs = createDiffs(unifiedDiff);
  const changes: FileChange[] = [];
  for (const { node, path, withParent } of here.values()) {
    const origin = overlay.originOf(node);
    const type = node.kind;
    if (origin !== undefined) {
      const contents = node.kind === "file" ? await diffs.changed(shown(origin.path), origin, shown(path), node) : undefined;
      if (!withParent) changes.push({ kind: "renamed", path: shown(path), from: shown(origin.path), type, ...contents });
      else if (contents !== undefined) changes.push({ kind: "modified", path: shown(path), type, ...contents });
      continue;
    }
    if (path === "" || node.kind === "other") continue;
    const replaced = gone.get(path);
    if (replaced !== undefined && replaced.node.kind === node.kind) {
      gone.delete(path);
      const told =
        node.kind === "file" ? await diffs.changed(shown(path), replaced.origin, shown(path), node) : modes(replaced.origin, node);
      if (told !== undefined) changes.push({ kind: "modified", path: shown(path), type, ...told });
      continue;
    }
    const said = saidMode(node)?.toString(8);
    const mode = said === undefined ? {} : { mode: said };
    const contents = node.kind === "file" && (await diffs.created(shown(path), node));
    changes.push({ kind: "created", path: shown(path), type, ...mode, ...contents });
  }
  for (const { node, origin } of gone.values()) {
    const contents = node.kind === "file" ? await diffs.deleted(shown(origin.path), origin) : undefined;
    changes.push({ kind: "deleted", path: shown(origin.path), type: node.kind, ...contents });
  }
  return changes.toSorted((left, right) => compareText(left.path, right.path) || compareText(left.kind, right.kind));
}

type Told = Pick<FileChange, "before" | "after" | "diff" | "mode">;

interface Diffs {
  /** Returns undefined if the contents are unchanged. */
  changed(from: string, origin: Origin, to: string, file: MemoryFile): Promise<Told | undefined>;
  created(path: string, file: MemoryFile): Promise<Told>;
  deleted(path: string, origin: Origin): Promise<Told>;
}

function createDiffs(unifiedDiff: Diff): Diffs {
  let left = MAX_DIFFS_LENGTH;
  async function diff(...sides: Parameters<Diff>): Promise<{ readonly diff?: string }> {
    if (left <= 0) return {};
    const text = await unifiedDiff(...sides);
    if (text === undefined) return {};
    left -= text.length;
    return left < 0 ? {} : { diff: text };
  }
  return {
    async changed(from, origin, to, file) {
      const { base } = origin;
      const { data } = file;
      if (!isChanged(file, origin)) return undefined;
      if (base === undefined) return { before: { bytes: origin.info.size }, after: await contentsOf(data), ...modes(origin, file) };
      const text = isEqual(base, data) ? {} : await diff({ label: `a/${from}`, bytes: base }, { label: `b/${to}`, bytes: data });
      return { before: await contentsOf(base), after: await contentsOf(data), ...modes(origin, file), ...text };
    },
    async created(path, { data }) {
      const text = await diff({ label: "/dev/null", bytes: NOTHING }, { label: `b/${path}`, bytes: data });
      return { after: await contentsOf(data), ...text };
    },
    async deleted(path, { base, info }) {
      if (base === undefined) return { before: { bytes: info.size } };
      const text = await diff({ label: `a/${path}`, bytes: base }, { label: "/dev/null", bytes: NOTHING });
      return { before: await contentsOf(base), ...text };
    },
  };
}

/** Returns undefined if the permissions are unchanged. */
function modes({ info }: Origin, { mode }: MemoryNode): { readonly mode: string } | undefined {
  const before = info.mode & MODE_BITS;
  return before === mode ? undefined : { mode: `${before.toString(8)} → ${mode.toString(8)}` };
}

/** Returns the mode that the call set for a new entry. Undefined if it set none; then the umask decides. */
export function saidMode({ kind, mode }: MemoryNode): number | undefined {
  return mode === (kind === "directory" ? 0o755 : 0o644) ? undefined : mode;
}

const NOTHING = new Uint8Array();

async function contentsOf(bytes: Uint8Array): Promise<Contents> {
  return { bytes: bytes.length, sha256: await sha256Hex(bytes.slice()) };
}

const MODE_BITS = 0o777;

/** Returns whether a file differs from its initial state. */
export function isChanged({ data, mode }: MemoryFile, { base, info, isUnread }: Origin): boolean {
  if (isUnread === true) return true;
  return base !== undefined && (mode !== (info.mode & MODE_BITS) || !isEqual(base, data));
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  // Plain loop: the files may be large, and a function per byte takes ten times as long.
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
