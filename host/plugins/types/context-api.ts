/** The tool context (SPEC D7, C8) as a plugin sees it, and the permission that each part needs. */

import type { ApiGroup } from "./api-group.ts";

const FACTS = `
  /** Session of the caller; the state of the plugin belongs to it. */
  readonly sessionId: string;
  /** Calls that the caller sent together, if it did. */
  readonly turnId: string | undefined;
  readonly callId: string;
  /** The same for every run of this call, for tools that declare \`"idempotent": true\`. */
  readonly idempotencyKey: string | undefined;
  /** Agent for which the session was opened. */
  readonly agentId: string | undefined;
  /** W3C trace context. */
  readonly traceparent: string | undefined;
  /** Absolute path of the session's workspace. */
  readonly workspacePath: string;
  /** Settings of the plugin, with defaults filled in. */
  readonly settings: Settings;
  /** Permissions granted to this call, as written. */
  readonly permissions: Readonly<Record<string, unknown>>;
  /** Deadline of the call, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts when the call is cancelled or exceeds its deadline. */
  readonly signal: AbortSignal;
  /** Lines of the call's log; \`console\` writes there too. */
  readonly log: Log;
  /** Reports progress of the call as any JSON value. */
  progress(value: unknown): void;
  /** Creates a result with more than plain JSON: content blocks, metadata, or a failure. */
  output<T = null>(parts: OutputParts<T>): ToolOutput<T>;
  /** Creates an error whose message is shown to the caller unchanged. */
  error(message: string, details?: unknown): Error;
`;

const FILES = `
  /** Files of the session's workspace, by paths relative to it. */
  readonly workspace: Workspace;
`;

const TOOLS = `
  /** Calls other tools: those granted to the plugin that allow calls by tools. */
  readonly tools: {
    /** Returns the tool's output. Rejects with an error with a \`code\`, or with \`Deno.errors.NotCapable\`. */
    call<T = unknown>(name: string, args?: Readonly<Record<string, unknown>>): Promise<T>;
  };
`;

/** Member of `Context` for a plugin that requests `$data`. */
export const DATA_MEMBER = `
  /** Data that the plugin keeps in this project. Reading takes \`read\` of \`$data\`, changing \`write\`. */
  readonly data: Data;
`;

/** Types of `DATA_MEMBER`. */
export const DATA_PARTS: string = `
export interface Data {
  /** Absolute path of the plugin's own folder, which exists. */
  readonly path: string;
  readonly kv: KeyValues;
  readonly sql: Database;
}

/** Values by key: JSON values, or bytes. */
export interface KeyValues {
  /** Returns a value; undefined if the key has none. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Returns a value with its version, for \`set\`. */
  entry<T = unknown>(key: string): Promise<DataEntry<T> | undefined>;
  has(key: string): Promise<boolean>;
  /** Returns the new version. With \`version\`, only an entry of that version is replaced (0: none exists), else the result is undefined. */
  set(key: string, value: unknown): Promise<number>;
  set(key: string, value: unknown, options: { readonly version: number }): Promise<number | undefined>;
  /** Returns whether an entry was deleted. */
  delete(key: string, options?: { readonly version?: number }): Promise<boolean>;
  /** Returns the entries whose keys begin with \`prefix\`, by key; at most \`limit\` (1,000), the ones behind \`after\`. */
  list<T = unknown>(prefix?: string, options?: { readonly limit?: number; readonly after?: string }): Promise<DataEntry<T>[]>;
  /** Sets the entry to what \`change\` returns, which is called again if another call changed the entry in between. */
  update<T = unknown>(key: string, change: (value: T | undefined) => T | Promise<T>): Promise<T>;
  /** Returns the value; the first call of a project makes it. For an id or a time that is taken once and kept. */
  once<T = unknown>(key: string, make: () => T | Promise<T>): Promise<T>;
}

/** One entry. Its version changes with every \`set\`. */
export interface DataEntry<T = unknown> {
  readonly key: string;
  readonly value: T;
  readonly version: number;
}

/** The plugin's SQLite database. */
export interface Database {
  /** Runs a script of several statements in one transaction. */
  exec(script: string): Promise<void>;
  /** Runs one statement that only reads. */
  query<T = SqlRow>(sql: string, params?: SqlParams): Promise<T[]>;
  /** Runs one statement. */
  run(sql: string, params?: SqlParams): Promise<SqlResult>;
  /** Runs the statements in one transaction: if one fails, or changes another number of rows than its \`changes\`, nothing is changed. */
  transaction(statements: readonly (string | SqlStatement)[]): Promise<SqlResult[]>;
}

/** A value to store: booleans become 0 and 1. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;
/** For \`?\` in order, or for \`:name\`. */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;
/** A row by column. Integers beyond 2^53 are \`bigint\`. */
export type SqlRow = Record<string, string | number | bigint | Uint8Array<ArrayBuffer> | null>;

/** One statement of a transaction. */
export interface SqlStatement {
  readonly sql: string;
  readonly params?: SqlParams;
  /** Runs the statement once for each of these, in place of \`params\`. */
  readonly rows?: readonly SqlParams[];
  /** Number of rows that it must change. */
  readonly changes?: number;
}

/** Result of one statement. */
export interface SqlResult {
  /** Number of rows that were inserted, updated or deleted. */
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
  /** Rows of \`RETURNING\`, or of a query. */
  readonly rows: SqlRow[];
}
`.trim();

