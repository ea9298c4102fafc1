/** The exact command that grants what a plugin asks for. */

import type { Permissions } from "../../../manifests/mod.ts";
import { shellWord } from "./paths.ts";
import { flagsFromPermissions } from "./permission-flags.ts";

/** Who types it, and where. */
export interface AdvicePlace {
  readonly program: string;
  readonly cwd: string;
  readonly workspace: string;
}

/** `bascule grant words --allow-read=.`; undefined if no flag expresses it. */
export function grantAdvice(plugin: string, permissions: Permissions, place: AdvicePlace): string | undefined {
  const flags = flagsFromPermissions(permissions, place);
  return flags === "" ? undefined : `${place.program} grant ${shellWord(plugin)} ${flags}`;
}
