/** Runs the engine on the test's thread: base image, loaded plugins and calls without workers. */

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

/** The engine's published module. */
export const engineBytes: Uint8Array = new Uint8Array(
  readFileSync(fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))),
);
export const engineModule: WebAssembly.Module = new WebAssembly.Module(engineBytes);
/** The rewritten build with write barrier, meter and smaller memory. */
export const meteredModule: WebAssembly.Module = new WebAssembly.Module(rewriteEngine(engineBytes, METERED_ENGINE));

const bases = new Map<WebAssembly.Module, Promise<BaseImage>>();

/** Returns the base image, created once per test file and build. */
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
  /** Host functions of the guest. */
  readonly host: GuestHost;
  /** Restores the instance to its image, or to another one. */
  restore(image?: Image): void;
  /** Returns the first address at which memory differs from the image; undefined if none does (`differsFrom`). */
  differs(image?: Image): number | undefined;
  /** Calls an export with JSON arguments and returns the poll text (`guest/protocol.ts`). Runs jobs, but no timers or operations. */
  call(name: string, args?: unknown): string;
}

export interface InThreadOptions {
  /** CPU time in milliseconds after which guest code is interrupted. Wall time on Deno. CPU time does not depend on the machine's load. */
  readonly budgetMs?: number;
  readonly module?: WebAssembly.Module;
  /** Clock that guests see, in milliseconds. */
  readonly now?: () => number;
}

/** Environment with a fixed time and without randomness. */
const LOCAL: LocalEnvironment = { monotonicMs: () => 1, randomBytes: (length) => new Uint8Array(length), codec: zlibCodec };

/** Context of a call, as text like in a worker. */
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

/** Returns the CPU time of the thread in milliseconds. Deno does not provide it, so wall time is used there. */
function spentMs(): number {
  if (!("threadCpuUsage" in process)) return Date.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Loads one module as a plugin with 64 MiB of memory. */
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
  // Reading the CPU time costs a tenth of a short call. Short calls end before the first poll, so start counting there.
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
    moduleSource: () => ({ throws: "Dynamic imports are not supported here" }),
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
      // Locating a difference takes ten times as long as comparing, so do it only if there is one.
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

/** Calls an export, runs jobs, and returns the poll text. */
export function* callInSteps(instance: Instance, name: string, args: unknown, isLate: () => boolean = () => false): Steps<string> {
  const first = yield* instance.callEntry("invoke", ["main.js", name, JSON.stringify(args), CONTEXT], 1 << 22);
  while ((yield* instance.runJobs(1_000)) === 1_000 && !isLate());
  return first.startsWith("w") ? yield* instance.callEntry("poll", [], 1 << 22) : first;
}
