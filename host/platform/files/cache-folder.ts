/** The cache folder, whose files may be deleted at any time: `$XDG_CACHE_HOME`, else `~/.cache`. */

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns an absolute path; the folder may not exist. The next start trusts its content, so no tool may write to it
 * (`host/project/places.ts`).
 */
export function cacheFolder(name = ""): string {
  const { XDG_CACHE_HOME: base = "" } = process.env;
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(base) ? base : join(homedir(), ".cache"), "bascule", name);
}
