/** A platform without a machine: files in memory, a clock moved by hand, seeded randomness, recorded output. */

import { isAtOrBelow } from "../../../manifests/mod.ts";
import type { WorkerLauncher } from "../../../sandbox/mod.ts";
import { fileError } from "../files/file-errors.ts";
import { createMemoryBusServer } from "./memory-bus.ts";
import { createMemoryClock } from "./memory-clock.ts";
import { createMemoryDatabases } from "./memory-databases.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { createMemoryGuarded } from "./memory-guarded.ts";
import { createMemoryHttp, type MemoryHttp } from "./memory-http.ts";
import { createMemoryStates } from "./memory-states.ts";
import { createMemoryJournals } from "./memory-journals.ts";
import { createMemoryProcesses, type MemoryProgram } from "./memory-processes.ts";
import { createMemoryNetwork, type MemoryNetworkOptions } from "./memory-network.ts";
import { createMemoryRunners, type MemoryRunner } from "./memory-runners.ts";
import { createMemoryPair, createMemorySockets } from "./memory-sockets.ts";
import { MemoryTree } from "./memory-tree.ts";
import { type Git, GitError } from "../processes/git-types.ts";
import type { Bundler } from "../bundling/bundler-types.ts";
import type { Buses } from "../bus/bus-types.ts";
import type { Environment, ProcessIdentity } from "../environment-types.ts";
import type { Isolation, LineConnection, Log, LogLevel, Platform, Random, Terminal, Watcher } from "../platform.ts";
import { createUuidv7 } from "../random.ts";
import { sharedNow } from "../threads/shared-clock.ts";
import { createSlices } from "../threads/slices.ts";
import type { ServerProcesses } from "../processes/server-process-types.ts";
import type { TrustedProcesses } from "../trusted/trusted-types.ts";
import { runningHash } from "../web-crypto.ts";

/** A file's contents, or another kind of entry. */
export type MemoryEntry = string | Uint8Array | { readonly link: string } | { readonly directory: true } | { readonly other: true };

export interface MemoryPlatformOptions {
  /** Entries by absolute path; folders above are created. */
  readonly files?: Readonly<Record<string, MemoryEntry>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Default `/workspace`. */
  readonly cwd?: string;
  /** Milliseconds since the epoch; default 2024-01-01. */
  readonly now?: number;
  readonly seed?: number;
  /** Answers of the user, in order. Without it the terminal is not interactive. */
  readonly answers?: readonly string[];
  /** Standard input. */
  readonly input?: string;
  readonly argv?: readonly string[];
  /** Names and servers. Without it every request is refused. */
  readonly network?: MemoryNetworkOptions;
  /** Runners by the name that starts them. */
  readonly runners?: Readonly<Record<string, MemoryRunner>>;
  /** Programs by absolute path; each appears as a file there. */
  readonly programs?: Readonly<Record<string, MemoryProgram>>;
  /** Servers that the hosts of a cluster share (`memory-bus.ts`). Default: one of its own. */
  readonly buses?: Buses;
  /** Real workers, for tests that run guests; they run in real time. */
  readonly workers?: WorkerLauncher;
}

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface MemoryPlatform extends Platform {
  readonly http: MemoryHttp;
  /** Advances the time and runs due timers. */
  advance(byMs: number): void;
  /** Adds an entry to the file system, as if from outside. */
  plant(path: string, entry: MemoryEntry): void;
  readonly recorded: {
    readonly log: readonly LogLine[];
    /** Output to stdout and stderr so far. */
    readonly out: () => string;
    readonly error: () => string;
    readonly asked: readonly string[];
    readonly exitCode: () => number | undefined;
  };
  /** Simulates Ctrl-C. */
  interrupt(): void;
  /** The other end of `terminal.lines()`. */
  readonly client: LineConnection;
}

const NEW_YEAR_2024 = Date.UTC(2024, 0, 1);

