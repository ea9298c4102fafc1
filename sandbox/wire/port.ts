/** The interface of threads that the sandbox needs. Implemented in `host/platform/workers.ts` and its worker entry files. */

import type { Envelope } from "./wire.ts";

/** A running worker, as seen by the host's thread. */
export interface WorkerConnection {
  /** Posts an envelope. Buffers in `moved` are transferred, not copied. */
  post(envelope: Envelope, moved: ArrayBuffer[]): void;
  /** Posts on the separate port that a blocked worker reads. */
  postSyncAnswer(message: unknown, moved: ArrayBuffer[]): void;
  /** Listens for envelopes. Untrusted: a compromised worker may send anything. */
  onMessage(listener: (envelope: unknown) => void): void;
  /** Called once when the worker has ended for any reason. */
  onExit(listener: (reason: string) => void): void;
  /** Sets whether the worker keeps the process alive. Initially false. */
  keepAlive(on: boolean): void;
  /** Ends the thread, even while it runs code. Idempotent. */
  terminate(): Promise<void>;
}

/** Starts workers that run `sandbox/worker/main.ts`. */
export interface WorkerLauncher {
  start(init: WorkerInit): WorkerConnection;
  /** The host's language, as `navigator.language`. It is part of every instance's memory. */
  readonly language: string;
  /** The runtime and its version, in any format. Runtimes differ slightly in how they handle URLs and bytes. */
  readonly runtime: string;
  /** Returns a unique name of the host's time zone, in any format. */
  timeZone(): string;
  /** Returns the bytes of the engine's WebAssembly module. */
  readEngine(): Promise<Uint8Array>;
  /** Engine build. Default: the metered one; the other is for comparisons. */
  readonly engine?: "metered" | "plain";
  /** SHA-256 on this thread, for a process that may block. Absent: large inputs are hashed on another thread. */
  readonly sha256?: (bytes: Uint8Array) => Uint8Array;
  /** Reads a file of the cache; undefined if it is missing. Files may vanish at any time. */
  readCache(name: string): Promise<Uint8Array | undefined>;
  /** Writes a file to the cache. Never rejects: returns false if the file could not be written. */
  writeCache(name: string, bytes: Uint8Array): Promise<boolean>;
  /** Milliseconds, comparable across threads. */
  now(): number;
  /** Starts a one-shot timer that does not keep the process alive. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs the task after the current code and its microtasks. Absent: every message is posted separately. */
  later?(task: () => void): void;
  /** Runs the task on a later turn of the event loop. Absent: the host's thread never spins for workers. */
  soon?(task: () => void): void;
}

/** Data for the start of a worker. */
export interface WorkerInit {
  /** Status words. See `protocol.ts` for their layout. */
  readonly control: SharedArrayBuffer;
}
