/** A host's undoing, as its project and its embedding program say: what is kept, and what undoing may write (SPEC E8). */

import { compilePermissions, type PermissionBases, type UndoConfig } from "../../../manifests/mod.ts";
import type { Places } from "../../project/places.ts";
import type { Grant } from "../../call/grant.ts";
import { toProtectionLayer } from "../../policy/protect.ts";
import { createUndoStore, type UndoBounds } from "./undo-store.ts";
import { createUndos, type Undos, type UndosOptions } from "./undos.ts";

const DAY_MS = 24 * 3_600_000;

export interface OpenUndosOptions extends Pick<UndosOptions, "platform" | "service" | "emit" | "onDefect"> {
  readonly places: Places;
  /** What the embedding program says; `undo.keep` of `bascule.json` stands above it. */
  readonly isWanted: boolean;
}

export function openUndos({ places, isWanted, ...options }: OpenUndosOptions): Undos {
  const { project, state, workspace } = places;
  const store = createUndoStore(options.platform, state, () => boundsOf(project.config().undo));
  return createUndos({ ...options, store, workspace, grant: undoGrant(places), isKept: () => project.config().undo.keep ?? isWanted });
}

function boundsOf({ maxBytes, maxDays }: Omit<UndoConfig, "keep">): UndoBounds {
  return { maxBytes, maxAgeMs: maxDays * DAY_MS };
}

/**
 * The workspace, without what no tool and no plugin may write: whoever can change what was kept could do it there anyway, and
 * nowhere else.
 */
function undoGrant({ root, workspace, protect }: Pick<Places, "root" | "workspace" | "protect">): Grant {
  const bases: PermissionBases = { base: root, workspace };
  const permissions = compilePermissions({ read: ["$workspace"], write: ["$workspace"] }, bases);
  return { layers: [{ name: "workspace", permissions, unnamed: "none", otherwise: "denied" }, ...protect.map(toProtectionLayer)] };
}
