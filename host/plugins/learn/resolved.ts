/** Resolves links in paths: an act must be allowed at its target too, so the target is learned with it (SPEC PA4, P9). */

import { orUndefined } from "../../platform/or-undefined.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Act } from "../../audit/acts.ts";

/** Maximum number of paths resolved, most used first. */
const MAX_LOOKUPS = 2_000;

/** Returns the acts, and for each path that contains a link the same act at its target. */
export async function withResolved(acts: readonly Act[], { files }: Pick<Platform, "files">): Promise<readonly Act[]> {
  const paths = acts.filter(({ kind }) => kind === "read" || kind === "write").toSorted((a, b) => b.count - a.count);
  const more: Act[] = [];
  const known = new Map<string, string | undefined>();
  for (const act of paths) {
    if (!known.has(act.value)) {
      if (known.size >= MAX_LOOKUPS) continue;
      known.set(act.value, await orUndefined(files.realPath(act.value)));
    }
    const real = known.get(act.value);
    if (real !== undefined && real !== act.value && real !== "/") more.push({ ...act, value: real });
  }
  return [...acts, ...more];
}
