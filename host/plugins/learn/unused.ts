/** Permissions that were requested or granted and never used (SPEC P9). */

import { type PermissionBases, type PermissionItem, type Permissions, toEntry } from "../../../manifests/mod.ts";
import { type Act, LEARNED_KINDS, type LearnedKind } from "../../audit/acts.ts";
import { allowing, queryOf } from "./maximum.ts";

/** One item that no recorded act needed; `true` means the whole kind. */
export interface UnusedItem {
  readonly kind: LearnedKind;
  readonly item: PermissionItem | true;
}

/** Refused acts count as use, because the plugin wanted the permission. */
export function unusedItems(permissions: Permissions, acts: readonly Act[], bases: PermissionBases): readonly UnusedItem[] {
  const work = unusedSlices(permissions, acts, bases);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same as `unusedItems` in slices (SPEC LV2). */
export function* unusedSlices(
  permissions: Permissions,
  acts: readonly Act[],
  bases: PermissionBases,
): Generator<void, readonly UnusedItem[]> {
  const unused: UnusedItem[] = [];
  for (const kind of LEARNED_KINDS) {
    const { allow = false } = toEntry(permissions[kind] ?? false);
    const queries = acts.filter((act) => act.kind === kind).flatMap((act) => queryOf(act) ?? []);
    if (allow === true && queries.length === 0) unused.push({ kind, item: true });
    for (const item of typeof allow === "boolean" ? [] : allow) {
      const allows = allowing(kind, item, bases);
      let isUsed = false;
      for (let index = 0; index < queries.length && !isUsed; index++) {
        const query = queries[index];
        isUsed = query !== undefined && allows(query);
        yield;
      }
      if (!isUsed) unused.push({ kind, item });
    }
  }
  return unused;
}
