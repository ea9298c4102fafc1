/** What undoing may write, and how much is kept for it (SPEC E8). */

import { compilePermissions, type PermissionBases, type UndoConfig } from "../../manifests/mod.ts";
import type { Places } from "../places.ts";
import type { Grant } from "../policy/grant.ts";
import { toProtectionLayer } from "../policy/protect.ts";
import type { UndoBounds } from "./undo-store.ts";

const DAY_MS = 24 * 3_600_000;

export function undoBounds({ maxBytes, maxDays }: Omit<UndoConfig, "keep">): UndoBounds {
  return { maxBytes, maxAgeMs: maxDays * DAY_MS };
}

/**
 * The workspace, without what no tool and no plugin may write: whoever can change what was kept could do it there anyway, and
 * nowhere else.
 */
export function undoGrant({ root, workspace, protect }: Pick<Places, "root" | "workspace" | "protect">): Grant {
  const bases: PermissionBases = { base: root, workspace };
  const permissions = compilePermissions({ read: ["$workspace"], write: ["$workspace"] }, bases);
  return { layers: [{ name: "workspace", permissions, unnamed: "none", otherwise: "denied" }, ...protect.map(toProtectionLayer)] };
}