export function createMemoryPlatform(options: MemoryPlatformOptions = {}): MemoryPlatform {
  const { cwd = "/workspace", now = NEW_YEAR_2024, seed = 1, workers = noWorkers() } = options;
  const clock = createMemoryClock(now);
  const tree = new MemoryTree(() => clock.now());
  for (const folder of [cwd, "/tmp", "/home/user"]) tree.plant(folder, tree.directory(0o755));
  for (const [path, entry] of Object.entries(options.files ?? {})) plant(path, entry);
  for (const path of Object.keys(options.programs ?? {})) tree.plant(path, tree.file(new Uint8Array(), 0o755));
  const bytes = seededBytes(seed);
  const random: Random = { bytes, uuidv7: createUuidv7(clock, (into) => into.set(bytes(into.length))) };
  const terminal = createMemoryTerminal(options);
  const log: LogLine[] = [];
  const files = createMemoryFiles(tree);

  return {
    name: "memory",
    clock,
    random,
    // Real time: work that waited for the stopped clock would never end.
    slices: createSlices(sharedNow),
    sha256: runningHash,
    files,
    guarded: createMemoryGuarded(tree),
    environment: createMemoryEnvironment(cwd, options),
    watcher: createMemoryWatcher(tree),
    network: createMemoryNetwork(options.network),
    buses: options.buses ?? createMemoryBusServer(clock).buses,
    identities: async () => (await import("../bus/identities.ts")).createIdentities(),
    journals: createMemoryJournals((path) => plant(path, "")),
    states: createMemoryStates(
      (path) => plant(path, ""),
      (path) => void files.remove(path),
    ),
    databases: createMemoryDatabases({
      create: (path) => plant(path, ""),
      exists: async (path) => (await files.lstat(path)) !== undefined,
    }),
    sockets: createMemorySockets(),
    http: createMemoryHttp(),
    terminal: terminal.terminal,
    workers,
    isolation: NO_PROCESSES,
    processes: createMemoryProcesses(options.programs),
    runners: createMemoryRunners(options.runners),
    trusted: NO_TRUSTED,
    servers: NO_SERVERS,
    inspectSystem: () =>
      Promise.resolve({
        runtime: { name: "memory", version: "0", program: "" },
        cache: { folder: "/home/user/.cache/bascule", images: 0, bytes: 0 },
        watcher: { works: true },
        files: "compared",
      }),
    bundler: NO_BUNDLER,
    git: NO_GIT,
    log: createMemoryLog(log, {}),
    startAhead: () => undefined,
    advance: (byMs) => clock.advance(byMs),
    plant,
    recorded: { log, ...terminal.recorded },
    interrupt: terminal.interrupt,
    client: terminal.client,
  };

  function plant(path: string, entry: MemoryEntry): void {
    if (typeof entry === "string") tree.plant(path, tree.file(new TextEncoder().encode(entry), 0o644));
    else if (entry instanceof Uint8Array) tree.plant(path, tree.file(entry.slice(), 0o644));
    else if ("link" in entry) tree.plant(path, tree.link(entry.link));
    else tree.plant(path, "directory" in entry ? tree.directory(0o755) : tree.other());
    tree.changed(path);
  }
}

/** Servers that always fail to start. */
const NO_SERVERS: ServerProcesses = {
  start({ onEnd }) {
    queueMicrotask(() => onEnd("the memory platform has no processes", ""));
    return { send: () => false, stop: () => Promise.resolve() };
  },
  fetchFrom: () => () => Promise.reject(new TypeError("The memory platform has no network")),
  fetchSecurely: () => () => Promise.reject(new TypeError("The memory platform has no network")),
};

const MEMORY_PROCESS: ProcessIdentity = { pid: 1, startedAt: "1", machine: "memory", scope: "000000000000" };

function createMemoryEnvironment(cwd: string, options: MemoryPlatformOptions): Environment {
  const variables = new Map(Object.entries(options.env ?? {}));
  return {
    get: (name) => variables.get(name),
    names: () => [...variables.keys()],
    cwd,
    home: "/home/user",
    tmp: "/tmp",
    cache: "/home/user/.cache/bascule",
    config: "/home/user/.config/bascule",
    os: "linux",
    pid: 1,
    self: MEMORY_PROCESS,
    // No other process runs here.
    fateOf: ({ pid, scope }) => (scope !== MEMORY_PROCESS.scope ? "unknown" : pid === MEMORY_PROCESS.pid ? "alive" : "gone"),
    packageFolder: () => "/lib/bascule",
    argv: options.argv ?? [],
    command: ["/bin/node", "/bin/bascule.mjs"],
    runNode: ["/bin/node"],
  };
}

