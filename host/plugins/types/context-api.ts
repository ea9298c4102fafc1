/** The tool context (SPEC D7, C8) as a plugin sees it, and the permission that each part needs. */

import type { ApiGroup } from "./api-group.ts";

const FACTS = `
  readonly sessionId: string;
  readonly turnId: string | undefined;
  readonly callId: string;
  readonly agentId: string | undefined;
  /** W3C trace context. */
  readonly traceparent: string | undefined;
  /** Absolute path of the session's workspace. */
  readonly workspacePath: string;
  readonly settings: Settings;
  /** Permissions granted to this call, as written. */
  readonly permissions: Readonly<Record<string, unknown>>;
  /** Deadline of the call, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts when the call is cancelled or exceeds its deadline. */
  readonly signal: AbortSignal;
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

/** Members of `Context`. */
export const CONTEXT_API: readonly ApiGroup[] = [{ text: FACTS }, { needs: ["tools"], text: TOOLS }];

/** Member of `Context` if `Workspace` has any members. */
export const WORKSPACE_MEMBER: string = FILES;

const READ = `
  /** Reads up to 1 MiB of UTF-8 text, or a range of bytes. */
  read(path: string, range?: ByteRange): Promise<string>;
  readBytes(path: string, range?: ByteRange): Promise<Uint8Array<ArrayBuffer>>;
  exists(path: string): Promise<boolean>;
  list(path?: string): Promise<{ name: string; kind: "file" | "directory" | "symlink" | "other" }[]>;
`;

const WRITE = `
  write(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  append(path: string, text: string): Promise<void>;
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
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly uri: string; readonly text?: string; readonly blob?: string; readonly mimeType?: string }
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
