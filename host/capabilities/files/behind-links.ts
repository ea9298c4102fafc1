/** Grants of paths that contain links: a call's path must pass both as written and as resolved (SPEC PA4, C3). */

import {
  type PermissionItem,
  type PermissionValue,
  type Permissions,
  isAtOrBelow,
  normalizePath,
  printable,
  toEntry,
} from "../../../manifests/mod.ts";
import { isList } from "../../policy/merge-permissions.ts";
import { resolvePlace } from "../mod.ts";
import type { Platform } from "../../platform/platform.ts";

/**
 * Adds to each absolute path that the user named, also in denials, the place that it resolves to now. The place is stored: if the link is
 * changed later, its new target is not granted. Patterns and `$tokens` are left as they are.
 */
export async function withPlacesBehindLinks(permissions: Permissions, files: Platform["files"]): Promise<Permissions> {
  const changed: { -readonly [K in keyof Permissions]: PermissionValue } = {};
  for (const kind of ["read", "write"] as const) {
    const value = permissions[kind];
    if (value === undefined || typeof value === "boolean") continue;
    changed[kind] = isList(value) ? await placesOf(value, files) : { ...value, ...(await partsOf(value, files)) };
  }
  return { ...permissions, ...changed };
}

/**
 * Returns what is wrong with a grant if a link in the project leads out of it: a checkout brings its own links, and a user who grants
 * `notes.txt` means a file of the project. Returns undefined if the user named the place behind the link as well.
 *
 * @param root the project's root, absolute
 * @param named the permissions as the user wrote them
 * @param given the same with places behind links
 */
export function linkOutOf(root: string, named: Permissions, given: Permissions): string | undefined {
  for (const kind of ["read", "write"] as const) {
    const before = allowedPaths(named[kind]);
    const added = allowedPaths(given[kind]).filter((path) => !before.includes(path));
    const out = added.find((path) => !isAtOrBelow(path, root) && !before.some((own) => isAtOrBelow(path, own)));
    if (out !== undefined && before.some((path) => isAtOrBelow(path, root)))
      return `a link in the project leads out of it, to "${printable(out)}" (to allow that, name the place itself as well: --allow-${kind}=${printable(out)})`;
  }
  return undefined;
}

function allowedPaths(value: PermissionValue | undefined): readonly string[] {
  const { allow } = toEntry(value ?? {});
  return isList(allow) ? allow.filter((item) => typeof item === "string") : [];
}

async function partsOf(entry: object, files: Platform["files"]): Promise<object> {
  const parts = Object.entries(entry).filter(([, items]) => isList(items)) as readonly (readonly [string, readonly PermissionItem[]])[]; // Checked by the filter above.
  return Object.fromEntries(await Promise.all(parts.map(async ([part, items]) => [part, await placesOf(items, files)] as const)));
}

async function placesOf(items: readonly PermissionItem[], files: Platform["files"]): Promise<readonly PermissionItem[]> {
  const all: PermissionItem[] = [];
  for (const item of items) {
    all.push(item);
    const path = typeof item === "string" && item.startsWith("/") && !/[*?]/u.test(item) ? normalizePath(item, "/") : undefined;
    const real = path && (await resolvePlace(path, files));
    // A place whose name contains pattern characters cannot be written as an item.
    if (real !== undefined && real !== path && !/[*?[\]{}]/u.test(real)) all.push(real);
  }
  return [...new Set(all)];
}
