/** Groups of API declarations in a plugin's types, with the permissions that each group needs. */

import type { PermissionKind } from "../../../manifests/mod.ts";

/** Declarations that exist together. */
export interface ApiGroup {
  /** Kinds that the manifest must request, all of them; absent if every plugin has the group. */
  readonly needs?: readonly PermissionKind[];
  /** Kinds of which the manifest must request at least one. */
  readonly needsAny?: readonly PermissionKind[];
  /** TypeScript declarations, as in a `.d.ts`. They match Deno's own, so that code that type-checks with one does with the other. */
  readonly text: string;
}

/** Returns the texts of the groups whose permissions are requested, in order. */
export function textsFor(groups: readonly ApiGroup[], requested: ReadonlySet<PermissionKind>): readonly string[] {
  const isThere = ({ needs = [], needsAny }: ApiGroup): boolean =>
    needs.every((kind) => requested.has(kind)) && (needsAny?.some((kind) => requested.has(kind)) ?? true);
  return groups.filter(isThere).map(({ text }) => text.trim());
}
