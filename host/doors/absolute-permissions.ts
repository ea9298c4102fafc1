/** Rewrites a manifest's permissions for a grant: relative items are in the plugin's folder there, and in the project here (SPEC PA2). */

import {
  type PermissionItem,
  type PermissionKind,
  type PermissionValue,
  type Permissions,
  movedPath,
  normalizePath,
} from "../../manifests/mod.ts";
import { isList } from "../policy/merge-permissions.ts";

/** Returns the same set with `$plugin/…` for items in the plugin's folder, and absolute paths for items outside it. */
export function absolutePermissions(permissions: Permissions, folder: string): Permissions {
  const entries = Object.entries(permissions) as readonly (readonly [PermissionKind, PermissionValue])[]; // The keys of a permission set.
  return Object.fromEntries(entries.map(([kind, value]) => [kind, absoluteValue(kind, value, folder)]));
}

function absoluteValue(kind: PermissionKind, value: PermissionValue, folder: string): PermissionValue {
  if (typeof value === "boolean") return value;
  if (isList(value)) return value.map((item) => absoluteItem(kind, item, folder));
  return Object.fromEntries(
    Object.entries(value).map(([part, items]) => [part, isList(items) ? items.map((item) => absoluteItem(kind, item, folder)) : items]),
  );
}

function absoluteItem(kind: PermissionKind, item: PermissionItem, folder: string): PermissionItem {
  if (typeof item !== "string") return "name" in item ? { ...item, name: absoluteText(kind, item.name, folder) } : item;
  return absoluteText(kind, item, folder);
}

function absoluteText(kind: PermissionKind, text: string, folder: string): string {
  const isPath = kind === "run" ? text.includes("/") : kind === "read" || kind === "write" || kind === "ffi";
  if (!isPath || text.startsWith("$") || text.startsWith("/")) return text;
  const path = normalizePath(text, folder);
  if (path === undefined) return text;
  return movedPath(path, folder, "$plugin") ?? path;
}
