/** Grants of paths that lead through links: a call's path must pass as it is written and where it leads (SPEC PA4, C3). */

import { normalizePath, type PermissionItem, type Permissions, type PermissionValue, printable, toEntry } from "../../../manifests/mod.ts";
import { isWithin } from "../../call/session.ts";
import { resolvePlace } from "../mod.ts";
import type { Platform } from "../../platform/platform.ts";

/**
 * The same set, where each absolute path that a person named has the place beside it that it leads to now, in what is denied too. The place
 * is written down: a link that leads elsewhere later has been granted nothing there. Patterns and `$tokens` stay as they are.
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
 * What is wrong with a grant that a link in the project would take out of it: a checkout brings its links along, and a person who grants
 * `notes.txt` means a file of the project. Nothing is wrong if the person named the place behind the link as well.
 *
 * @param root the project's, absolute. @param named as the person wrote it. @param given the same with the places behind links
 */
export function linkOutOf(root: string, named: Permissions, given: Permissions): string | undefined {
  for (const kind of ["read", "write"] as const) {
    const before = allowedPaths(named[kind]);
    const added = allowedPaths(given[kind]).filter((path) => !before.includes(path));
    const out = added.find((path) => !isWithin(path, root) && !before.some((own) => isWithin(path, own)));
    if (out !== undefined && before.some((path) => isWithin(path, root)))
      return `a link in the project leads out of it, to "${printable(out)}" (to allow that, name the place itself as well: --allow-${kind}=${printable(out)})`;
  }
  return undefined;
}

function allowedPaths(value: PermissionValue | undefined): readonly string[] {
  const { allow } = toEntry(value ?? {});
  return isList(allow) ? allow.filter((item) => typeof item === "string") : [];
}

async function partsOf(entry: object, files: Platform["files"]): Promise<object> {
  const parts = Object.entries(entry).filter(([, items]) => isList(items)) as readonly (readonly [string, readonly PermissionItem[]])[]; // Just asked.
  return Object.fromEntries(await Promise.all(parts.map(async ([part, items]) => [part, await placesOf(items, files)] as const)));
}

async function placesOf(items: readonly PermissionItem[], files: Platform["files"]): Promise<readonly PermissionItem[]> {
  const all: PermissionItem[] = [];
  for (const item of items) {
    all.push(item);
    const path = typeof item === "string" && item.startsWith("/") && !/[*?]/u.test(item) ? normalizePath(item, "/") : undefined;
    const real = path && (await resolvePlace(path, files));
    // A place whose name would be read as a pattern cannot be written down.
    if (real !== undefined && real !== path && !/[*?[\]{}]/u.test(real)) all.push(real);
  }
  return [...new Set(all)];
}

function isList(value: unknown): value is readonly PermissionItem[] {
  return Array.isArray(value);
}
