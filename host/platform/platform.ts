/**
 * All ambient authority, as interfaces (architecture, decision 2).
 *
 * `node.ts`, `deno.ts` and `memory.ts` implement them, and the composition root hands them in. No other folder uses `process`, `fetch` or
 * timers.
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

/** The host's only access to the outside. */
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
  /** Threads for large work. Absent in one-shot programs and in tests, where the calling thread does the work. */
  readonly services?: ServiceThreads;
  readonly environment: Environment;
  readonly watcher: Watcher;
  readonly sockets: LocalSockets;
  /** HTTP servers of the doors. */
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
  /** Inspects the system for `bascule doctor`. */
  inspectSystem(): Promise<SystemFacts>;
  /** Bundler of `bascule vendor` and `bascule pack`. */
  readonly bundler: Bundler;
  /** Git client of `bascule add`. */
  readonly git: Git;
  /** Structured log lines (pino on Node and Deno). */
  readonly log: Log;
}

/** Runs long work on the host's thread in small pieces, so that other work can run in between (SPEC LV2). */
export interface Slices {
  /**
   * Runs the work from `yield` to `yield`, in turn with all other such work. Together they take some milliseconds of each turn of the event
   * loop. A piece up to a `yield` should take less than a millisecond, as 64 KB do. @throws any error of the work
   */
  run<T>(work: Iterator<void, T>): Promise<T>;
}

/** A SHA-256 in progress. */
export interface RunningHash {
  update(piece: Uint8Array): void;
  /** Returns the hash in hexadecimal; call it once. */
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
  /** Keeps the process alive until the returned function is called. */
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

/** Metadata of a file. Times are milliseconds since the epoch; `device` and `inode` identify the file itself. */
export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly accessedMs: number;
  readonly createdMs: number;
  readonly device: number;
  readonly inode: number;
  /** Number of names (hard links) of the file. */
  readonly links: number;
}

/** One name in a folder; links are not followed. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** A file operation failed. `code` is one of a closed set that callers may see; `message` holds no host path. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  /** Path of an operation of the host itself. Only the user at the terminal may see it. */
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
  /** The grant does not cover the real path. */
  "not_capable",
  /** Neither regular file nor directory: device, FIFO, socket. */
  "not_regular",
  "symlink_loop",
  "name_too_long",
  "too_large",
  "no_space",
  "invalid_path",
  /** The operation is no longer wanted. */
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
   * Writes a temporary file beside `path`, then renames it: readers see the old or the new text, never a part. Also removes temporary files
   * that killed processes left in the folder; in a folder of more than 64 names only now and then.
   */
  writeAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void>;
  /** Creates a file atomically with mode 0600. False if the path exists, even as a link; of several callers, one succeeds. */
  createNew(path: string, text: string): Promise<boolean>;
  makeDirectory(path: string): Promise<void>;
  /** Removes recursively; a missing path is not an error. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Follows links; undefined if the path does not exist. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Does not follow links; undefined if the path does not exist. */
  lstat(path: string): Promise<FileInfo | undefined>;
  realPath(path: string): Promise<string>;
  /** Returns the links that are followed on the way to the path's target. Each is a real path except for its last part. */
  linksOn(path: string): Promise<readonly string[]>;
  /** Whether a proof permits this place in every spelling that its file system accepts (`spelling.ts`). */
  permitsPlace(checked: Pick<CheckedPath<"read" | "write">, "permits">, realPath: string): Promise<boolean>;
}

/** Options of opening a file for writing. */
export interface WriteOptions {
  /** Default true. */
  readonly create?: boolean;
  /** Fails if the file exists. */
  readonly createNew?: boolean;
  readonly append?: boolean;
  readonly mode?: number;
}

/** Options of opening a file that stays open. Without `write` and `append` it is read-only. */
export interface OpenOptions extends Holder {
  readonly read: boolean;
  readonly write: boolean;
  /** Every write goes to the end. */
  readonly append: boolean;
  readonly truncate: boolean;
  readonly create: boolean;
  /** Fails if the file exists. */
  readonly createNew: boolean;
  readonly mode?: number;
}

/** A file that was verified when it was opened and stays that same file. Positions are bytes from its start. Failures throw `FileError`. */
/** Awaited before memory for that many bytes is allocated. */
export type WaitForRoom = (bytes: number) => Promise<void>;

