/** Programs on behalf of a tool: how they start and end. Types and their error only. */

import type { Holder } from "../../../sandbox/mod.ts";
import type { CheckedProgram } from "../proof.ts";

/** Starts programs. Their number is limited over all calls; beyond it the error is `busy`. */
export interface Processes {
  /** Starts a program. @throws {ProcessError} if it cannot start */
  start(program: CheckedProgram, options: ProcessOptions): Promise<RunningProcess>;
}

export type OutputStream = "stdout" | "stderr";

export interface ProcessOptions extends Holder {
  /** Passed unchanged; no shell interprets them. */
  readonly args: readonly string[];
  /** An absolute folder. */
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Content of standard input, which then ends. */
  readonly stdin?: Uint8Array;
  /** Called with each piece of output. The stream is not read until it returns, so that a faster program waits. Must not throw. */
  readonly onOutput: (stream: OutputStream, bytes: Uint8Array) => void;
}

/** A started program. */
interface RunningProcess {
  /** Resolves when the program has ended, its children are gone, and all output was handed over. Rejects only if `onOutput` threw. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM to the program and its children, then SIGKILL if they do not end (SPEC T3). Idempotent. */
  stop(): void;
}

/** How a program ended: by itself, or by a signal (`SIGTERM`). */
export type ProcessEnd = { readonly exitCode: number } | { readonly signal: string };

export type ProcessErrorCode = "not_found" | "not_executable" | "permission_denied" | "too_large" | "busy" | "other";

/** A program was not started. `message` holds no host path. */
export class ProcessError extends Error {
  readonly code: ProcessErrorCode;
  constructor(code: ProcessErrorCode, message: string) {
    super(message);
    this.name = "ProcessError";
    this.code = code;
  }
}
