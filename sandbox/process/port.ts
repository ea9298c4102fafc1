/** The interface of processes that the sandbox needs. Implemented in `host/platform/isolation/`. */

import type { WorkerLauncher } from "../wire/port.ts";

/** A running process, as seen by the host. */
export interface ProcessConnection {
  /** Writes the bytes in order. */
  send(pieces: readonly Uint8Array[]): void;
  /** Bytes that wait because the process does not read them. */
  readonly unsentBytes: number;
  /** Listens for untrusted bytes. */
  onData(listener: (chunk: Uint8Array) => void): void;
  /** Called once when the process has ended for any reason. */
  onExit(listener: (reason: string) => void): void;
  /** Sets whether the process keeps the host's process alive. Initially false. */
  keepAlive(on: boolean): void;
  /** Ends the process, even while it runs code. Resolves when it has ended. Idempotent. */
  kill(): Promise<void>;
}

/** Starts processes that run `sandbox/process/serve.ts`, and provides their data. */
export interface ProcessLauncher extends Pick<
  WorkerLauncher,
  "language" | "engine" | "readEngine" | "readCache" | "writeCache" | "sha256" | "now" | "after"
> {
  /** Detects how processes can be confined on this system, and returns a function that starts one. */
  prepareProcesses(): Promise<() => ProcessConnection>;
}

/** Functions for `serveProcess` inside the process: its end of the stream, and threads. */
export interface ProcessPowers {
  send(pieces: readonly Uint8Array[]): void;
  onData(listener: (chunk: Uint8Array) => void): void;
  readonly threads: Pick<WorkerLauncher, "start" | "language" | "timeZone" | "runtime" | "now" | "after">;
}
