/** Refuses a call before a person is asked about effects that it cannot have, because nobody granted them yet (SPEC D1, C2). */

import type { PermissionLayer } from "../../manifests/mod.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import type { Grant } from "../call/grant.ts";

/** What grants can give a plugin that a person is asked about; what is executed can only be the host's. */
const ASKED_ABOUT = ["write", "net"] as const;
type AskedAbout = (typeof ASKED_ABOUT)[number];

const CODE_OF = { write: "fs_denied", net: "net_denied" } as const;

/**
 * The refusal of a plugin's call that could be granted to write or to connect, but holds nothing of it: a person's yes
 * would change nothing. A call that holds a part of it is left alone, and so is one that could never be granted any.
 */
export function checkUngranted(plugin: string | undefined, { layers }: Grant): ToolErrorData | undefined {
  const grantable = ASKED_ABOUT.filter((kind) => layers.every((layer) => isUsers(layer) || holds(layer, kind)));
  const [first] = grantable;
  if (plugin === undefined || first === undefined) return undefined;
  if (grantable.some((kind) => layers.every((layer) => holds(layer, kind)))) return undefined;
  return toolError(CODE_OF[first], `Requires ${first} access, of which nothing is granted to plugin "${plugin}"`, {
    hint: { text: `Grant it first: "bascule grant ${plugin}" says what the plugin asks for` },
  });
}

/** What this layer does not hold a person can still give. */
function isUsers({ otherwise }: PermissionLayer): boolean {
  return otherwise === "prompt";
}

/** Anything of the kind at all. Layers of policy have no opinion on what they do not name. */
function holds({ permissions, unnamed }: PermissionLayer, kind: AskedAbout): boolean {
  const entry = permissions.entries.get(kind);
  if (entry === undefined || entry.isDenyOnly === true) return unnamed === "transparent";
  return entry.allow === true || entry.allow.length > 0;
}
