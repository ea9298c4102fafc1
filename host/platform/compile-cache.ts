/** Keeps compiled code between starts: stripping and compiling the sources costs more than all else a worker does to begin. */

import * as nodeModule from "node:module";
import { cacheFolder } from "./cache-folder.ts";

/** A read-only home is fine. Deno keeps its own cache and has no such function. */
export function enableCompileCache(): void {
  if (typeof nodeModule.enableCompileCache === "function") nodeModule.enableCompileCache(cacheFolder("compile"));
}
