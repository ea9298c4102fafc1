/** The part of the platform, on Node and Deno, that every program of bascule needs. Parts that few need are in `node.ts`. */

import { createEnvironment } from "./environment.ts";
import { createFiles } from "./files/files.ts";
import { createLog, type LogOptions } from "./log.ts";
import { createSockets } from "./network/sockets.ts";
import type { ClientPlatform } from "./platform.ts";
import { createTerminal } from "./terminal.ts";
import { createClock } from "./threads/clock.ts";
import { compileCacheVariable } from "./threads/compile-cache.ts";
import { startAhead } from "./threads/worker-thread.ts";

export interface PlatformOptions {
  readonly log?: LogOptions;
  /** Whether the process does one thing for one user and ends, so that it may block on a disk. */
  readonly brief?: boolean;
}

export function createClientPlatform(options: PlatformOptions = {}): ClientPlatform {
  return {
    name: "Deno" in globalThis ? "deno" : "node",
    clock: createClock(),
    files: createFiles(options.brief),
    environment: createEnvironment(),
    sockets: createSockets(),
    terminal: createTerminal(),
    log: createLog(options.log),
    startAhead: () => ("Deno" in globalThis ? undefined : startAhead(compileCacheVariable())),
  };
}
