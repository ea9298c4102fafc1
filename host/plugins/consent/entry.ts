/** Compares lock entries and makes them independent of the machine. */

import { type LimitRequest, movedPath, type Permissions, relativeBelow } from "../../../manifests/mod.ts";
import { NO_LIMITS } from "../../policy/tool-limits.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { LockEntries, LockEntry } from "./lock-text.ts";

/** A loaded version, with what later versions are compared with. */
export type Served = Omit<LockEntry, "files" | "granted">;

/** An entry that may lack limits: it then keeps those accepted before. */
export type DraftEntry = Omit<LockEntry, "acceptedLimits"> & Partial<Pick<LockEntry, "acceptedLimits">>;

/** Returns true if the entry is exactly this version, signer included. */
export function isSame(base: Pick<LockEntry, "name" | "digest" | "signer">, version: PluginVersion): boolean {
  return base.name === version.name && base.digest === version.digest && base.signer === version.signedBy?.signer;
}

/** Returns true if the entry differs. An equal entry is not rewritten, so it keeps members written on another machine. */
function isNews(before: LockEntry | undefined, entry: LockEntry): boolean {
  if (before === undefined) return true;
  const keys = ["digest", "signer", "path", "rolledBackFrom", "version"] as const;
  const parts = ({ origin, acceptedLimits, declared: declaration, yields = [], keeps = [] }: LockEntry): string =>
    JSON.stringify([origin, acceptedLimits, declaration.limits, yields, keeps, declaration.about]);
  return keys.some((key) => before[key] !== entry[key]) || parts(before) !== parts(entry);
}

/** Returns the entries, as `named` makes them, that differ from the lock. Yields after each entry, because a lock may have thousands. */
export function* newsIn(
  before: LockEntries,
  entries: readonly LockEntry[],
  named: (entry: LockEntry) => LockEntry,
): Generator<void, Map<string, LockEntry>> {
  const news = new Map<string, LockEntry>();
  for (const entry of entries) {
    const now = named(entry);
    if (isNews(before.get(now.name), now)) news.set(now.name, now);
    yield;
  }
  return news;
}

/**
 * Returns the accepted limits for the version that replaces an entry. They belong to the name in its folder, or to the same bytes in any
 * folder; as with grants, another folder of the same name has none.
 */
export function keptLimits(
  before: Pick<LockEntry, KeptBy> | undefined,
  now: Pick<LockEntry, Exclude<KeptBy, "acceptedLimits">>,
): LimitRequest {
  if (before?.name !== now.name || (before.path !== now.path && before.digest !== now.digest)) return NO_LIMITS;
  return before.acceptedLimits;
}

type KeptBy = "name" | "path" | "digest" | "acceptedLimits";

/** Formats a path for the lock, relative to the root if inside. */
export function relative(path: string, root: string): string {
  return relativeBelow(path, root) ?? path;
}

/** Replaces paths inside the project by relative ones, which are the same on every machine. */
export function portable(permissions: Permissions, root: string): Permissions {
  // Below the root of the file system every path of a URL would look like a path inside the project.
  if (root === "/") return permissions;
  return JSON.parse(JSON.stringify(permissions), (_key, value: unknown) => {
    // Strings that are not paths do not start with an absolute path of this machine.
    return typeof value === "string" ? (movedPath(value, root, ".") ?? value) : value;
  }) as Permissions;
}
