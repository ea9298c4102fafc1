/** Grants permissions to a loaded plugin, and revokes them (SPEC C3). */

import type { EventBus } from "../../audit/event-bus.ts";
import type { Consent } from "./consent.ts";
import { linkOutOf, withPlacesBehindLinks } from "../../capabilities/files/behind-links.ts";
import type { GrantStore, StoredGrant } from "../../project/grants/grants.ts";
import { type JsonValue, parsePermissions, type Permissions, problemToText } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { type PluginDirectory, realDirectoryOf } from "../folder/mod.ts";

/** @throws {TypeError} if the plugin is not found, the permissions are not valid, or a link in the project leads out of it. */
export async function grantTo(
  plugin: string,
  permissions: Permissions,
  { directory, grants, consent, bus, files, root }: GrantParts,
): Promise<StoredGrant> {
  const status = directory.status().find(({ name }) => name === plugin);
  if (status === undefined) throw new TypeError(`Cannot grant to "${plugin}": plugin not found`);
  const parsed = parsePermissions(permissions);
  if (!parsed.ok) throw new TypeError(`Cannot grant to "${plugin}": ${parsed.problems.map(problemToText).join("; ")}`);
  // A plugin installed from elsewhere holds the grant for its current hash only.
  const isBound = (consent.entry(plugin)?.origin.kind ?? "folder") !== "folder";
  const given = await withPlacesBehindLinks(parsed.value, files);
  const leaving = linkOutOf(root, parsed.value, given);
  if (leaving !== undefined) throw new TypeError(`Cannot grant to "${plugin}": ${leaving}`);
  const place = realDirectoryOf(status);
  const stored = await grants.grant(plugin, place, given, isBound ? status.digest : undefined);
  // The grant applies to the plugin as it is now; a later version that requests more needs consent.
  const version = directory.serving(status.directory);
  if (version !== undefined && consent.entry(plugin) === undefined) await consent.remember(version, status.directory);
  else await consent.noteGrants(plugin, place);
  await bus.emitKept({
    type: "grant.changed",
    plugin,
    payload: { granted: toJson(given), permissions: toJson(stored.permissions) },
  });
  return stored;
}

/** Revokes permissions, places behind links included. @returns the number of changed grants. */
export async function revokeFrom(
  plugin: string,
  taken: Permissions | undefined,
  { directory, grants, consent, bus, files }: GrantParts,
): Promise<number> {
  const changed = await grants.revoke(plugin, taken && (await withPlacesBehindLinks(taken, files)));
  if (changed === 0) return changed;
  await bus.emitKept({ type: "grant.changed", plugin, payload: { revoked: true } });
  const status = directory.status().find(({ name }) => name === plugin);
  if (status) await consent.noteGrants(plugin, realDirectoryOf(status));
  return changed;
}

interface GrantParts {
  readonly directory: PluginDirectory;
  readonly grants: GrantStore;
  readonly consent: Consent;
  readonly bus: EventBus;
  readonly files: Platform["files"];
  /** The project's root, absolute. */
  readonly root: string;
}

/** Permissions as written are JSON; only their interfaces lack an index signature. */
function toJson(permissions: Permissions): JsonValue {
  return permissions as unknown as JsonValue;
}
