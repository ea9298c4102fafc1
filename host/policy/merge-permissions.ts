/** Adds to and subtracts from a permission set, for `grant` and `revoke`. */

import type { PermissionEntry, PermissionItem, PermissionKind, Permissions, PermissionValue } from "../../manifests/mod.ts";
import { PERMISSION_KINDS } from "../../manifests/mod.ts";
import { defined } from "../primitives/defined.ts";

/** Merges both sets: allows what either allows, denies what either denies. */
export function mergePermissions(before: Permissions, added: Permissions): Permissions {
  const merged: { [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const value = mergeValues(before[kind], added[kind]);
    if (value !== undefined) merged[kind] = value;
  }
  return Object.freeze(merged);
}

/**
 * Returns the set without the items in `taken`, as written, or without a whole kind for `true`.
 *
 * @returns the same object if nothing is taken away.
 */
export function subtractPermissions(before: Permissions, taken: Permissions): Permissions {
  const left: { [K in PermissionKind]?: PermissionValue } = {};
  let changed = false;
  for (const kind of PERMISSION_KINDS) {
    const value = before[kind];
    if (value === undefined) continue;
    const rest = subtractValue(value, taken[kind]);
    if (rest !== undefined) left[kind] = rest;
    if (rest !== value) changed = true;
  }
  return changed ? Object.freeze(left) : before;
}

/** Returns only the denials of a set. */
export function denialsIn(permissions: Permissions): Permissions {
  const denied: { [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const { deny, ignore } = toEntry(permissions[kind] ?? {});
    if (deny === undefined && ignore === undefined) continue;
    denied[kind] = Object.freeze(defined({ deny, ignore }));
  }
  return Object.freeze(denied);
}

/** Returns true if the set allows anything. */
export function allowsSomething(permissions: Permissions): boolean {
  return PERMISSION_KINDS.some((kind) => {
    const { allow } = toEntry(permissions[kind] ?? false);
    return allow !== undefined && allow !== false && !(Array.isArray(allow) && allow.length === 0);
  });
}

function mergeValues(before: PermissionValue | undefined, added: PermissionValue | undefined): PermissionValue | undefined {
  if (before === undefined) return added;
  if (added === undefined) return before;
  const [left, right] = [toEntry(before), toEntry(added)];
  const allow = mergeItems(left.allow, right.allow);
  const deny = mergeItems(left.deny, right.deny);
  const ignore = mergeItems(left.ignore, right.ignore);
  const reason = right.reason ?? left.reason;
  if (deny === undefined && ignore === undefined && reason === undefined) return allow ?? false;
  return Object.freeze({
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(ignore === undefined ? {} : { ignore }),
    ...(reason === undefined ? {} : { reason }),
  });
}

function toEntry(value: PermissionValue): PermissionEntry {
  if (typeof value === "boolean" || isList(value)) return { allow: value };
  return value;
}

function mergeItems(
  left: boolean | readonly PermissionItem[] | undefined,
  right: boolean | readonly PermissionItem[] | undefined,
): boolean | readonly PermissionItem[] | undefined {
  if (left === true || right === true) return true;
  if (left === undefined || left === false) return right ?? left;
  if (right === undefined || right === false) return left;
  const items = new Map<string, PermissionItem>();
  for (const item of [...left, ...right]) items.set(JSON.stringify(item), item);
  return Object.freeze([...items.values()]);
}

function subtractValue(before: PermissionValue, taken: PermissionValue | undefined): PermissionValue | undefined {
  if (taken === undefined) return before;
  const [held, gone] = [toEntry(before), toEntry(taken)];
  const allow = subtractItems(held.allow, gone.allow);
  const deny = subtractItems(held.deny, gone.deny);
  if (allow === held.allow && deny === held.deny) return before;
  if (allow === undefined && deny === undefined) return undefined;
  if (deny === undefined && held.reason === undefined && held.ignore === undefined) return allow;
  const { allow: _allow, deny: _deny, ...others } = held;
  return Object.freeze({ ...others, ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) });
}

function subtractItems(
  held: boolean | readonly PermissionItem[] | undefined,
  gone: boolean | readonly PermissionItem[] | undefined,
): boolean | readonly PermissionItem[] | undefined {
  if (held === undefined || gone === undefined || gone === false) return held;
  if (gone === true) return undefined;
  // The set allows everything, and single items cannot be subtracted from that.
  if (typeof held === "boolean") return held;
  const names = new Set(gone.map((item) => JSON.stringify(item)));
  const left = held.filter((item) => !names.has(JSON.stringify(item)));
  if (left.length === held.length) return held;
  return left.length === 0 ? undefined : Object.freeze(left);
}

export function isList(value: unknown): value is readonly PermissionItem[] {
  return Array.isArray(value);
}
