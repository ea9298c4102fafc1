/** Context of a tool's call (SPEC D7), the same for host tools and sandboxed plugins. */

import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { AskCaller } from "./asks.ts";
import type { Log } from "../platform/platform.ts";

/** The second argument of a tool. */
export interface ToolContext {
  readonly sessionId: string;
  /** Calls that the caller sent together, if it did. */
  readonly turnId?: string;
  readonly callId: string;
  /** The same for every run of this call, for tools that declare `"idempotent": true`. */
  readonly idempotencyKey?: string;
  /** Agent for which the session was opened. */
  readonly agentId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** Absolute path of the session's workspace. */
  readonly workspacePath: string;
  /** Settings of the plugin, with defaults filled in. */
  readonly settings: JsonObject;
  /** Granted permissions as written, with layers intersected where this is exact; for display. */
  readonly permissions: Permissions;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts when the call is cancelled or exceeds its deadline. */
  readonly signal: AbortSignal;
  /** Lines of the call's log. */
  readonly log: Log;
  /** Reports progress of the call as any JSON value. */
  progress(value: JsonValue): void;
  /**
   * Sends requests to the caller, for host tools; absent if the door's client cannot answer. The wait counts against the tool's deadline.
   */
  readonly ask?: AskCaller;
  /** Files of the workspace, as far as the call is granted. */
  readonly workspace: WorkspaceFiles;
  /** Calls other tools; only for a tool whose `permissions.tools` names some (SPEC C9). */
  readonly tools?: ToolCaller;
  /** Runs a program; only for host tools whose `permissions` name `run`, within policy's grant (SPEC O1). */
  readonly run?: RunProgram;
}

/** Calls other tools; each call passes all gates. */
export interface ToolCaller {
  /** Returns the tool's output. @throws {ToolError} with the code of the failure. */
  call(name: string, args?: JsonValue): Promise<JsonValue>;
}

/**
 * Runs one program to its end, without a shell. Its output is also the call's progress. If the call is cancelled or times out, the program
 * is killed, and its output so far is returned.
 *
 * @param program a name, looked up in the host's `PATH` without the workspace, or a path relative to the workspace
 * @throws {ToolError} if the program may not run or cannot be started
 */
export type RunProgram = (program: string, options: RunOptions) => Promise<RanProgram>;

/** Options of a program. */
export interface RunOptions {
  readonly args?: readonly string[];
  /** Default: the workspace. */
  readonly cwd?: string;
  /** Variables beside the default ones; each name needs `env` access. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: empty. */
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

/** Result of a program. */
export interface RanProgram {
  /** Absent if a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes dropped between the beginning and the end of the output. */
  readonly droppedBytes?: number;
  /** Set if `timeoutMs` was exceeded. */
  readonly timedOut?: true;
}

/** Files of the session's workspace, with the same checks on every route (SPEC C8). Paths are absolute or relative to it. */
export interface WorkspaceFiles {
  /** Reads a file. @throws {Error} named as in `Deno.errors` if it is missing, too large (1 MiB without a range) or not granted. */
  read(path: string, range?: { readonly offset: number; readonly length: number }): Promise<string>;
  /** Like `read`, as bytes. */
  readBytes(path: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  /** Creates or replaces a file. */
  write(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  /** Adds text at the end of a file, which is created if it is missing. */
  append(path: string, text: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Lists the entries of one folder. `kind` is `file`, `directory`, `symlink` or `other`. */
  list(path: string): Promise<readonly { readonly name: string; readonly kind: string }[]>;
  /** Deletes a file or an empty folder. */
  delete(path: string): Promise<void>;
  /** Replaces the only occurrence of `old`; fails if it occurs never or more than once. */
  patch(path: string, old: string, replacement: string): Promise<void>;
}
