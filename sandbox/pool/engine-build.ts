/** Selects the engine build that runs guests, and gets it from the package, the cache or the rewriter. */

import { cacheFileName, seal, unseal } from "./cache-file.ts";
import { ENGINE_IMPORT } from "../engine/engine-imports.ts";
import { isRewritten, REWRITTEN_MEMORY_PAGES } from "../engine/engine.ts";
import { rewriteEngine, REWRITER_VERSION, type RewriteOptions } from "../wasm/rewrite.ts";
import type { WorkerLauncher } from "../wire/port.ts";

/** `metered`: rewritten, with page marks and fuel. `plain`: as published, used as the reference and the fallback. */
export type EngineBuild = "metered" | "plain";

/** Options for rewriting the engine. */
export const METERED_ENGINE: RewriteOptions = {
  barrier: true,
  meter: true,
  suspending: [ENGINE_IMPORT.shouldInterrupt, ENGINE_IMPORT.callFunction],
  exportTable: true,
  initialMemoryPages: REWRITTEN_MEMORY_PAGES,
};

/**
 * Returns the bytes of the engine's module. The rewritten module is made once (about 50 ms) and cached. If the cached file is damaged, it
 * is made again. An engine that the rewriter does not know runs as published.
 */
export async function loadEngine(
  launcher: Pick<WorkerLauncher, "readEngine" | "readCache" | "writeCache" | "sha256">,
  build: EngineBuild,
  onDefect: (message: string) => void,
): Promise<Uint8Array> {
  const published = await launcher.readEngine();
  if (build === "plain") return published;
  const recipe = new TextEncoder().encode(`rewriter ${REWRITER_VERSION} ${JSON.stringify(METERED_ENGINE)}`);
  const name = await cacheFileName([published, recipe], launcher.sha256);
  const file = await launcher.readCache(name);
  const kept = file === undefined ? undefined : await unseal(file, launcher.sha256);
  if (kept !== undefined) return kept;
  if (file !== undefined) onDefect(`The cached engine ${name} is damaged; rewriting it again`);
  try {
    const rewritten = rewriteEngine(new Uint8Array(published), METERED_ENGINE);
    await launcher.writeCache(name, await seal(rewritten));
    return rewritten;
  } catch (error) {
    onDefect(`Cannot rewrite the engine (${error instanceof Error ? error.message : String(error)}); it runs without a meter`);
    return published;
  }
}

/** Returns the build that a sandbox of this launcher gets, and the problem that was reported, if any. */
export async function engineInForce(
  launcher: Pick<WorkerLauncher, "readEngine" | "readCache" | "writeCache" | "sha256" | "engine">,
): Promise<{ readonly build: EngineBuild; readonly problem?: string }> {
  let problem: string | undefined;
  const module = await WebAssembly.compile(await loadEngine(launcher, launcher.engine ?? "metered", (message) => (problem = message)));
  return { build: isRewritten(module) ? "metered" : "plain", ...(problem !== undefined && { problem }) };
}
