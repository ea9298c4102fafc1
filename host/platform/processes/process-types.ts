/** Programs on behalf of a tool: what starts them, and what is known of them. Types and their error only. */

import type { Holder } from "../../../sandbox/mod.ts";
import type { CheckedProgram } from "../proof.ts";

/** Starts programs. Few run at once, of all calls together: more answer `busy`. */
export interface Processes {
  /** @throws {ProcessError} if it cannot be started. */
  start(program: CheckedProgram, options: ProcessOptions): Promise<RunningProcess>;
}

export type OutputStream = "stdout" | "stderr";

export interface ProcessOptions extends Holder {
  /** As they are: no shell reads them. */
  readonly args: readonly string[];
  /** An absolute folder. */
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads; then its input ends. */
  readonly stdin?: Uint8Array;
  /** No more of this stream is read until it returns, so that a program that writes faster waits. Must not throw. */
  readonly onOutput: (stream: OutputStream, bytes: Uint8Array) => void;
}

/** A program that was started. */
export interface RunningProcess {
  /** Settles when it has ended, whatever it started is gone too, and all that they wrote was handed over. Rejects only if `onOutput` threw. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM for it and whatever it started, and SIGKILL if that does not end them (SPEC T3). Idempotent. */
  stop(): void;
}

/** How a program ended: by itself, or by a signal (`SIGTERM`). */
export type ProcessEnd = { readonly exitCode: number } | { readonly signal: string };

export type ProcessErrorCode = "not_found" | "not_executable" | "permission_denied" | "too_large" | "busy" | "other";

/** A program was not started. No host path is in `message`. */
export class ProcessError extends Error {
  readonly code: ProcessErrorCode;
  constructor(code: ProcessErrorCode, message: string) {
    super(message);
    this.name = "ProcessError";
    this.code = code;
  }
}
