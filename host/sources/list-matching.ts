/** Lists a folder recursively by a glob, with bounds on depth and number. */

import type { WorkspaceFiles } from "../call/context.ts";
import { matchesGlob } from "../policy/glob.ts";

/** A file or folder that matches. */
interface Match {
  /** "/"-separated, relative to the listed folder. */
  readonly name: string;
  readonly kind: string;
}

const MOST_MATCHES = 10_000;
const MOST_FOLDERS = 10_000;
const DEEPEST = 32;

/**
 * Lists everything below `path` that `glob` matches, sorted by name. `*` and `?` stay within a name, `**` matches any number of folders.
 * Links are not followed; unreadable folders are skipped.
 */
export async function listMatching(
  workspace: Pick<WorkspaceFiles, "list">,
  path: string,
  glob: string,
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const pattern = glob.split("/").filter((segment) => segment !== "" && segment !== ".");
  const matches: Match[] = [];
  let folders = 0;

  async function visit(below: readonly string[]): Promise<void> {
    if (signal.aborted || below.length > DEEPEST || ++folders > MOST_FOLDERS) return;
    const entries = below.length === 0 ? await workspace.list(path) : await listOrNothing([path, ...below].join("/"));
    for (const { name, kind } of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      const at = [...below, name];
      if (matches.length >= MOST_MATCHES) return;
      if (matchesPath(pattern, at)) matches.push({ name: at.join("/"), kind });
      if (kind === "directory" && mayMatchBelow(pattern, at)) await visit(at);
    }
  }

  async function listOrNothing(folder: string): Promise<Awaited<ReturnType<WorkspaceFiles["list"]>>> {
    try {
      return await workspace.list(folder);
    } catch {
      // Not granted, or removed after its parent was listed: a listing shows only what is visible.
      return [];
    }
  }

  await visit([]);
  return matches;
}

/** Returns the pattern positions that can be reached after the given names; the pattern's length means a match. */
function positions(pattern: readonly string[], path: readonly string[]): ReadonlySet<number> {
  let current = withSkippedStars(pattern, new Set([0]));
  for (const name of path) {
    const next = new Set<number>();
    for (const at of current) {
      const wanted = pattern[at];
      if (wanted === "**") next.add(at);
      else if (wanted !== undefined && matchesGlob(wanted, name)) next.add(at + 1);
    }
    current = withSkippedStars(pattern, next);
  }
  return current;
}

/** `**` also matches zero folders. */
function withSkippedStars(pattern: readonly string[], from: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(from);
  for (const at of all) if (pattern[at] === "**") all.add(at + 1);
  return all;
}

function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  return positions(pattern, path).has(pattern.length);
}

function mayMatchBelow(pattern: readonly string[], path: readonly string[]): boolean {
  return [...positions(pattern, path)].some((at) => at < pattern.length);
}
