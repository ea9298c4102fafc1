/** The engine on the test's own thread: base image, loaded plugins and calls without workers. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeBaseImage } from "../../sandbox/image/base-image.ts";
import { type BaseImage, type Image, unchanged } from "../../sandbox/engine/image.ts";
import { differsFrom, memoryOf } from "../../sandbox/image/compare.ts";
import type { Restorer } from "../../sandbox/image/restorer.ts";
import { loadCompiler } from "../../sandbox/loading/compile.ts";
import { type GuestHost, NEVER_SUSPENDS } from "../../sandbox/engine/guest-host.ts";
import { atOnce, type Steps } from "../../sandbox/engine/steps.ts";
import { Instance } from "../../sandbox/engine/instance.ts";
import { loadPlugin } from "../../sandbox/worker/load.ts";
import { zlibCodec } from "../../host/platform/zlib-codec.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "../../sandbox/worker/operations/local-operations.ts";
import { METERED_ENGINE } from "../../sandbox/pool/engine-build.ts";
import { rewriteEngine } from "../../sandbox/wasm/rewrite.ts";

/** The engine's module as it is published. */
export const engineBytes: Uint8Array = new Uint8Array(
  readFileSync(fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))),
);
export const engineModule: WebAssembly.Module = new WebAssembly.Module(engineBytes);
/** The rewritten build: write barrier, meter, smaller memory. */
export const meteredModule: WebAssembly.Module = new WebAssembly.Module(rewriteEngine(engineBytes, METERED_ENGINE));

const bases = new Map<WebAssembly.Module, Promise<BaseImage>>();

/** The base image, made once for a test file and build. */
export function baseImage(module: WebAssembly.Module = engineModule): Promise<BaseImage> {
  const known = bases.get(module);
  if (known !== undefined) return known;
  const made = makeBaseImage(module);
  bases.set(module, made);
  return made;
}

export interface InThreadPlugin {
  readonly instance: Instance;
  readonly image: Image;
  /** What answers its guest. */
  readonly host: GuestHost;
  /** Puts the instance back to its image, or to another one. */
  restore(image?: Image): void;
  /** Where the memory is not the image's, if anywhere (`differsFrom`). */
  differs(image?: Image): number | undefined;
  /** Calls an export with JSON arguments; gives the poll text (`guest/call/protocol.ts`). Runs jobs, no timers, no operations. */
  call(name: string, args?: unknown): string;
}

export interface InThreadOptions {
  /** Guest code is interrupted after so long, in the thread's own time where that is known: a machine that many use is no reason. */
  readonly budgetMs?: number;
  readonly module?: WebAssembly.Module;
  /** What guests see as the time. */
  readonly now?: () => number;
}

/** Time stands still, and nothing is random. */
const LOCAL: LocalEnvironment = { monotonicMs: () => 1, randomBytes: (length) => new Uint8Array(length), codec: zlibCodec };

/** What a call is told. Text, as it arrives in a worker. */
const CONTEXT = JSON.stringify({
  cwd: "/",
  sessionId: "s",
  callId: "c",
  workspacePath: "/",
  settings: {},
  permissions: {},
  deadline: 0,
  limits: {},
});

/** Deno knows no thread's time. */
function spentMs(): number {
  if (!("threadCpuUsage" in process)) return Date.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Loads one module as a plugin. 64 MiB of memory. */
export async function loadInThread(
  source: string,
  makeRestorer: (base: BaseImage) => Restorer,
  options: InThreadOptions = {},
): Promise<InThreadPlugin> {
  const { budgetMs = 2_000, module = engineModule, now = Date.now } = options;
  const base = await baseImage(module);
  const restorer = makeRestorer(base);
  const instance = await Instance.start(module, base.facts, 1_024);
  restorer.restore(instance, unchanged(base));
  const files = new Map([["main.js", new TextEncoder().encode(source)]]);
  const loaded = loadPlugin(
    instance,
    restorer,
    {
      digest: "test",
      files,
      modules: new Map([["main.js", []]]),
      loadMs: 5_000,
      compiler: await loadCompiler(files, "load"),
      memoryBytes: 64 << 20,
    },
    spentMs,
  );
  if (!loaded.ok) throw new Error(`The plugin does not load: ${JSON.stringify(loaded.fault)}`);
  const { image: plugin } = loaded;
  let endBy: number | undefined;
  // Asking for the thread's time costs a tenth of a brief call, which is over before it is polled: it counts from the first poll on.
  const isLate = (): boolean => {
    const spent = spentMs();
    endBy ??= spent + budgetMs;
    return spent > endBy;
  };
  const host: GuestHost = {
    ...NEVER_SUSPENDS,
    hostCall: ([, operation, text, bytes]) =>
      LOCAL_OPERATIONS.get(operation)?.(text, bytes, LOCAL) ?? {
        answer: "vnull",
      },
    shouldInterrupt: isLate,
    now,
    moduleSource: () => ({ throws: "No dynamic imports here" }),
    moduleName: (_base, specifier) => specifier,
  };
  restorer.restore(instance, plugin);
  let clean: Uint8Array = new Uint8Array(0);
  return {
    instance,
    image: plugin,
    host,
    restore: (image = plugin) => restorer.restore(instance, image),
    differs(image = plugin) {
      const { bytes, stackPointer } = instance;
      if (image !== plugin) return differsFrom(instance, image, base);
      // Where it lies is only looked for where there is a difference, which takes ten times as long.
      if (clean.length !== bytes.length) clean = memoryOf(plugin, base, bytes.length);
      return stackPointer === base.facts.stackTop && Buffer.compare(bytes, clean) === 0 ? undefined : differsFrom(instance, plugin, base);
    },
    call(name, args = {}) {
      endBy = undefined;
      instance.host = host;
      try {
        return atOnce(callInSteps(instance, name, args, isLate));
      } finally {
        instance.close();
      }
    },
  };
}

/** Calls an export, runs jobs, and gives the poll text. */
export function* callInSteps(instance: Instance, name: string, args: unknown, isLate: () => boolean = () => false): Steps<string> {
  const first = yield* instance.callEntry("invoke", ["main.js", name, JSON.stringify(args), CONTEXT], 1 << 22);
  while ((yield* instance.runJobs(1_000)) === 1_000 && !isLate());
  return first.startsWith("w") ? yield* instance.callEntry("poll", [], 1 << 22) : first;
}
