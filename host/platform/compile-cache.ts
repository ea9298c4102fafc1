/** Keeps compiled code between starts: stripping and compiling the sources costs more than all else a worker does to begin. */

import { homedir } from "node:os";
import { join } from "node:path";
import * as nodeModule from "node:module";

/** In the user's own cache folder; a read-only home is fine. Deno keeps its own cache and has no such function. */
export function enableCompileCache(): void {
  if (typeof nodeModule.enableCompileCache === "function") nodeModule.enableCompileCache(join(homedir(), ".cache", "bascule", "compile"));
}
