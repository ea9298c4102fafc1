/** Opens undo for a host, as its project and its embedding program configure it: what is kept, and what an undo may write (SPEC E8). */

import { compilePermissions, type PermissionBases, type UndoConfig } from "../../../manifests/mod.ts";
import type { Places } from "../../project/places.ts";
import type { Grant } from "../../call/grant.ts";
import { toProtectionLayer } from "../../policy/protect.ts";
import { createUndoStore, type UndoBounds } from "./undo-store.ts";
import { createUndos, type Undos, type UndosOptions } from "./undos.ts";

const DAY_MS = 24 * 3_600_000;

interface OpenUndosOptions extends Pick<UndosOptions, "platform" | "service" | "emit" | "onDefect"> {
  readonly places: Places;
  /** The embedding program's setting; `undo.keep` of `bascule.json` overrides it. */
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
 * Grants the workspace without the paths that tools and plugins may not write: tampering with kept images gains no access to other places.
 */
function undoGrant({ root, workspace, protect }: Pick<Places, "root" | "workspace" | "protect">): Grant {
  const bases: PermissionBases = { base: root, workspace };
  const permissions = compilePermissions({ read: ["$workspace"], write: ["$workspace"] }, bases);
  return { layers: [{ name: "workspace", permissions, unnamed: "none", otherwise: "denied" }, ...protect.map(toProtectionLayer)] };
}
