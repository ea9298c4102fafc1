/** Declarations of a plugin's `Deno` namespace, and the permission that each part needs. */

import type { ApiGroup } from "./api-group.ts";

const VIRTUAL = `
  /** The same on every machine. */
  const build: {
    target: string;
    arch: "x86_64" | "aarch64";
    os: "darwin" | "linux" | "android" | "windows" | "freebsd" | "netbsd" | "aix" | "solaris" | "illumos";
    standalone: boolean;
    vendor: string;
    env?: string;
  };
  const version: { deno: string; v8: string; typescript: string };
  const args: string[];
  const noColor: boolean;
  const pid: number;
  const ppid: number;
  /** Returns the path of the session's workspace. */
  function cwd(): string;
  function refTimer(id: number): void;
  function unrefTimer(id: number): void;
  interface InspectOptions {
    breakLength?: number;
    compact?: boolean;
    depth?: number;
    escapeSequences?: boolean;
    getters?: boolean;
    iterableLimit?: number;
    showHidden?: boolean;
    sorted?: boolean;
    strAbbreviateSize?: number;
    trailingComma?: boolean;
  }
  function inspect(value: unknown, options?: InspectOptions): string;
`;

/** All error classes of Deno 2.9. */
const ERRORS = [
  ...["NotFound", "PermissionDenied", "ConnectionRefused", "ConnectionReset", "ConnectionAborted", "NotConnected", "AddrInUse"],
  ...["AddrNotAvailable", "BrokenPipe", "AlreadyExists", "InvalidData", "TimedOut", "Interrupted", "WriteZero", "WouldBlock"],
  ...["UnexpectedEof", "BadResource", "Http", "Busy", "NotSupported", "FilesystemLoop", "IsADirectory", "NetworkUnreachable"],
  ...["NotADirectory", "NotCapable"],
];

const ERROR_CLASSES = `
  namespace errors {
${ERRORS.map((name) => `    class ${name} extends Error {}`).join("\n")}
  }
`;

const PERMISSIONS = `
  type PermissionState = "granted" | "denied" | "prompt";
  type PermissionDescriptor =
    | { name: "read" | "write"; path?: string | URL }
    | { name: "net" | "import"; host?: string }
    | { name: "env"; variable?: string }
    | { name: "sys"; kind?: string }
    | { name: "run"; command?: string | URL }
    | { name: "ffi"; path?: string | URL };
  class PermissionStatus extends EventTarget {
    private constructor();
    onchange: ((this: PermissionStatus, event: Event) => any) | null;
    readonly state: PermissionState;
    readonly partial: boolean;
  }
  class Permissions {
    private constructor();
    query(descriptor: PermissionDescriptor): Promise<PermissionStatus>;
    querySync(descriptor: PermissionDescriptor): PermissionStatus;
    request(descriptor: PermissionDescriptor): Promise<PermissionStatus>;
    requestSync(descriptor: PermissionDescriptor): PermissionStatus;
    revoke(descriptor: PermissionDescriptor): Promise<PermissionStatus>;
    revokeSync(descriptor: PermissionDescriptor): PermissionStatus;
  }
  const permissions: Permissions;
`;

const READ = `
  interface ReadFileOptions {
    signal?: AbortSignal;
  }
  interface DirEntry {
    name: string;
    isFile: boolean;
    isDirectory: boolean;
    isSymlink: boolean;
  }
  function readTextFile(path: string | URL, options?: ReadFileOptions): Promise<string>;
  function readTextFileSync(path: string | URL): string;
  function readFile(path: string | URL, options?: ReadFileOptions): Promise<Uint8Array<ArrayBuffer>>;
  function readFileSync(path: string | URL): Uint8Array<ArrayBuffer>;
  function readDir(path: string | URL): AsyncIterable<DirEntry>;
  function readDirSync(path: string | URL): IteratorObject<DirEntry>;
  function stat(path: string | URL): Promise<FileInfo>;
  function statSync(path: string | URL): FileInfo;
  function lstat(path: string | URL): Promise<FileInfo>;
  function lstatSync(path: string | URL): FileInfo;
  function realPath(path: string | URL): Promise<string>;
  function realPathSync(path: string | URL): string;
`;

const WRITE = `
  interface WriteFileOptions {
    append?: boolean;
    create?: boolean;
    createNew?: boolean;
    mode?: number;
    signal?: AbortSignal;
  }
  interface MkdirOptions {
    recursive?: boolean;
    mode?: number;
  }
  interface RemoveOptions {
    recursive?: boolean;
  }
  interface MakeTempOptions {
    dir?: string;
    prefix?: string;
    suffix?: string;
  }
  function writeTextFile(path: string | URL, text: string | ReadableStream<string>, options?: WriteFileOptions): Promise<void>;
  function writeTextFileSync(path: string | URL, text: string, options?: WriteFileOptions): void;
  function writeFile(path: string | URL, data: Uint8Array | ReadableStream<Uint8Array>, options?: WriteFileOptions): Promise<void>;
  function writeFileSync(path: string | URL, data: Uint8Array, options?: WriteFileOptions): void;
  function mkdir(path: string | URL, options?: MkdirOptions): Promise<void>;
  function mkdirSync(path: string | URL, options?: MkdirOptions): void;
  function remove(path: string | URL, options?: RemoveOptions): Promise<void>;
  function removeSync(path: string | URL, options?: RemoveOptions): void;
  function truncate(path: string, length?: number): Promise<void>;
  function truncateSync(path: string, length?: number): void;
  function makeTempFile(options?: MakeTempOptions): Promise<string>;
  function makeTempFileSync(options?: MakeTempOptions): string;
  function makeTempDir(options?: MakeTempOptions): Promise<string>;
  function makeTempDirSync(options?: MakeTempOptions): string;
`;

