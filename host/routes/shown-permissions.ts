/** Permissions of a grant, as plugins see them in their context. */

import { PERMISSION_KINDS, type Permissions } from "../../manifests/mod.ts";
import type { Grant } from "../call/grant.ts";

const SHOWN = new WeakMap<Grant, Permissions>();

/**
 * Returns the permissions to show: those of the last layer that names permissions, without kinds that another such layer lacks entirely.
 * Frozen, and the same object for the same grant.
 */
export function shownPermissions(grant: Grant): Permissions {
  const known = SHOWN.get(grant);
  if (known !== undefined) return known;
  const naming = grant.layers.filter(({ unnamed }) => unnamed === "none");
  const held = naming.at(-1)?.permissions.source;
  const kinds = PERMISSION_KINDS.filter((kind) => naming.every(({ permissions }) => permissions.entries.has(kind)));
  const shown: Permissions = Object.freeze(held === undefined ? {} : Object.fromEntries(kinds.map((kind) => [kind, held[kind]])));
  SHOWN.set(grant, shown);
  return shown;
}
