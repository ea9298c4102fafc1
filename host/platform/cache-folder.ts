/** Where files are kept that may be deleted at any time: `$XDG_CACHE_HOME`, else `~/.cache`. */

import { homedir } from "node:os";
import { join } from "node:path";

export function cacheFolder(name: string): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "bascule", name);
}
