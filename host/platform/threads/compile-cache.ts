/** Caches compiled code between starts, because stripping and compiling the sources is the largest cost of starting a worker. */

import { mkdirSync } from "node:fs";
import * as nodeModule from "node:module";
import { cacheFolder } from "../files/cache-folder.ts";
import { writableByOthers } from "../files/own-folder.ts";

/**
 * Uses the folder in `NODE_COMPILE_CACHE`, set by the parent process. A read-only home is fine. Deno keeps its own cache and lacks this
 * function.
 */
export function enableCompileCache(): void {
  if (typeof nodeModule.enableCompileCache !== "function") return;
  const { NODE_COMPILE_CACHE: folder } = process.env;
  if (folder !== undefined) nodeModule.enableCompileCache(folder);
}

/** Returns the variable for threads that cache compiled code; empty if another user could put code there. */
export function compileCacheVariable(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = cacheFolder("compile");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return writableByOthers(folder) === undefined ? { NODE_COMPILE_CACHE: folder } : {};
  } catch {
    // A read-only home: nothing is cached.
    return {};
  }
}
