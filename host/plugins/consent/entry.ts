/** Entries of the lock, compared and made the same on every machine. */

import type { LimitRequest, Permissions } from "../../../manifests/mod.ts";
import { NO_LIMITS } from "../../policy/tool-limits.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { LockEntries, LockEntry } from "./lock-text.ts";

/** What serves, as far as the next version is compared with it. */
export type Served = Omit<LockEntry, "files" | "granted">;

/** Without limits: those that were accepted before are kept. */
export type DraftEntry = Omit<LockEntry, "acceptedLimits"> & Partial<Pick<LockEntry, "acceptedLimits">>;

/** True if the entry is of this very version, signer included. */
export function isSame(base: Pick<LockEntry, "name" | "digest" | "signer">, version: PluginVersion): boolean {
  return base.name === version.name && base.digest === version.digest && base.signer === version.signedBy?.signer;
}

/** An entry that says the same is left as it is, with what only another machine knows of it. */
function isNews(before: LockEntry | undefined, entry: LockEntry): boolean {
  if (before === undefined) return true;
  const keys = ["digest", "signer", "path", "rolledBackFrom", "version"] as const;
  const parts = ({ origin, acceptedLimits, surface, yields = [], keeps = [] }: LockEntry): string =>
    JSON.stringify([origin, acceptedLimits, surface.limits, yields, keeps, surface.about]);
  return keys.some((key) => before[key] !== entry[key]) || parts(before) !== parts(entry);
}

/** The entries, as `named` makes them, that the lock does not have in this form. Yields after each: the lock may have thousands. */
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
 * What a person accepted of a plugin's limits, for the version that takes the entry's place. It belongs to the name in its folder, or to
 * the same bytes anywhere: another folder of the same name holds nothing, as with grants.
 */
export function keptLimits(
  before: Pick<LockEntry, KeptBy> | undefined,
  now: Pick<LockEntry, Exclude<KeptBy, "acceptedLimits">>,
): LimitRequest {
  if (before?.name !== now.name || (before.path !== now.path && before.digest !== now.digest)) return NO_LIMITS;
  return before.acceptedLimits;
}

type KeptBy = "name" | "path" | "digest" | "acceptedLimits";

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
