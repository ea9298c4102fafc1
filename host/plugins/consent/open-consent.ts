/** Creates a host's consent from its options and its project. */

import type { GrantStore } from "../../project/grants/grants.ts";
import type { ConsentMode } from "./changes.ts";
import type { Places } from "../../project/places.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Registry } from "../../tools/registry.ts";
import { type Consent, type ConsentOptions, createConsent } from "./consent.ts";
import { LockFileError, openLock } from "./lock.ts";
import { createVersions } from "./versions.ts";

/** What is asked of a person when plugins change, and where the answers are kept (SPEC H6, H7). */
export interface ConsentConfig {
  /**
   * `strict`: whatever a plugin says anew of itself waits for a person. `fluent`: new tools, descriptions and schemas of a
   * local folder do not, as for an author at work. What asks for more waits in both. Default `strict`.
   */
  readonly mode: ConsentMode;
  /** In `bascule.lock`, beside `bascule.json`; else in memory, until the host is closed. Default: if there is a `bascule.json`. */
  readonly lock: boolean;
  /** What serves is written there, not only what a person decides. Default true. */
  readonly keep: boolean;
  /** Nothing runs that is not in the lock as it is. Default false. */
  readonly frozen: boolean;
}

/** What a host is made of that consent needs. */
export interface ConsentParts {
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
    ...(isWritten && { versions: createVersions(platform, `${places.state}/versions`) }),
    ...(registry && { names: registry.snapshot, onForgotten: () => registry.reserve(() => consent.keptNames()) }),
    grantsOf: (plugin, directory) =>
      grants.list().find((grant) => grant.plugin === plugin && grant.directory === directory)?.permissions ?? {},
  });
  registry?.reserve(() => consent.keptNames());
  registry?.onChange(() => consent.noteNames());
  await consent.refresh();
  return consent;
}
