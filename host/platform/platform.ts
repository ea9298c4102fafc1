/**
 * All ambient authority, as interfaces (architecture, decision 2).
 *
 * `node.ts`, `deno.ts` and `memory.ts` implement them, and the composition root hands them in. No other folder uses `process`, `fetch` or
 * timers.
 */

import type { WorkerLauncher } from "../../sandbox/mod.ts";
import type { Databases } from "./databases/database-types.ts";
import type { Bundler } from "./bundling/bundler-types.ts";
import type { Buses } from "./bus/bus-types.ts";
import type { Identities } from "./bus/identity-types.ts";
import type { Files } from "./files/file-types.ts";
import type { GuardedFiles } from "./files/guarded-types.ts";
import type { Journals } from "./files/journal-types.ts";
import type { States } from "./files/state-types.ts";
import type { Watcher } from "./files/watcher-types.ts";
import type { Isolation } from "./isolation/isolation-types.ts";
import type { HttpServers } from "./network/http-types.ts";
import type { Network } from "./network/network-types.ts";
import type { LocalSockets } from "./network/socket-types.ts";
import type { Git } from "./processes/git-types.ts";
import type { Processes } from "./processes/process-types.ts";
import type { Runners } from "./processes/runner-types.ts";
import type { ServerProcesses } from "./processes/server-process-types.ts";
import type { Clock } from "./threads/clock-types.ts";
import type { ServiceThreads } from "./threads/service-types.ts";
import type { Slices } from "./threads/slices-types.ts";
import type { TrustedProcesses } from "./trusted/trusted-types.ts";
import type { Environment } from "./environment-types.ts";
import type { RunningHash } from "./hash-types.ts";
import type { Log } from "./log-types.ts";
import type { Random } from "./random-types.ts";
import type { SystemFacts } from "./system-facts-types.ts";
import type { Terminal } from "./terminal-types.ts";

export {
  type FileKind,
  type FileInfo,
  type DirectoryEntry,
  FileError,
  FILE_ERROR_CODES,
  type Files,
  type FileErrorCode,
} from "./files/file-types.ts";
export {
  type WriteOptions,
  type OpenOptions,
  type WaitForRoom,
  type GuardedFile,
  type FileFacts,
  type MayEnd,
  type GuardedFiles,
} from "./files/guarded-types.ts";
export { type Watcher } from "./files/watcher-types.ts";
export { type RunningHash } from "./hash-types.ts";
export { type Isolation, type Confinement } from "./isolation/isolation-types.ts";
export { type LogLevel, type Log } from "./log-types.ts";
export { type LineConnection, type LineListener, type LocalSockets } from "./network/socket-types.ts";
export { type Runners, type Runner } from "./processes/runner-types.ts";
export { type Random } from "./random-types.ts";
export { type SystemFacts } from "./system-facts-types.ts";
export { type Terminal } from "./terminal-types.ts";
export { type Clock } from "./threads/clock-types.ts";
export { type Slices } from "./threads/slices-types.ts";

/** The part of the outside that a client of a running host needs. Creating it loads little (`client.ts`). */
export interface ClientPlatform {
  readonly name: "node" | "deno" | "memory";
  readonly clock: Clock;
  /** The host's own files: plugin folders, `.bascule/`, `bascule.json`. Never reachable with a guest's path. */
  readonly files: Files;
  readonly environment: Environment;
  readonly sockets: LocalSockets;
  readonly terminal: Terminal;
  /** Structured log lines (pino on Node and Deno). */
  readonly log: Log;
  /** Starts a sandbox's first thread, so that it loads its code while the program loads its own. On Deno this would take as long. */
  readonly startAhead: () => void;
}

/** The host's only access to the outside. */
export interface Platform extends ClientPlatform {
  readonly random: Random;
  readonly slices: Slices;
  /** Begins a SHA-256. */
  sha256(): RunningHash;
  /** Files on behalf of a guest or a tool: only with a proof. */
  readonly guarded: GuardedFiles;
  /** HTTP on behalf of a guest: only with a proof. */
  readonly network: Network;
  /** Messages and values shared with the other hosts of a cluster. */
  readonly buses: Buses;
  /** Keys of members and callers of a cluster. Loaded at the first call. */
  identities(): Promise<Identities>;
  readonly journals: Journals;
  /** State that outlives the process. */
  readonly states: States;
  /** Databases of plugins, each in a process of its own. */
  readonly databases: Databases;
  /** Threads for large work. Absent in one-shot programs and in tests, where the calling thread does the work. */
  readonly services?: ServiceThreads;
  readonly watcher: Watcher;
  /** HTTP servers of the doors. */
  readonly http: HttpServers;
  readonly workers: WorkerLauncher;
  readonly isolation: Isolation;
  /** Programs on behalf of a tool: only with a proof. */
  readonly processes: Processes;
  readonly runners: Runners;
  /** Processes for plugins that run natively. */
  readonly trusted: TrustedProcesses;
  /** MCP servers, whose tools the host offers. */
  readonly servers: ServerProcesses;
  /** Inspects the system for `bascule doctor`. */
  inspectSystem(): Promise<SystemFacts>;
  /** Bundler of `bascule vendor` and `bascule pack`. */
  readonly bundler: Bundler;
  /** Git client of `bascule add`. */
  readonly git: Git;
}
