/** Refuses a call before its confirmation, if the effects to confirm are not possible because they were not granted yet (SPEC D1, C2). */

import type { PermissionLayer } from "../../manifests/mod.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import type { Grant } from "../call/grant.ts";

/** Effects that need a confirmation and that grants can give to a plugin. Only host tools can run programs. */
const ASKED_ABOUT = ["write", "net"] as const;
type AskedAbout = (typeof ASKED_ABOUT)[number];

const CODE_OF = { write: "fs_denied", net: "net_denied" } as const;

/**
 * Refuses a plugin's call that could be granted write or net access but has none of either: confirming it would have no effect. A call with
 * a partial grant passes, and so does one that could never be granted any.
 */
export function checkUngranted(plugin: string | undefined, { layers }: Grant): ToolErrorData | undefined {
  const grantable = ASKED_ABOUT.filter((kind) => layers.every((layer) => isUsers(layer) || holds(layer, kind)));
  const [first] = grantable;
  if (plugin === undefined || first === undefined) return undefined;
  if (grantable.some((kind) => layers.every((layer) => holds(layer, kind)))) return undefined;
  return toolError(CODE_OF[first], `Requires ${first} access, but plugin "${plugin}" has no such grant`, {
    details: { ungranted: first },
    hint: { text: `Grant it first: "bascule grant ${plugin}" lists what the plugin requests` },
  });
}

/** Returns whether the user can still grant what this layer lacks. */
function isUsers({ otherwise }: PermissionLayer): boolean {
  return otherwise === "prompt";
}

/** Returns whether the layer allows anything of the kind. Policy layers are neutral about kinds that they do not name. */
function holds({ permissions, unnamed }: PermissionLayer, kind: AskedAbout): boolean {
  const entry = permissions.entries.get(kind);
  if (entry === undefined || entry.isDenyOnly === true) return unnamed === "transparent";
  return entry.allow === true || entry.allow.length > 0;
}
