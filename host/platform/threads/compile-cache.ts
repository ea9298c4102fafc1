/** Caches compiled code between starts, because stripping and compiling the sources is the largest cost of starting a worker. */

import { mkdirSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { cacheFolder } from "../files/cache-folder.ts";
import { writableByOthers } from "../files/own-folder.ts";

/**
 * Uses a folder of compiled code, in a thread the one in `NODE_COMPILE_CACHE`, which is set by the thread that starts it. Deno keeps its own
 * cache and lacks this function.
 */
export function enableCompileCache(variable: { readonly NODE_COMPILE_CACHE?: string } = process.env): void {
  if (typeof nodeModule.enableCompileCache !== "function") return;
  const { NODE_COMPILE_CACHE: folder } = variable;
  if (folder !== undefined) nodeModule.enableCompileCache(folder);
}

/**
 * Returns the variable with the folder of compiled code; empty if another user could put code there, because it runs as it is.
 *
 * The path has no links: in a sticky folder, another user's link could lead elsewhere after the check.
 */
export function compileCacheVariable(): { readonly NODE_COMPILE_CACHE?: string } {
  try {
    const folder = cacheFolder("compile");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = realpathSync(folder);
    return writableByOthers(real) === undefined ? { NODE_COMPILE_CACHE: real } : {};
  } catch {
    // A home that is read-only or missing: nothing is cached.
    return {};
  }
}
