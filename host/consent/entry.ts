/** Entries of the lock, compared and made the same on every machine. */

import type { Permissions } from "../../manifests/mod.ts";
import type { PluginVersion } from "../tools/tool.ts";
import type { LockEntry } from "./lock-text.ts";

/** True if the entry is of this very version, signer included. */
export function isSame(base: Pick<LockEntry, "name" | "digest" | "signer">, version: PluginVersion): boolean {
  return base.name === version.name && base.digest === version.digest && base.signer === version.signedBy?.signer;
}

/** An entry that says the same is left as it is, with what only another machine knows of it. */
export function isNews(before: LockEntry | undefined, entry: LockEntry): boolean {
  if (before === undefined) return true;
  const keys = ["digest", "signer", "path", "rolledBackFrom", "version"] as const;
  return keys.some((key) => before[key] !== entry[key]) || JSON.stringify(before.origin) !== JSON.stringify(entry.origin);
}

/** A path as the lock has it. */
export function relative(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** Paths inside the project as they are on every machine. */
export function portable(permissions: Permissions, root: string): Permissions {
  return JSON.parse(JSON.stringify(permissions), (_key, value: unknown) => {
    // Strings that are no paths do not begin with an absolute path of this machine.
    if (typeof value !== "string" || !`${value}/`.startsWith(`${root}/`)) return value;
    return value === root ? "." : `./${value.slice(root.length + 1)}`;
  }) as Permissions;
}
