/** Where a person's own configuration is: `$XDG_CONFIG_HOME`, else `~/.config`. */

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Absolute; need not be there. What lies in it decides what starts, so no tool may read or write it (`host/project/places.ts`). */
export function configFolder(): string {
  const { XDG_CONFIG_HOME: base = "" } = process.env;
  // The XDG specification has relative paths ignored.
  return join(isAbsolute(base) ? base : join(homedir(), ".config"), "bascule");
}
