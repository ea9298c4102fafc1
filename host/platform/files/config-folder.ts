/** The folder of the user's configuration: `$XDG_CONFIG_HOME`, else `~/.config`. */

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns an absolute path; the folder may not exist. Its content decides what starts, so no tool may read or write it
 * (`host/project/places.ts`).
 */
export function configFolder(): string {
  const { XDG_CONFIG_HOME: base = "" } = process.env;
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(base) ? base : join(homedir(), ".config"), "bascule");
}
