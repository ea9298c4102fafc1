/** Caches compiled code between starts, because stripping and compiling the sources is the largest cost of starting a worker. */

import * as nodeModule from "node:module";

/**
 * Uses the folder in `NODE_COMPILE_CACHE`, set by the parent process. A read-only home is fine. Deno keeps its own cache and lacks this
 * function.
 */
export function enableCompileCache(): void {
  if (typeof nodeModule.enableCompileCache !== "function") return;
  const { NODE_COMPILE_CACHE: folder } = process.env;
  if (folder !== undefined) nodeModule.enableCompileCache(folder);
}
