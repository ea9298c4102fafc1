/** Creates a host's consent from its options and its project. */

import type { GrantStore } from "../../project/grants/grants.ts";
import type { ConsentMode } from "./change.ts";
import type { Places } from "../../project/places.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Registry } from "../../tools/registry.ts";
import { type Consent, type ConsentOptions, createConsent } from "./consent.ts";
import { LockFileError, openLock } from "./lock.ts";
import { createVersions } from "./versions.ts";

/** Which plugin changes wait for the user, and where the user's decisions are kept (SPEC H6, H7). */
export interface ConsentConfig {
  /**
   * `strict`: every change of a plugin's declared texts waits for the user. `fluent`: new tools, descriptions and schemas of a local folder
   * serve at once, for its author. Requests for more permissions wait in both. Default `strict`.
   */
  readonly mode: ConsentMode;
  /** In `bascule.lock`, beside `bascule.json`; else in memory, until the host is closed. Default: if there is a `bascule.json`. */
  readonly lock: boolean;
  /** Writes every version that serves, not only the user's decisions. Default true. */
  readonly keep: boolean;
  /** Only versions in the lock run. Default false. */
  readonly frozen: boolean;
}

/** Parts of the host that consent uses. */
interface ConsentParts {
  readonly places: Places;
  readonly grants: GrantStore;
  readonly bases: ConsentOptions["bases"];
  /** Absent for a host without a registry. */
  readonly registry: Pick<Registry, "snapshot" | "onChange" | "reserve"> | undefined;
}

/** @throws {LockFileError} if `bascule.lock` is broken, or is missing in a frozen host. */
export async function openConsent(
  platform: Pick<Platform, "files" | "guarded" | "clock" | "random" | "log" | "environment" | "slices">,
  { places, grants, bases, registry }: ConsentParts,
  request: ConsentMode | Partial<ConsentConfig> = {},
): Promise<Consent> {
  const { mode = "strict", lock: isKept, keep, frozen = false } = typeof request === "string" ? { mode: request } : request;
  const isWritten = isKept ?? (frozen || places.project.path !== undefined);
  const lock = await openLock(platform, isWritten ? places.lockFile : undefined);
  if (frozen && !lock.exists())
    throw new LockFileError(`Cannot freeze: "${places.lockFile}" not found (start once without --frozen, or "bascule add" a plugin)`);
  const consent: Consent = createConsent({
    ...{ platform, lock, mode, frozen, bases, root: places.root },
    keep: (keep ?? true) && !frozen,
    isTrusted: (plugin) => places.project.config().trusted.some(({ name, digest }) => name === plugin && digest === undefined),
    ...(places.trust && { trust: places.trust }),
    ...(isWritten && { versions: createVersions(platform, places.versionsFolder) }),
    ...(registry && { names: registry.snapshot, onForgotten: () => registry.reserve(() => consent.keptNames()) }),
    grantsOf: (plugin, directory) =>
      grants.list().find((grant) => grant.plugin === plugin && grant.directory === directory)?.permissions ?? {},
  });
  registry?.reserve(() => consent.keptNames());
  registry?.onChange(() => consent.noteNames());
  await consent.refresh();
  return consent;
}
