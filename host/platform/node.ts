/** The platform on Node. */

import { createBundler } from "./bundling/bundler.ts";
import { createClientPlatform, type PlatformOptions } from "./client.ts";
import { createDatabases } from "./databases/databases.ts";
import { createGuardedFiles } from "./files/guarded-files.ts";
import { createIsolation } from "./isolation/isolation.ts";
import { createJournals } from "./files/journals.ts";
import { createLinuxWalk, hasLinuxWalk } from "./files/linux-walk.ts";
import { createNetwork } from "./network/network.ts";
import type { ClientPlatform, Platform } from "./platform.ts";
import { createPortableWalk } from "./files/portable-walk.ts";
import { createProcesses } from "./processes/processes.ts";
import { createRandom } from "./random.ts";
import { createRunners } from "./processes/runners.ts";
import { createServerProcesses } from "./processes/server-processes.ts";
import { createServiceThreads } from "./threads/services.ts";
import { createSlices } from "./threads/slices.ts";
import { inspectSystem } from "./system-facts.ts";
import { createStates } from "./files/states.ts";
import { createTrustedProcesses } from "./trusted/trusted.ts";
import { createWatcher } from "./files/watcher.ts";
import { runningHash } from "./web-crypto.ts";
import { createWorkerLauncher } from "./threads/workers.ts";

/** @param client the part that exists already */
export function createNodePlatform(options: PlatformOptions = {}, client: ClientPlatform = createClientPlatform(options)): Platform {
  return assemble({ ...client, name: "node" }, options);
}

/** Assembles the parts that Node and Deno share: Deno runs `node:` modules. */
export function assemble(client: ClientPlatform, options: PlatformOptions): Platform {
  const { clock, environment, log } = client;
  return {
    ...client,
    random: createRandom(clock),
    slices: createSlices(clock.monotonic),
    sha256: runningHash,
    guarded: createGuardedFiles(hasLinuxWalk() ? createLinuxWalk() : createPortableWalk(), environment.os),
    network: createNetwork(),
    // Loaded by hosts that join a cluster: most do not.
    buses: { connect: async (options) => await (await import("./bus/nats-bus.ts")).connectNats(options) },
    identities: async () => (await import("./bus/identities.ts")).createIdentities(),
    journals: createJournals(),
    states: createStates(),
    databases: createDatabases({ clock, log }),
    ...(options.brief !== true && { services: createServiceThreads() }),
    watcher: createWatcher(),
    // Loaded by who serves: most hosts do not.
    http: { serve: async (options) => await (await import("./network/http-server.ts")).serveHttp(options) },
    workers: createWorkerLauncher(options.brief),
    isolation: createIsolation(),
    processes: createProcesses(),
    runners: createRunners(),
    trusted: createTrustedProcesses(),
    servers: createServerProcesses(),
    inspectSystem,
    bundler: createBundler(),
    // Loaded by who fetches: most hosts do not.
    git: { fetch: async (options) => await (await import("./processes/git.ts")).createGit().fetch(options) },
  };
}
