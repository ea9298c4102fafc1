/** Builds the command that grants the permissions that a plugin requests. */

import type { Permissions } from "../../../manifests/mod.ts";
import { shellWord } from "./paths.ts";
import { flagsFromPermissions } from "./permission-flags.ts";

/** Program name and folders for which the command is written. */
interface AdvicePlace {
  readonly program: string;
  readonly cwd: string;
  readonly workspace: string;
}

/** Returns, for example, `bascule grant words --allow-read=.`; undefined if no flag can express the permissions. */
export function grantAdvice(plugin: string, permissions: Permissions, place: AdvicePlace): string | undefined {
  const flags = flagsFromPermissions(permissions, place);
  return flags === "" ? undefined : `${place.program} grant ${shellWord(plugin)} ${flags}`;
}
