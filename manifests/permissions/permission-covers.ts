/** Compares permission sets as written: containment and growth (SPEC M3, H6, PA3). */

import { itemToText, toEntry } from "./permission-compile.ts";
import { netContains, parseNetItem, type NetPattern } from "./permission-net.ts";
import { isSecretItem } from "./permission-parse.ts";
import { patternCovers, startsWith, toPathPattern, type PathPattern } from "./permission-path.ts";
import {
  isPathKind,
  PERMISSION_KINDS,
  type PermissionBases,
  type PermissionEntry,
  type PermissionItem,
  type PermissionKind,
  type Permissions,
} from "./permissions.ts";

/**
 * Returns the permissions of `inner` that `outer` does not allow, each as `read: ../x`; empty if `outer` covers `inner`.
 *
 * Patterns are compared by form: `**` and literal folders cover their contents, another pattern covers itself and the paths that
 * it matches. Without `bases` every token stands for a separate folder, and a relative item is below `$plugin`.
 *
 * @example
 * ```ts
 * coversPermissions({ read: ["$workspace"] }, { read: ["$workspace/docs", "/etc"] }); // ["read: /etc"]
 * ```
 */
export function coversPermissions(outer: Permissions, inner: Permissions, bases: PermissionBases = SYMBOLIC): readonly string[] {
  return uncovered(outer, inner, { bases, isLenient: true });
}

/** Returns the additional permissions of `after`: `+ read: /etc` for a new allowance, `- deny read: /etc` for a removed denial. */
export function permissionsDiff(before: Permissions, after: Permissions, bases: PermissionBases = SYMBOLIC): readonly string[] {
  const wider = uncovered(withoutDenials(before), after, { bases, isLenient: false }).map((line) => `+ ${line}`);
  const freed = uncovered(asAllowances(after), asAllowances(before), { bases, isLenient: false }).map((line) => `- deny ${line}`);
  return [...wider, ...freed];
}

/** Returns true if `after` allows anything that `before` did not. */
export function isWider(before: Permissions, after: Permissions, bases?: PermissionBases): boolean {
  return permissionsDiff(before, after, bases).length > 0;
}

/**
 * Stand-ins for unknown folders: disjoint, and so deep that no `..` of a relative item leads from one into another. U+E000 is a
 * private-use character, so they match no real path.
 */
const DEEP = "/\uE000".repeat(40);
const SYMBOLIC: PermissionBases = {
  base: `${DEEP}/plugin`,
  plugin: `${DEEP}/plugin`,
  workspace: "/\uE000workspace",
  data: "/\uE000data",
  tmp: "/\uE000tmp",
  home: "/\uE000home",
};

interface Comparison {
  readonly bases: PermissionBases;
  /** A literal path that matches a pattern of `outer` counts as covered, although a literal also includes its contents. */
  readonly isLenient: boolean;
}

function uncovered(outer: Permissions, inner: Permissions, how: Comparison): string[] {
  return PERMISSION_KINDS.flatMap((kind) => {
    const wanted = toEntry(inner[kind] ?? false).allow ?? false;
    const held = toEntry(outer[kind] ?? false);
    if (wanted === false) return [];
    if (wanted === true) return held.allow === true && held.deny !== true ? [] : [`${kind}: everything`];
    return wanted.filter((item) => !holds(kind, held, item, how)).map((item) => `${kind}: ${itemToText(item)}`);
  });
}

function holds(kind: PermissionKind, held: PermissionEntry, item: PermissionItem, how: Comparison): boolean {
  const { allow = false, deny = false } = held;
  if (deny === true || (deny !== false && deny.some((denied) => covers(kind, denied, item, { ...how, isLenient: true })))) return false;
  return allow === true || (allow !== false && allow.some((allowed) => covers(kind, allowed, item, how)));
}

function covers(kind: PermissionKind, outer: PermissionItem, inner: PermissionItem, how: Comparison): boolean {
  if (isPathKind(kind)) {
    const [wide, narrow] = [toPathPattern(itemToText(outer), how.bases), toPathPattern(itemToText(inner), how.bases)];
    return wide !== undefined && narrow !== undefined && pathContains(wide, narrow, how.isLenient);
  }
  if (kind === "net" || kind === "import") {
    const [wide, narrow] = [toNet(outer), toNet(inner)];
    return wide !== undefined && narrow !== undefined && netContains(wide, narrow);
  }
  if (typeof outer === "string") return nameCovers(kind, outer, typeof inner === "string" ? inner : "name" in inner ? inner.name : "");
  // A secret by reference never covers the plain value.
  if (!isSecretItem(outer) || typeof inner === "string" || !isSecretItem(inner) || outer.name !== inner.name) return false;
  return inner.hosts.every((host) => outer.hosts.some((held) => covers("net", held, host, how)));
}

function pathContains(outer: PathPattern, inner: PathPattern, isLenient: boolean): boolean {
  if (outer.glob.length === 0) return startsWith(inner.prefix, outer.prefix);
  const isSame =
    outer.prefix.length === inner.prefix.length && startsWith(inner.prefix, outer.prefix) && outer.glob.join("/") === inner.glob.join("/");
  if (isSame) return true;
  if (outer.glob.at(-1) === "**") return patternCovers(outer, inner.prefix, true);
  return isLenient && inner.glob.length === 0 && patternCovers(outer, inner.prefix, false);
}

function nameCovers(kind: PermissionKind, outer: string, inner: string): boolean {
  if (outer === inner) return true;
  if (kind === "env") return outer.endsWith("*") && inner.startsWith(outer.slice(0, -1));
  if (kind !== "tools") return false;
  return outer.endsWith(".*") ? inner.startsWith(outer.slice(0, -1)) : !outer.includes(".") && inner.split(".").at(-1) === outer;
}

function toNet(item: PermissionItem): NetPattern | undefined {
  if (typeof item !== "string" && isSecretItem(item)) return undefined;
  const outcome = parseNetItem(item);
  return outcome.ok ? outcome.value : undefined;
}

function withoutDenials(permissions: Permissions): Permissions {
  return mapEntries(permissions, ({ allow = false }) => ({ allow }));
}

/** Turns denials into allowances, so that a removed denial is found by the same comparison. */
function asAllowances(permissions: Permissions): Permissions {
  return mapEntries(permissions, ({ deny = false, ignore = false }) => {
    if (deny === true || ignore === true) return { allow: true };
    return { allow: [...(deny === false ? [] : deny), ...(ignore === false ? [] : ignore)] };
  });
}

function mapEntries(permissions: Permissions, map: (entry: PermissionEntry) => PermissionEntry): Permissions {
  const mapped: { [K in PermissionKind]?: PermissionEntry } = {};
  for (const kind of PERMISSION_KINDS) {
    const value = permissions[kind];
    if (value !== undefined) mapped[kind] = map(toEntry(value));
  }
  return mapped;
}
