/** Builds the commands that grant permissions to a plugin and take them back. */

import type { Permissions } from "../../../manifests/mod.ts";
import { printable } from "../../primitives/text.ts";
import { shellWord } from "./paths.ts";
import { flagsFromPermissions } from "./permission-flags.ts";
import { permissionText } from "./permission-text.ts";

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

/** Returns one line for a grant that was stored without the user typing it, with the command that takes it back. */
export function grantedLine(plugin: string, permissions: Permissions, place: AdvicePlace): string {
  const flags = flagsFromPermissions(permissions, place);
  const undo = `${place.program} revoke ${shellWord(plugin)}${flags === "" ? "" : ` ${flags}`}`;
  return printable(`Granted: ${plugin} may ${permissionText(permissions, place.cwd)}. Undo: ${undo}`);
}