const OPEN = `
  interface FileInfo {
    isFile: boolean;
    isDirectory: boolean;
    isSymlink: boolean;
    size: number;
    mtime: Date | null;
    atime: Date | null;
    birthtime: Date | null;
    ctime: Date | null;
    dev: number;
    ino: number | null;
    mode: number | null;
    nlink: number | null;
    uid: number | null;
    gid: number | null;
    rdev: number | null;
    blksize: number | null;
    blocks: number | null;
    isBlockDevice: boolean | null;
    isCharDevice: boolean | null;
    isFifo: boolean | null;
    isSocket: boolean | null;
  }
  interface OpenOptions {
    append?: boolean;
    create?: boolean;
    createNew?: boolean;
    mode?: number;
    read?: boolean;
    truncate?: boolean;
    write?: boolean;
  }
  enum SeekMode {
    Start = 0,
    Current = 1,
    End = 2,
  }
  /** Stays open until it is closed or the call ends. */
  class FsFile implements Disposable {
    private constructor();
    readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
    readonly writable: WritableStream<Uint8Array<ArrayBufferLike>>;
    close(): void;
    isTerminal(): boolean;
    read(buffer: Uint8Array): Promise<number | null>;
    readSync(buffer: Uint8Array): number | null;
    seek(offset: number | bigint, whence: SeekMode): Promise<number>;
    seekSync(offset: number | bigint, whence: SeekMode): number;
    stat(): Promise<FileInfo>;
    statSync(): FileInfo;
    sync(): Promise<void>;
    syncSync(): void;
    syncData(): Promise<void>;
    syncDataSync(): void;
    truncate(length?: number): Promise<void>;
    truncateSync(length?: number): void;
    utime(accessed: number | Date, modified: number | Date): Promise<void>;
    utimeSync(accessed: number | Date, modified: number | Date): void;
    write(data: Uint8Array): Promise<number>;
    writeSync(data: Uint8Array): number;
    [Symbol.dispose](): void;
  }
  function open(path: string | URL, options?: OpenOptions): Promise<FsFile>;
  function openSync(path: string | URL, options?: OpenOptions): FsFile;
`;

const READ_AND_WRITE = `
  function create(path: string | URL): Promise<FsFile>;
  function createSync(path: string | URL): FsFile;
  function copyFile(from: string | URL, to: string | URL): Promise<void>;
  function copyFileSync(from: string | URL, to: string | URL): void;
  function rename(from: string | URL, to: string | URL): Promise<void>;
  function renameSync(from: string | URL, to: string | URL): void;
`;

const ENV = `
  interface Env {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
    delete(name: string): void;
    has(name: string): boolean;
    toObject(): { [name: string]: string };
  }
  const env: Env;
`;

/** For test files; registering a test during a tool call has no effect. */
const TEST = `
  interface TestContext {
    name: string;
    origin: string;
    parent?: TestContext;
    step(definition: { name: string; fn: (context: TestContext) => void | Promise<void>; ignore?: boolean }): Promise<boolean>;
    step(name: string, fn: (context: TestContext) => void | Promise<void>): Promise<boolean>;
    step(fn: (context: TestContext) => void | Promise<void>): Promise<boolean>;
  }
  interface TestDefinition {
    fn: (context: TestContext) => void | Promise<void>;
    name: string;
    ignore?: boolean;
    only?: boolean;
    sanitizeOps?: boolean;
    sanitizeResources?: boolean;
    sanitizeExit?: boolean;
    permissions?: "inherit" | "none" | { [kind: string]: unknown };
  }
  interface TestFunction {
    (definition: TestDefinition): void;
    (name: string, fn: (context: TestContext) => void | Promise<void>): void;
    (fn: (context: TestContext) => void | Promise<void>): void;
    (name: string, options: Omit<TestDefinition, "fn" | "name">, fn: (context: TestContext) => void | Promise<void>): void;
  }
  const test: TestFunction & {
    ignore: TestFunction;
    only: TestFunction;
    beforeAll(fn: () => void | Promise<void>): void;
    beforeEach(fn: () => void | Promise<void>): void;
    afterEach(fn: () => void | Promise<void>): void;
    afterAll(fn: () => void | Promise<void>): void;
  };
`;

/** To add an API, declare it in one of these texts; for an API of another permission, add a row. */
export const DENO_API: readonly ApiGroup[] = [
  { text: VIRTUAL },
  { text: ERROR_CLASSES },
  { text: PERMISSIONS },
  { text: TEST },
  { needs: ["read"], text: READ },
  { needs: ["write"], text: WRITE },
  { needsAny: ["read", "write"], text: OPEN },
  { needs: ["read", "write"], text: READ_AND_WRITE },
  { needs: ["env"], text: ENV },
];
