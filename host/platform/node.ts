/** The platform on Node. */

import { createBundler } from "./bundling/bundler.ts";
import { createClock } from "./threads/clock.ts";
import { createEnvironment } from "./environment.ts";
import { createFiles } from "./files/files.ts";
import { createGuardedFiles } from "./files/guarded-files.ts";
import { createIsolation } from "./isolation/isolation.ts";
import { createJournals } from "./files/journals.ts";
import { createLinuxWalk, hasLinuxWalk } from "./files/linux-walk.ts";
import { createLog, type LogOptions } from "./log.ts";
import { createNetwork } from "./network/network.ts";
import type { Platform } from "./platform.ts";
import { createPortableWalk } from "./files/portable-walk.ts";
import { createProcesses } from "./processes/processes.ts";
import { createRandom } from "./random.ts";
import { createRunners } from "./processes/runners.ts";
import { createServerProcesses } from "./processes/server-processes.ts";
import { createServiceThreads } from "./threads/services.ts";
import { createSlices } from "./threads/slices.ts";
import { createSockets } from "./network/sockets.ts";
import { inspectSystem } from "./system-facts.ts";
import { createTerminal } from "./terminal.ts";
import { createTrustedProcesses } from "./trusted/trusted.ts";
import { createWatcher } from "./files/watcher.ts";
import { runningHash } from "./web-crypto.ts";
import { createWorkerLauncher } from "./threads/workers.ts";

export interface PlatformOptions {
  readonly log?: LogOptions;
  /** Whether the process does one thing for one user and ends, so that it may block on a disk. */
  readonly brief?: boolean;
}

export function createNodePlatform(options: PlatformOptions = {}): Platform {
  return assemble("node", options);
}

/** Assembles the parts that Node and Deno share: Deno runs `node:` modules. */
export function assemble(name: "node" | "deno", options: PlatformOptions): Platform {
  const clock = createClock();
  const environment = createEnvironment();
  return {
    name,
    clock,
    random: createRandom(clock),
    slices: createSlices(clock.monotonic),
    sha256: runningHash,
    files: createFiles(options.brief),
    guarded: createGuardedFiles(hasLinuxWalk() ? createLinuxWalk() : createPortableWalk(), environment.os),
    network: createNetwork(),
    journals: createJournals(),
    ...(options.brief !== true && { services: createServiceThreads() }),
    environment,
    watcher: createWatcher(),
    sockets: createSockets(),
    // Loaded by who serves: most hosts do not.
    http: { serve: async (options) => await (await import("./network/http-server.ts")).serveHttp(options) },
    terminal: createTerminal(),
    workers: createWorkerLauncher(),
    isolation: createIsolation(),
    processes: createProcesses(),
    runners: createRunners(),
    trusted: createTrustedProcesses(),
    servers: createServerProcesses(),
    inspectSystem,
    bundler: createBundler(),
    // Loaded by who fetches: most hosts do not.
    git: { fetch: async (options) => await (await import("./processes/git.ts")).createGit().fetch(options) },
    log: createLog(options.log),
  };
}
