/** What a worker needs of the runtime that it is on; its entry files are in `host/platform/`. */

import type { Codec } from "../operations/codec.ts";
import type { LegacyDecoders } from "../operations/local-answer.ts";
import type { Digest, Subtle, Supports } from "../operations/subtle.ts";
import type { WorkerInit } from "./port.ts";
import type { SyncAnswer } from "./protocol.ts";
import type { Envelope } from "./wire.ts";

/** The powers a worker's entry file hands in: its port, its clock, its waits, its randomness. Nothing else reaches a worker. */
export interface WorkerPowers {
  readonly init: WorkerInit;
  /** `moved` are moved rather than copied. */
  post(envelope: Envelope, moved: ArrayBuffer[]): void;
  /** Calls the listener for what comes while the thread is in its event loop. */
  onMessage(listener: (envelope: Envelope) => void): void;
  /** The next one, if it is there. */
  takeEnvelope(): Envelope | undefined;
  /** The next message on the port for synchronous answers, if one is there. */
  takeSyncAnswer(): SyncAnswer | undefined;
  /** Blocks the thread while `words[index]` is `value`, for at most `timeoutMs`. */
  block(...wait: [words: Int32Array, index: number, value: number, timeoutMs: number]): void;
  now(): number;
  /** CPU milliseconds of this thread so far; undefined where the runtime cannot tell cheaply. */
  threadCpuMs(): number | undefined;
  /** The same for a load, which may ask where it takes a while. */
  loadCpuMs(): number | undefined;
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  /** Runs the task once the event loop has had its turn. */
  soon(task: () => void): void;
  /** Collects garbage. Absent: the runtime does so in time for memory of WebAssembly. */
  readonly collect?: () => void;
  fillRandom(bytes: Uint8Array): void;
  readonly codec: Codec;
  readonly hash: Digest;
  readonly supports: Supports;
  /** Absent where the runtime's own are right. */
  readonly legacyDecoders?: LegacyDecoders | undefined;
  readonly subtle: Subtle;
}