export interface GuardedFile {
  /** Returns fewer bytes than `length` if the file ends before; none at its end. The caller owns them. */
  read(position: number, length: number, makeRoom?: WaitForRoom): Promise<Uint8Array>;
  /** Writes all of the data. "end" is for files that were opened to append. */
  write(data: Uint8Array, position: number | "end"): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileInfo>;
  /** Waits until written data is on the disk. */
  sync(dataOnly: boolean): Promise<void>;
  setTimes(accessedMs: number, modifiedMs: number): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Attributes of a file besides its contents (`mode`: permission bits only). An absent attribute stays unchanged. */
export interface FileFacts {
  readonly mode?: number;
  readonly modifiedMs?: number;
}

/** Cancellation of operations with many steps: polled between steps; true ends the operation with `interrupted`. */
export interface MayEnd {
  readonly isOver?: () => boolean;
}

/**
 * File access that cannot be raced out of its grant: the opened file is verified to be the checked one. Links that leave the grant give
 * `not_capable`; devices, FIFOs, sockets and `/proc` give `not_regular` (SPEC C4).
 */
export interface GuardedFiles {
  /** Reads a range. The caller owns the bytes. */
  readBytes(
    path: CheckedPath<"read">,
    options: { readonly maxBytes: number; readonly offset?: number; readonly length?: number; readonly makeRoom?: WaitForRoom },
  ): Promise<Uint8Array>;
  writeBytes(path: CheckedPath<"write">, data: Uint8Array, options: WriteOptions): Promise<void>;
  /** Lists a folder. `too_large` past either bound; names are counted in UTF-16 units. */
  list(
    path: CheckedPath<"read">,
    options: { readonly maxEntries: number; readonly maxNamesLength?: number } & MayEnd,
  ): Promise<readonly DirectoryEntry[]>;
  stat(path: CheckedPath<"read">): Promise<FileInfo>;
  lstat(path: CheckedPath<"read">): Promise<FileInfo>;
  realPath(path: CheckedPath<"read">): Promise<string>;
  /** Returns the target text of a link. */
  readLink(path: CheckedPath<"read">): Promise<string>;
  /** Creates a link with any target. No tool can request this; undo restores removed links with it. */
  makeLink(path: CheckedPath<"write">, target: string): Promise<void>;
  /** Adds a hard link to the file `from`, with which undo holds it; no link is followed. `other` if the file system has no hard links. */
  addName(from: CheckedPath<"read">, to: CheckedPath<"write">): Promise<void>;
  /** Sets permissions and times of this file or folder itself. No tool can request this; undo restores them with it. */
  setFacts(path: CheckedPath<"write">, facts: FileFacts): Promise<void>;
  makeDirectory(path: CheckedPath<"write">, options: { readonly recursive: boolean; readonly mode?: number }): Promise<void>;
  remove(path: CheckedPath<"write">, options: { readonly recursive: boolean } & MayEnd): Promise<void>;
  rename(from: CheckedPath<"write">, to: CheckedPath<"write">): Promise<void>;
  copy(from: CheckedPath<"read">, to: CheckedPath<"write">, options: { readonly maxBytes: number } & MayEnd): Promise<void>;
  truncate(path: CheckedPath<"write">, length: number): Promise<void>;
  /** Opens a file to read. The number of open files is limited over all calls; beyond it the error is `busy`. */
  openToRead(path: CheckedPath<"read">, options?: Holder): Promise<GuardedFile>;
  /** Opens a file to write. @param path must also be a proof for reading if `options.read` is set. */
  openToWrite(path: CheckedPath<"write">, options: OpenOptions): Promise<GuardedFile>;
}

/** Reports changes below folders. */
export interface Watcher {
  /**
   * Watches folders recursively without following links. `onChange` gets absolute paths as they come, without debounce. `onError` reports
   * that the watcher is no longer reliable (out of handles, a loop).
   */
  watch(paths: readonly string[], onChange: (path: string) => void, onError: (error: Error) => void): Promise<{ close(): Promise<void> }>;
}

/** A duplex stream of text, cut into lines. */
export interface LineConnection {
  send(line: string): void;
  /** Sends one line without copying its bytes. No other line comes between the pieces. */
  sendPieces(pieces: readonly (string | Uint8Array)[]): void;
  /** Amount of sent data that the other side has not read, in bytes or characters. */
  readonly unsent: number;
  /** A line longer than the cap ends the connection. The next line waits until the listener's promise has resolved. */
  onLine(listener: LineListener): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Must not reject. */
export type LineListener = (line: string) => void | Promise<void>;

/** Connections between processes of one user on one machine. */
export interface LocalSockets {
  /**
   * Binds a Unix socket with mode 0600 (a named pipe on Windows). @throws {FileError} `already_exists` if a live host listens there; a
   * stale socket is replaced.
   */
  listen(path: string, onConnection: (connection: LineConnection) => void): Promise<{ close(): Promise<void> }>;
  /** Connects to a socket. Undefined if no host listens. */
  connect(path: string): Promise<LineConnection | undefined>;
}

/** Programs that exchange lines over their standard streams. They belong to the user and run with all of the user's rights (SPEC I6). */
export interface Runners {
  /** Starts a runner. @throws {ProcessError} if it cannot start */
  start(
    command: readonly [file: string, ...args: string[]],
    /** `env` is the complete environment. Default: this process's own. */
    options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Runner>;
}

/** A started runner. */
export interface Runner {
  /** Closed when the runner has ended. */
  readonly connection: LineConnection;
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM to the runner and its children, then SIGKILL if they do not end. Idempotent. */
  stop(): void;
}

/** Separate processes for guests, so that an attacker who escapes from the engine finds nothing to steal. */
export interface Isolation extends Pick<ProcessLauncher, "prepareProcesses"> {
  /** Returns the confinement of such a process on this system. @throws {Error} if none can be started. */
  inspect(): Promise<Confinement>;
}

/** Confinement of a sandbox's process, found out by trying and never assumed. */
export interface Confinement {
  readonly runtime: "deno" | "node";
  readonly version: string;
  /** Absolute path. */
  readonly program: string;
  readonly system: "namespaces" | "network" | "none";
  readonly noNewPrivileges: boolean;
  /** Descriptions for the user, one line each. */
  readonly inForce: readonly string[];
  readonly leavesOpen: readonly string[];
}

/** Properties of this system that bascule depends on. */
export interface SystemFacts {
  readonly runtime: { readonly name: "node" | "deno" | "memory"; readonly version: string; readonly program: string };
  /** Absent if Deno is not installed. */
  readonly deno?: { readonly program: string; readonly version?: string };
  /** Number of cached `images` of plugins and of the engine, and their bytes. */
  readonly cache: { readonly folder: string; readonly images: number; readonly bytes: number };
  readonly watcher: { readonly works: boolean; readonly problem?: string };
  /** Protection of open files against renaming: `kernel` reports their real paths; `compared`: by device and inode. */
  readonly files: "kernel" | "compared";
}

/** The user's terminal, if there is one. */
export interface Terminal {
  /** Whether the user can be asked (stdin and stderr are a TTY). */
  readonly interactive: boolean;
  /** Whether stdout is a TTY, so that the user reads it. */
  readonly outIsTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  /** Writes text to stdout. All of it is written eventually. */
  out(text: string): void;
  /** Writes to stderr; dropped and counted if stderr is too slow. `owner`: plugin that has a share of the waiting lines. */
  error(text: string, owner?: string): void;
  /** Resolves when little of `out`'s text is waiting, or the signal fires. Await it when writing more than a few results. */
  drained(signal: AbortSignal): Promise<void>;
  /** Waits at the end of the program for `out`'s text, and briefly for the rest. */
  flush(): Promise<void>;
  /** Shows `prompt` on stderr and waits for a line; undefined if input ended or the signal fired. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Reads all of standard input as UTF-8. @throws {FileError} `too_large` if it is longer than `maxBytes`. */
  readInput(maxBytes: number): Promise<string>;
  /** Returns stdin and stdout as one connection, always the same, for protocols. From then on `out` writes to stderr. */
  lines(): LineConnection;
  /** Calls the listener at SIGINT and SIGTERM. */
  onInterrupt(listener: () => void): void;
  exit(code: number): void;
}

/** From least to most important. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A structured logger: one JSON object per line. Guest text is data in a field, never part of the line's frame. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  child(fields: Readonly<Record<string, unknown>>): Log;
  /** Resolves when the lines are written, or after a quarter of a second without progress. Call it at the end of a program. */
  flush?(): Promise<void>;
}
