/** Keeps compiled code between starts: stripping and compiling the sources costs more than all else a worker does to begin. */

import * as nodeModule from "node:module";

/** Where whoever started us says, by `NODE_COMPILE_CACHE`. A read-only home is fine. Deno keeps its own cache and has no such function. */
export function enableCompileCache(): void {
  if (typeof nodeModule.enableCompileCache !== "function") return;
  const { NODE_COMPILE_CACHE: folder } = process.env;
  if (folder !== undefined) nodeModule.enableCompileCache(folder);
}
