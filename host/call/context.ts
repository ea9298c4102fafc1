/** What a tool is told about its call (SPEC D7), the same for host tools and, inside the sandbox, for plugins. */

import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { AskCaller } from "./asks.ts";
import type { Log } from "../platform/platform.ts";

/** What a tool gets beside its arguments. */
export interface ToolContext {
  readonly sessionId: string;
  readonly turnId?: string;
  readonly callId: string;
  readonly agentId?: string;
  readonly traceparent?: string;
  readonly workspacePath: string;
  readonly settings: JsonObject;
  /** What was granted, as written, per layer already intersected where that is exact; for display. */
  readonly permissions: Permissions;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  progress(value: JsonValue): void;
  /** Asks whoever calls, for host tools; absent where the door has nobody to ask. The tool's deadline does not wait. */
  readonly ask?: AskCaller;
  readonly workspace: WorkspaceFiles;
  /** Other tools; only for a tool whose `permissions.tools` names some (SPEC C9). */
  readonly tools?: ToolCaller;
  /** Runs a program. Only for host tools whose `permissions` name `run`, as far as policy grants it to them (SPEC O1). */
  readonly run?: RunProgram;
}

/** Calls other tools, each through every gate of its own. */
export interface ToolCaller {
  /** The tool's output. @throws {ToolError} with the code of why there is none. */
  call(name: string, args?: JsonValue): Promise<JsonValue>;
}

/**
 * Runs one program to its end, without a shell. What it writes is also progress of the call; when the call is cancelled or out of
 * time, it is ended, and what it wrote until then is returned.
 *
 * @param program a name, found by the `PATH` of the host without the workspace, or a path, relative to the workspace
 * @throws {ToolError} if it may not run, or cannot be started
 */
export type RunProgram = (program: string, options: RunOptions) => Promise<RanProgram>;

/** How a program is run. */
export interface RunOptions {
  readonly args?: readonly string[];
  /** Default: the workspace. */
  readonly cwd?: string;
  /** In addition to what it is given anyway; each name needs `env` access. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads. Default: nothing. */
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

/** What came of a program. */
export interface RanProgram {
  /** Absent where a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** What was left out between the beginning and the end of what it wrote. */
  readonly droppedBytes?: number;
  /** It was ended because `timeoutMs` was over. */
  readonly timedOut?: true;
}

/** Files of the session's workspace, with the same checks on every route (SPEC C8). Paths are relative to it or absolute. */
export interface WorkspaceFiles {
  /** @throws {Error} named as in `Deno.errors` if missing, too large (1 MiB without a range) or not granted. */
  read(path: string, range?: { readonly offset: number; readonly length: number }): Promise<string>;
  readBytes(path: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  write(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  append(path: string, text: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<readonly { readonly name: string; readonly kind: string }[]>;
  delete(path: string): Promise<void>;
  /** Replaces the one occurrence of `old`; fails if there is none or more than one. */
  patch(path: string, old: string, replacement: string): Promise<void>;
}
