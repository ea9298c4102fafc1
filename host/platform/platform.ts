/**
 * All ambient authority, as interfaces (architecture, decision 2).
 *
 * `node.ts`, `deno.ts` and `memory.ts` implement them, the composition root hands them in; no other folder has `process`, `fetch`, timers.
 */

import type { Environment } from "./environment-types.ts";
import type { Holder, ProcessLauncher, WorkerLauncher } from "../../sandbox/mod.ts";
import type { Bundler } from "./bundling/bundler-types.ts";
import type { HttpServers } from "./network/http-types.ts";
import type { Git } from "./processes/git-types.ts";
import type { Journals } from "./files/journal-types.ts";
import type { Network } from "./network/network-types.ts";
import type { ProcessEnd, Processes } from "./processes/process-types.ts";
import type { CheckedPath } from "./proof.ts";
import type { ServerProcesses } from "./processes/server-process-types.ts";
import type { ServiceThreads } from "./threads/service-types.ts";
import type { TrustedProcesses } from "./trusted/trusted-types.ts";

/** Everything the host may touch; the only way to it. */
export interface Platform {
  readonly name: "node" | "deno" | "memory";
  readonly clock: Clock;
  readonly random: Random;
  readonly slices: Slices;
  /** Begins a SHA-256. */
  sha256(): RunningHash;
  /** The host's own files: plugin folders, `.bascule/`, `bascule.json`. Never reachable with a guest's path. */
  readonly files: Files;
  /** Files on behalf of a guest or a tool: only with a proof. */
  readonly guarded: GuardedFiles;
  /** HTTP on behalf of a guest: only with a proof. */
  readonly network: Network;
  readonly journals: Journals;
  /** Absent where work stays on the one thread there is: in programs that do one thing for one person, and in tests. */
  readonly services?: ServiceThreads;
  readonly environment: Environment;
  readonly watcher: Watcher;
  readonly sockets: LocalSockets;
  /** Doors for other programs. */
  readonly http: HttpServers;
  readonly terminal: Terminal;
  readonly workers: WorkerLauncher;
  readonly isolation: Isolation;
  /** Programs on behalf of a tool: only with a proof. */
  readonly processes: Processes;
  readonly runners: Runners;
  /** Processes for plugins that run natively. */
  readonly trusted: TrustedProcesses;
  /** MCP servers, whose tools the host offers. */
  readonly servers: ServerProcesses;
  /** For `bascule doctor`. */
  inspectSystem(): Promise<SystemFacts>;
  /** For `bascule vendor` and `bascule pack`. */
  readonly bundler: Bundler;
  /** For `bascule add`. */
  readonly git: Git;
  /** Structured log lines (pino on Node and Deno). */
  readonly log: Log;
}

/** Long work of the host's thread, done piece by piece between everything else that it does (SPEC LV2). */
export interface Slices {
  /**
   * Runs the work from `yield` to `yield`, in turn with all other work: together some milliseconds of each turn of the event loop.
   * What is done up to a `yield` should take less than a millisecond, as 64 KB do. @throws what the work throws
   */
  run<T>(work: Iterator<void, T>): Promise<T>;
}

