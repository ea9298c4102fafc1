/** What was asked for or granted and never used (SPEC P9). */

import { type PermissionBases, type PermissionItem, type Permissions, toEntry } from "../../manifests/mod.ts";
import { type Act, LEARNED_KINDS, type LearnedKind } from "./acts.ts";
import { matches, queryOf } from "./maximum.ts";

/** One item that no recorded act needed; `true` is all of its kind. */
export interface UnusedItem {
  readonly kind: LearnedKind;
  readonly item: PermissionItem | true;
}

/** Acts that were refused count too: the permission was wanted. */
export function unusedItems(permissions: Permissions, acts: readonly Act[], bases: PermissionBases): readonly UnusedItem[] {
  return LEARNED_KINDS.flatMap((kind): readonly UnusedItem[] => {
    const { allow = false } = toEntry(permissions[kind] ?? false);
    const queries = acts.filter((act) => act.kind === kind).flatMap((act) => queryOf(act) ?? []);
    if (allow === true) return queries.length === 0 ? [{ kind, item: true }] : [];
    if (allow === false) return [];
    return allow.flatMap((item) => (queries.some((query) => matches(kind, item, query, bases)) ? [] : [{ kind, item }]));
  });
}
