/** A row of the table that says which API a plugin sees in its types, and for which permission. */

import type { PermissionKind } from "../../../manifests/mod.ts";

/** Declarations that exist together. */
export interface ApiGroup {
  /** The kinds that the manifest must request, all of them; absent means that every plugin has it. */
  readonly needs?: readonly PermissionKind[];
  /** The kinds of which the manifest must request at least one. */
  readonly needsAny?: readonly PermissionKind[];
  /** TypeScript declarations, as they stand in a `.d.ts`. They follow Deno's own, so that code that one accepts the other does too. */
  readonly text: string;
}

/** The texts of the groups whose permissions are all requested, in the order of the table. */
export function textsFor(groups: readonly ApiGroup[], requested: ReadonlySet<PermissionKind>): readonly string[] {
  const isThere = ({ needs = [], needsAny }: ApiGroup): boolean =>
    needs.every((kind) => requested.has(kind)) && (needsAny?.some((kind) => requested.has(kind)) ?? true);
  return groups.filter(isThere).map(({ text }) => text.trim());
}
