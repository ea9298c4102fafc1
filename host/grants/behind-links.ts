/** Grants of paths that lead through links: a call's path must pass as it is written and where it leads (SPEC PA4, C3). */

import { normalizePath, type PermissionItem, type Permissions, type PermissionValue } from "../../manifests/mod.ts";
import { resolvePlace } from "../capabilities/mod.ts";
import type { Platform } from "../platform/platform.ts";

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