function createMemoryWatcher(tree: MemoryTree): Watcher {
  return {
    async watch(paths, onChange) {
      const stop = tree.onChange((path) => {
        if (paths.some((root) => isAtOrBelow(path, root))) onChange(path);
      });
      return { close: async () => stop() };
    },
  };
}

interface RecordedTerminal {
  readonly terminal: Terminal;
  readonly recorded: Omit<MemoryPlatform["recorded"], "log">;
  readonly interrupt: () => void;
  readonly client: LineConnection;
}

function createMemoryTerminal({ answers, input = "" }: MemoryPlatformOptions): RecordedTerminal {
  const waiting = [...(answers ?? [])];
  const asked: string[] = [];
  const interrupted: (() => void)[] = [];
  let out = "";
  let error = "";
  let exitCode: number | undefined;
  const [lines, client] = createMemoryPair();
  return {
    client,
    terminal: {
      interactive: answers !== undefined,
      outIsTerminal: answers !== undefined,
      color: false,
      columns: 80,
      out: (text) => void (out += text),
      error: (text) => void (error += text),
      drained: () => Promise.resolve(),
      flush: () => Promise.resolve(),
      async ask(prompt, signal, onOpen) {
        if (signal.aborted) return undefined;
        onOpen?.();
        asked.push(prompt);
        return waiting.shift();
      },
      lines: () => lines,
      async readInput(maxBytes) {
        if (new TextEncoder().encode(input).length > maxBytes) throw fileError("too_large");
        return input;
      },
      onInterrupt: (listener) => void interrupted.push(listener),
      exit: (code) => void (exitCode ??= code),
    },
    recorded: { out: () => out, error: () => error, asked, exitCode: () => exitCode },
    interrupt: () => interrupted.forEach((listener) => listener()),
  };
}

function createMemoryLog(lines: LogLine[], base: Readonly<Record<string, unknown>>): Log {
  return {
    write: (level, message, fields = {}) => void lines.push({ level, message, fields: { ...base, ...fields } }),
    child: (fields) => createMemoryLog(lines, { ...base, ...fields }),
  };
}

/** Mulberry32: small, and the same everywhere. */
function seededBytes(seed: number): (length: number) => Uint8Array {
  let state = seed >>> 0;
  return (length) => Uint8Array.from({ length }, nextByte);

  function nextByte(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff;
  }
}

function noWorkers(): WorkerLauncher {
  const refuse = (): never => {
    throw new Error("This memory platform has no workers: pass `workers` to createMemoryPlatform");
  };
  return {
    language: "en",
    runtime: "memory",
    timeZone: refuse,
    start: refuse,
    readEngine: refuse,
    readCache: refuse,
    writeCache: refuse,
    now: refuse,
    after: refuse,
  };
}

/** No program is installed in memory. */
const NO_BUNDLER: Bundler = {
  bundle: () => Promise.resolve({ ok: false, reason: "not_installed", message: "esbuild is not installed" }),
  denoGraph: () => Promise.resolve("Deno is not installed"),
  fetchPackages: () => Promise.resolve("neither npm nor Deno is installed"),
  pack: () => Promise.resolve({ ok: false, reason: "not_installed", message: "esbuild is not installed" }),
  withoutEsbuild: { reason: "which is not installed", advice: [] },
};

const NO_GIT: Git = { fetch: () => Promise.reject(new GitError("git is not installed")) };

/** No process can start in memory. */
const NO_TRUSTED: TrustedProcesses = {
  find: () => undefined,
  start: () => Promise.reject(new Error("This memory platform has no processes")),
};

const NO_PROCESSES: Isolation = {
  prepareProcesses: () => Promise.reject(new Error("This memory platform has no processes")),
  inspect: () => Promise.reject(new Error("This memory platform has no processes")),
};
