/** Reads files of a plugin's folder, never one outside of it, even if links change meanwhile. */

import { compilePermissions } from "../../../manifests/mod.ts";
import { checkPath } from "../../capabilities/checked.ts";
import { FileError, type GuardedFiles } from "../../platform/platform.ts";
import type { RefusalContext } from "../../capabilities/refusal.ts";

/**
 * Reads one file by its absolute path.
 * @throws {FileError} `not_capable` if it leads out of the folder
 */
export type OwnFileReader = (path: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Creates a reader with a grant for this one folder, so that the host's own reads pass the same check as a guest's: the opened file's real
 * path is checked (FACTS, files).
 *
 * @param directory real path of the plugin's folder
 */
export function createOwnFileReader(guarded: Pick<GuardedFiles, "readBytes">, directory: string): OwnFileReader {
  const permissions = compilePermissions({ read: ["$plugin"] }, { base: directory, plugin: directory });
  const context: RefusalContext = {
    grant: { layers: [{ name: "plugin folder", permissions, unnamed: "none", otherwise: "denied" }] },
    cwd: directory,
  };
  return async (path, maxBytes) => {
    const checked = checkPath("read", path, context);
    if (!checked.ok) throw new FileError("not_capable", "Leads out of the plugin's folder");
    return await guarded.readBytes(checked.path, { maxBytes });
  };
}
