/** Where paths lead: an act must be allowed there too, so the place is learned with it (SPEC PA4, P9). */

import { FileError, type Platform } from "../../platform/platform.ts";
import type { Act } from "../../audit/acts.ts";

/** So many paths are looked up, the most used ones. */
const MAX_LOOKUPS = 2_000;

/** The acts, and for each path that is a link, or lies behind one, the same act where it leads. */
export async function withResolved(acts: readonly Act[], { files }: Pick<Platform, "files">): Promise<readonly Act[]> {
  const paths = acts.filter(({ kind }) => kind === "read" || kind === "write").toSorted((a, b) => b.count - a.count);
  const more: Act[] = [];
  const known = new Map<string, string | undefined>();
  for (const act of paths) {
    if (!known.has(act.value)) {
      if (known.size >= MAX_LOOKUPS) continue;
      known.set(act.value, await realOf(act.value, files));
    }
    const real = known.get(act.value);
    if (real !== undefined && real !== act.value && real !== "/") more.push({ ...act, value: real });
  }
  return [...acts, ...more];
}

/** Undefined where nothing is there any more. */
async function realOf(path: string, files: Platform["files"]): Promise<string | undefined> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
