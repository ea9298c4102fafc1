/** The engine on the test's own thread: base image, loaded plugins and calls without workers. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeBaseImage } from "../../sandbox/base-image.ts";
import type { Image, Restorer } from "../../sandbox/image.ts";
import { Instance } from "../../sandbox/instance.ts";
import { loadPlugin } from "../../sandbox/load.ts";
import { LOCAL_OPERATIONS } from "../../sandbox/local-operations.ts";
import { METERED_ENGINE } from "../../sandbox/engine-build.ts";
import { rewriteEngine } from "../../sandbox/wasm/rewrite.ts";

/** The engine's module as it is published. */
export const engineBytes: Uint8Array = new Uint8Array(
  readFileSync(fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))),
);
export const engineModule: WebAssembly.Module = new WebAssembly.Module(engineBytes);
/** The rewritten build: write barrier, meter, smaller memory. */
export const meteredModule: WebAssembly.Module = new WebAssembly.Module(rewriteEngine(engineBytes, METERED_ENGINE));

const bases = new Map<WebAssembly.Module, Promise<Image>>();

/** The base image, made once for a test file and build. */
export function baseImage(module: WebAssembly.Module = engineModule): Promise<Image> {
  const known = bases.get(module);
  if (known !== undefined) return known;
  const made = makeBaseImage(module);
  bases.set(module, made);
  return made;
}

export interface InThreadPlugin {
  readonly instance: Instance;
  readonly image: Image;
  /** Calls an export with JSON arguments; gives the poll text (`guest/protocol.ts`). Runs jobs, no timers, no operations. */
  call(name: string, args?: unknown): string;
}

export interface InThreadOptions {
  /** Guest code is interrupted after so long. */
  readonly budgetMs?: number;
  readonly module?: WebAssembly.Module;
  /** What guests see as the time. */
  readonly now?: () => number;
}

/** Loads one module as a plugin. 64 MiB of memory. */
export async function loadInThread(source: string, restorer: Restorer, options: InThreadOptions = {}): Promise<InThreadPlugin> {
  const { budgetMs = 2_000, module = engineModule, now = Date.now } = options;
  const image = await baseImage(module);
  const instance = await Instance.start(module, image.facts, 1_024);
  restorer.restore(instance, image, undefined);
  const files = new Map([["main.js", new TextEncoder().encode(source)]]);
  const loaded = loadPlugin(
    instance,
    image,
    { digest: "test", files, modules: new Map([["main.js", []]]), loadMs: 5_000, memoryBytes: 64 << 20 },
    Date.now,
  );
  if (!loaded.ok) throw new Error(`The plugin does not load: ${JSON.stringify(loaded.fault)}`);
  const { image: plugin } = loaded;
  restorer.restore(instance, plugin, image);
  return {
    instance,
    image: plugin,
    call(name, args = {}) {
      const endBy = Date.now() + budgetMs;
      instance.host = {
        hostCall: (_id, operation, text, bytes) =>
          LOCAL_OPERATIONS.get(operation)?.(text, bytes, { monotonicMs: () => 1, randomBytes: (length) => new Uint8Array(length) }) ?? {
            answer: "vnull",
          },
        shouldInterrupt: () => Date.now() > endBy,
        now,
        moduleSource: () => ({ throws: "No dynamic imports here" }),
        moduleName: (_base, specifier) => specifier,
      };
      const context = {
        cwd: "/",
        sessionId: "s",
        callId: "c",
        workspacePath: "/",
        settings: {},
        permissions: {},
        deadline: 0,
        limits: {},
      };
      try {
        const first = instance.callEntry("invoke", [JSON.stringify({ module: "main.js", export: name, args, context })], 1 << 22);
        while (instance.runJobs(1_000) === 1_000 && Date.now() < endBy);
        return first.startsWith("w") ? instance.callEntry("poll", [], 1 << 22) : first;
      } finally {
        instance.close();
      }
    },
  };
}
