/** Where files are kept that may be deleted at any time: `$XDG_CACHE_HOME`, else `~/.cache`. */

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Absolute; need not be there. What lies in it is trusted by the next start, so no tool may write it (`host/project/places.ts`). */
export function cacheFolder(name = ""): string {
  const { XDG_CACHE_HOME: base = "" } = process.env;
  // The XDG specification has relative paths ignored.
  return join(isAbsolute(base) ? base : join(homedir(), ".cache"), "bascule", name);
}
