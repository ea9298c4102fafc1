/** Grants permissions to a plugin that is there (SPEC C3). */

import type { EventBus } from "./audit/event-bus.ts";
import type { GrantStore, StoredGrant } from "./grants.ts";
import { type JsonValue, parsePermissions, type Permissions, problemToText } from "../manifests/mod.ts";
import type { PluginDirectory } from "./sources/directory/mod.ts";

/** @throws {TypeError} if there is no such plugin or the permissions are wrong. */
export async function grantTo(
  plugin: string,
  permissions: Permissions,
  { directory, grants, bus }: { readonly directory: PluginDirectory; readonly grants: GrantStore; readonly bus: EventBus },
): Promise<StoredGrant> {
  const status = directory.status().find(({ name }) => name === plugin);
  if (status === undefined) throw new TypeError(`Cannot grant to "${plugin}": no such plugin`);
  const parsed = parsePermissions(permissions);
  if (!parsed.ok) throw new TypeError(`Cannot grant to "${plugin}": ${parsed.problems.map(problemToText).join("; ")}`);
  const stored = await grants.grant(plugin, status.directory, parsed.value);
  bus.emit({ type: "grant.changed", plugin, payload: { granted: toJson(parsed.value), permissions: toJson(stored.permissions) } });
  return stored;
}

/** Permissions as written are JSON; their interfaces just have no index signature. */
function toJson(permissions: Permissions): JsonValue {
  return permissions as unknown as JsonValue;
}
