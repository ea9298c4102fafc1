/** What the sandbox needs of threads; implemented in `host/platform/threads/workers.ts` and its worker entry files. */

import type { Envelope } from "./wire.ts";

/** A running worker, seen from the host's thread. */
export interface WorkerConnection {
  /** `moved` are moved rather than copied. */
  post(envelope: Envelope, moved: ArrayBuffer[]): void;
  /** Posts on the separate port that a blocked worker reads. */
  postSyncAnswer(message: unknown, moved: ArrayBuffer[]): void;
  /** Envelopes, as far as a worker keeps to that: untrusted. */
  onMessage(listener: (envelope: unknown) => void): void;
  /** Called once, however the worker ended. */
  onExit(listener: (reason: string) => void): void;
  /** Whether the worker keeps the process alive. Initially it does not. */
  keepAlive(on: boolean): void;
  /** Ends the thread whatever it is doing. Idempotent. */
  terminate(): Promise<void>;
}

/** Starts workers that run `sandbox/worker/main.ts`. */
export interface WorkerLauncher {
  start(init: WorkerInit): WorkerConnection;
  /** The host's language, as `navigator.language`: it is in the memory of every instance. */
  readonly language: string;
  /** The runtime and its version, in any words: what one makes of a URL or of bytes is not quite what another does. */
  readonly runtime: string;
  /** The host's time zone, in any words that name it alone. */
  timeZone(): string;
  /** Bytes of the engine's WebAssembly module. */
  readEngine(): Promise<Uint8Array>;
  /** Which build of it runs. Default: the metered one; the other is for comparisons. */
  readonly engine?: "metered" | "plain";
  /** A file that may vanish at any time; undefined if it is not there. */
  readCache(name: string): Promise<Uint8Array | undefined>;
  /** Never rejects: false if it could not be kept. */
  writeCache(name: string, bytes: Uint8Array): Promise<boolean>;
  /** Milliseconds, comparable across threads. */
  now(): number;
  /** One-shot timer that does not keep the process alive. Returns cancel. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs the task once the code that runs now, and what follows from it, is done. Absent: every message is posted by itself. */
  later?(task: () => void): void;
  /** Runs the task once the event loop has had its turn. Absent: the host's thread sleeps while it waits for workers. */
  soon?(task: () => void): void;
}

/** What a worker is born with. */
export interface WorkerInit {
  /** Status words; layout in `protocol.ts`. */
  readonly control: SharedArrayBuffer;
}