/** Members of `Context`. */
export const CONTEXT_API: readonly ApiGroup[] = [{ text: FACTS }, { needs: ["tools"], text: TOOLS }];

/** Member of `Context` if `Workspace` has any members. */
export const WORKSPACE_MEMBER: string = FILES;

const READ = `
  /** Reads up to 1 MiB of UTF-8 text, or a range of bytes. */
  read(path: string, range?: ByteRange): Promise<string>;
  /** Like \`read\`, as bytes. */
  readBytes(path: string, range?: ByteRange): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads many files as text, in order; one that cannot be read has an \`error\`. */
  readMany(paths: readonly string[]): Promise<{ path: string; text?: string; error?: string }[]>;
  /** Returns the paths of the files in a folder and all below it, without links, and without hidden ones unless \`hidden\` is true. */
  walk(path?: string, options?: { readonly extensions?: readonly string[]; readonly hidden?: boolean }): Promise<string[]>;
  /** Returns whether there is a file or folder. */
  exists(path: string): Promise<boolean>;
  /** Lists the entries of one folder, by default of the workspace. */
  list(path?: string): Promise<{ name: string; kind: "file" | "directory" | "symlink" | "other" }[]>;
`;

const WRITE = `
  /** Creates or replaces a file. The folder must exist. */
  write(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  /** Adds text at the end of a file, which is created if it is missing. */
  append(path: string, text: string): Promise<void>;
  /** Deletes a file or an empty folder. */
  delete(path: string): Promise<void>;
`;

const READ_AND_WRITE = `
  /** Replaces the one occurrence of \`old\`; fails if there is none or more than one. */
  patch(path: string, old: string, replacement: string): Promise<void>;
`;

/** Members of `Workspace`. */
export const WORKSPACE_API: readonly ApiGroup[] = [
  { needs: ["read"], text: READ },
  { needs: ["write"], text: WRITE },
  { needs: ["read", "write"], text: READ_AND_WRITE },
];

/** Types of the context's members; every plugin has them. */
export const CONTEXT_PARTS: string = `
/** Lines of the call's log. */
export interface Log {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  write(level: "debug" | "info" | "warn" | "error", ...values: unknown[]): void;
}

/** A block of a result for a model or the user to read, as in MCP. */
export type ContentBlock = BlockNotes &
  (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; /** Base64 or bytes. */ readonly data: string | Uint8Array; readonly mimeType: string }
    | { readonly type: "resource"; readonly uri: string; readonly text?: string; readonly blob?: string | Uint8Array; readonly mimeType?: string }
    | {
        readonly type: "resource_link";
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
        readonly size?: number;
      }
  );

/** Members of any block: its audience, its priority from 0 to 1, when it last changed (ISO 8601 with an offset), and \`_meta\`, which is for programs. */
export interface BlockNotes {
  readonly annotations?: { readonly audience?: readonly ("user" | "assistant")[]; readonly priority?: number; readonly lastModified?: string };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Parameters of \`context.output\`. */
export interface OutputParts<T = unknown> {
  readonly output?: T;
  readonly content?: readonly ContentBlock[];
  /** False if the tool failed. */
  readonly success?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Files that were changed without the host's knowledge. */
  readonly filesModified?: readonly string[];
}

/** Result of \`context.output\`: return it unchanged. */
export interface ToolOutput<T = unknown> extends OutputParts<T> {
  readonly [TOOL_OUTPUT]: true;
}
declare const TOOL_OUTPUT: unique symbol;
`.trim();
