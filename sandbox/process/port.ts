/** What the sandbox needs of processes; implemented in `host/platform/isolation/`. */

import type { WorkerLauncher } from "../worker/port.ts";

/** A running process, seen from the host. */
export interface ProcessConnection {
  /** Written in order. */
  send(pieces: readonly Uint8Array[]): void;
  /** Bytes that wait because the process does not read them. */
  readonly unsentBytes: number;
  /** Bytes are untrusted. */
  onData(listener: (chunk: Uint8Array) => void): void;
  /** Called once, however the process ended. */
  onExit(listener: (reason: string) => void): void;
  /** Whether it keeps the host's process alive. Initially it does not. */
  keepAlive(on: boolean): void;
  /** Ends the process whatever it is doing, and resolves when it is gone. Idempotent. */
  kill(): Promise<void>;
}

/** Starts processes that run `sandbox/process/serve.ts`, and has what they are handed. */
export interface ProcessLauncher extends Pick<
  WorkerLauncher,
  "language" | "engine" | "readEngine" | "readCache" | "writeCache" | "now" | "after"
> {
  /** Finds out how processes are to be confined on this system, and gives what starts one. */
  prepareProcesses(): Promise<() => ProcessConnection>;
}

/** What is handed to `serveProcess` inside: its end of the stream, and threads. */
export interface ProcessPowers {
  send(pieces: readonly Uint8Array[]): void;
  onData(listener: (chunk: Uint8Array) => void): void;
  readonly threads: Pick<WorkerLauncher, "start" | "language" | "timeZone" | "runtime" | "now" | "after">;
}