/** A SHA-256 in the making. */
export interface RunningHash {
  update(piece: Uint8Array): void;
  /** In hexadecimal; to be called once. */
  hex(): string;
}

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds, monotonic, comparable across the host and its workers. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`; never keeps the process alive by itself. Returns a cancel function. */
  after(delayMs: number, task: () => void): () => void;
  /** Keeps the process alive, whatever else there is to wait for, until the returned function is called. */
  keepAlive(): () => void;
}

/** Cryptographically strong randomness. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** RFC 9562 version 7. */
  uuidv7(): string;
}

/** `other` is a FIFO, a socket or a device. */
export type FileKind = "file" | "directory" | "symlink" | "other";

/** What a file is. Times are milliseconds since the epoch; `device` and `inode` identify the file itself. */
export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly accessedMs: number;
  readonly createdMs: number;
  readonly device: number;
  readonly inode: number;
  /** Names that the file has. */
  readonly links: number;
}

/** One name in a folder; links are not followed. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** A file operation failed. `code` is the closed set a caller may see; no host path is in `message`. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  /** Of an act of the host's own: for the person at the terminal, and nobody else. */
  readonly path?: string;
  constructor(code: FileErrorCode, message: string, path?: string) {
    super(message);
    this.name = "FileError";
    this.code = code;
    if (path !== undefined) this.path = path;
  }
}

export const FILE_ERROR_CODES = [
  "not_found",
  "already_exists",
  "not_a_directory",
  "is_a_directory",
  "not_empty",
  "permission_denied",
  /** The grant does not allow where the path really leads. */
  "not_capable",
  /** Neither regular file nor directory: device, FIFO, socket. */
  "not_regular",
  "symlink_loop",
  "name_too_long",
  "too_large",
  "no_space",
  "invalid_path",
  /** Nobody waits for it any more. */
  "interrupted",
  "busy",
  "other",
] as const;
export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

/** The host's own file access. Paths are absolute. Failures throw `FileError`. */
export interface Files {
  readText(path: string): Promise<string>;
  readBytes(path: string, maxBytes?: number): Promise<Uint8Array>;
  /**
   * Writes a temporary file beside `path`, then renames it: readers see the old or the new text, never half. Takes away what processes
   * that were killed in the middle of this left in the folder; in a folder of more than 64 names now and then.
   */
  writeAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void>;
  /** False if there is something, a link too: of several who try, one succeeds. For its owner only. Readers see all of it or nothing. */
  createNew(path: string, text: string): Promise<boolean>;
  makeDirectory(path: string): Promise<void>;
  /** Recursive; a missing path is no error. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Follows links; undefined if there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Does not follow links; undefined if there is nothing. */
  lstat(path: string): Promise<FileInfo | undefined>;
  realPath(path: string): Promise<string>;
  /** Where the links are that are followed on the way to what is at the path, real but for the last part of each. */
  linksOn(path: string): Promise<readonly string[]>;
  /** True if a proof permits this place in whatever spelling its file system would find it (`spelling.ts`). */
  permitsPlace(checked: Pick<CheckedPath<"read" | "write">, "permits">, realPath: string): Promise<boolean>;
}

/** How a file is opened for writing. */
export interface WriteOptions {
  /** Default true. */
  readonly create?: boolean;
  /** Fail if it exists. */
  readonly createNew?: boolean;
  readonly append?: boolean;
  readonly mode?: number;
}

/** How a file is opened to be kept open. Without `write` and `append` it is only read. */
export interface OpenOptions extends Holder {
  readonly read: boolean;
  readonly write: boolean;
  /** Every write goes to the end. */
  readonly append: boolean;
  readonly truncate: boolean;
  readonly create: boolean;
  /** Fail if it exists. */
  readonly createNew: boolean;
  readonly mode?: number;
}

/** A file that was verified when it was opened and stays that very file. Places are bytes from its start. Failures throw `FileError`. */
/** Waited for before memory for so many bytes is taken. */
export type WaitForRoom = (bytes: number) => Promise<void>;

export interface GuardedFile {
  /** Fewer bytes than `length` if the file ends before; none at its end. They are the caller's alone. */
  read(position: number, length: number, makeRoom?: WaitForRoom): Promise<Uint8Array>;
  /** Writes all of it; "end" is for files that were opened to append. */
  write(data: Uint8Array, position: number | "end"): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileInfo>;
  /** Waits until what was written is on the disk. */
  sync(dataOnly: boolean): Promise<void>;
  setTimes(accessedMs: number, modifiedMs: number): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Attributes of a file beside its contents (`mode`: only permission bits); an absent one is left as it is. */
export interface FileFacts {
  readonly mode?: number;
  readonly modifiedMs?: number;
}

/** Of acts with many steps: asked between them, and true ends the act where it is, as `interrupted`. */
export interface MayEnd {
  readonly isOver?: () => boolean;
}

/**
 * File access that cannot be raced out of its grant: what is opened is verified to be what was checked, links that
 * leave the grant answer `not_capable`, devices, FIFOs, sockets and `/proc` answer `not_regular` (SPEC C4).
 */
export interface GuardedFiles {
  /** The bytes are the caller's alone. */
  readBytes(
    path: CheckedPath<"read">,
    options: { readonly maxBytes: number; readonly offset?: number; readonly length?: number; readonly makeRoom?: WaitForRoom },
  ): Promise<Uint8Array>;
  writeBytes(path: CheckedPath<"write">, data: Uint8Array, options: WriteOptions): Promise<void>;
  /** `too_large` past either bound; names are counted in UTF-16 units. */
  list(
    path: CheckedPath<"read">,
    options: { readonly maxEntries: number; readonly maxNamesLength?: number } & MayEnd,
  ): Promise<readonly DirectoryEntry[]>;
  stat(path: CheckedPath<"read">): Promise<FileInfo>;
  lstat(path: CheckedPath<"read">): Promise<FileInfo>;
  realPath(path: CheckedPath<"read">): Promise<string>;
  /** Where a link leads, as it is written in it. */
  readLink(path: CheckedPath<"read">): Promise<string>;
  /** Makes a link that holds this text, wherever that leads: no tool can ask for one, undoing puts back those that were removed. */
  makeLink(path: CheckedPath<"write">, target: string): Promise<void>;
  /** Gives the file `from` a further name, which undoing holds it by; neither is followed. `other` where the file system cannot. */
  addName(from: CheckedPath<"read">, to: CheckedPath<"write">): Promise<void>;
  /** Sets rights and times of the file or folder that is exactly there; no tool can ask for it, undoing puts them back. */
  setFacts(path: CheckedPath<"write">, facts: FileFacts): Promise<void>;
  makeDirectory(path: CheckedPath<"write">, options: { readonly recursive: boolean; readonly mode?: number }): Promise<void>;
  remove(path: CheckedPath<"write">, options: { readonly recursive: boolean } & MayEnd): Promise<void>;
  rename(from: CheckedPath<"write">, to: CheckedPath<"write">): Promise<void>;
  copy(from: CheckedPath<"read">, to: CheckedPath<"write">, options: { readonly maxBytes: number } & MayEnd): Promise<void>;
  truncate(path: CheckedPath<"write">, length: number): Promise<void>;
  /** Few are open at once, of all calls together: more answer `busy`. */
  openToRead(path: CheckedPath<"read">, options?: Holder): Promise<GuardedFile>;
  /** @param path a proof for reading as well, where `options.read` is set. */
  openToWrite(path: CheckedPath<"write">, options: OpenOptions): Promise<GuardedFile>;
}

/** Tells of changes below folders. */
export interface Watcher {
  /**
   * Watches folders recursively without following links. `onChange` gets absolute paths as they come, undebounced;
   * `onError` says that the watcher cannot be relied on any more (out of handles, a loop).
   */
  watch(paths: readonly string[], onChange: (path: string) => void, onError: (error: Error) => void): Promise<{ close(): Promise<void> }>;
}

/** A duplex stream of text, cut into lines. */
export interface LineConnection {
  send(line: string): void;
  /** One line, whose bytes are not copied; nothing comes between its pieces. */
  sendPieces(pieces: readonly (string | Uint8Array)[]): void;
  /** How much of what was sent still waits for the other side to read, in bytes or characters. */
  readonly unsent: number;
  /**
   * Lines longer than the cap end the connection. The next line comes when the listener's promise has resolved; the other side waits
   * meanwhile.
   */
  onLine(listener: LineListener): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Must not reject. */
export type LineListener = (line: string) => void | Promise<void>;

/** Connections between processes of one user on one machine. */
export interface LocalSockets {
  /** Binds a Unix socket with mode 0600 (a named pipe on Windows). @throws {FileError} `already_exists` if a live host listens there; a stale socket is replaced. */
  listen(path: string, onConnection: (connection: LineConnection) => void): Promise<{ close(): Promise<void> }>;
  /** Undefined if nobody listens. */
  connect(path: string): Promise<LineConnection | undefined>;
}

/** Programs that speak lines over their standard streams: a person's own, with all that the person may do (SPEC I6). */
export interface Runners {
  /** @throws {ProcessError} if it cannot be started. */
  start(
    command: readonly [file: string, ...args: string[]],
    /** `env` is all of its environment. Default: this process's own. */
    options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Runner>;
}

/** A runner that was started. */
export interface Runner {
  /** Closed when the runner is gone. */
  readonly connection: LineConnection;
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM for it and whatever it started, and SIGKILL if that does not end them. Idempotent. */
  stop(): void;
}

/** Processes of their own for guests, so that what breaks out of the engine meets nothing to steal. */
export interface Isolation extends Pick<ProcessLauncher, "prepareProcesses"> {
  /** What confines such a process on this system. @throws {Error} if none can be started. */
  inspect(): Promise<Confinement>;
}

/** How a sandbox's process is confined; found out by trying, never assumed. */
export interface Confinement {
  readonly runtime: "deno" | "node";
  readonly version: string;
  /** Absolute path. */
  readonly program: string;
  readonly system: "namespaces" | "network" | "none";
  readonly noNewPrivileges: boolean;
  /** For people, a line each. */
  readonly inForce: readonly string[];
  readonly leavesOpen: readonly string[];
}

/** What this system has and does, as far as bascule depends on it. */
export interface SystemFacts {
  readonly runtime: { readonly name: "node" | "deno" | "memory"; readonly version: string; readonly program: string };
  /** Absent where Deno is not installed. */
  readonly deno?: { readonly program: string; readonly version?: string };
  /** Of `images`, kept images of plugins and of the engine. */
  readonly cache: { readonly folder: string; readonly images: number; readonly bytes: number };
  readonly watcher: { readonly works: boolean; readonly problem?: string };
  /** What protects opened files from renaming: `kernel`: it says where each really is; `compared`: by device and inode. */
  readonly files: "kernel" | "compared";
}

/** The person at the terminal, if there is one. */
export interface Terminal {
  /** True if a person can be asked (stdin and stderr are a TTY). */
  readonly interactive: boolean;
  /** True if stdout is a TTY: a person reads there. */
  readonly outIsTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  /** All of it is written, whenever that can be. */
  out(text: string): void;
  /** Dropped, and counted, where standard error is too slow for it. `owner`: the plugin that it is of, which has a share of what may wait. */
  error(text: string, owner?: string): void;
  /** Resolves when little of what `out` was given waits, or the signal fires: for whoever writes more than a few results. */
  drained(signal: AbortSignal): Promise<void>;
  /** Before the program ends: waits for what `out` was given, and for a moment for the rest. */
  flush(): Promise<void>;
  /** Shows `prompt` on stderr and waits for a line; undefined if input ended or the signal fired. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** All of standard input as UTF-8. @throws {FileError} `too_large` if it is longer than `maxBytes`. */
  readInput(maxBytes: number): Promise<string>;
  /**
   * Standard input and output as one connection, for commands that speak a protocol there. From then on `out` writes to
   * stderr, so that nothing but the protocol is on stdout. Always the same connection.
   */
  lines(): LineConnection;
  /** Calls the listener at SIGINT and SIGTERM. */
  onInterrupt(listener: () => void): void;
  exit(code: number): void;
}

/** From least to most important. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A structured logger: one JSON object a line; guest text is data in a field, never part of the line's frame. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  child(fields: Readonly<Record<string, unknown>>): Log;
  /** Resolves when the lines are written, or a quarter of a second has passed in which none was: for the end of a program. */
  flush?(): Promise<void>;
}
