/** The runtime functions that a worker needs. Worker entry files are in `host/platform/`. */

import type { Codec } from "./operations/codec.ts";
import type { LegacyDecoders } from "./operations/local-answer.ts";
import type { Digest, Subtle, Supports } from "./operations/subtle.ts";
import type { WorkerInit } from "../wire/port.ts";
import type { SyncAnswer } from "../wire/protocol.ts";
import type { Envelope } from "../wire/wire.ts";

/**
 * Everything that a worker gets from its entry file: its port, clock, waits and randomness. A worker has no other access to its runtime.
 */
export interface WorkerPowers {
  readonly init: WorkerInit;
  /** Posts an envelope. Buffers in `moved` are transferred, not copied. */
  post(envelope: Envelope, moved: ArrayBuffer[]): void;
  /** Listens for envelopes that arrive while the thread is in its event loop. */
  onMessage(listener: (envelope: Envelope) => void): void;
  /** Takes the next envelope without waiting, if there is one. */
  takeEnvelope(): Envelope | undefined;
  /** Takes the next message on the port for synchronous answers, if there is one. */
  takeSyncAnswer(): SyncAnswer | undefined;
  /** Blocks the thread while `words[index]` is `value`, for at most `timeoutMs`. */
  block(...wait: [words: Int32Array, index: number, value: number, timeoutMs: number]): void;
  now(): number;
  /** CPU milliseconds that this thread has used; undefined if the runtime cannot measure them cheaply. */
  threadCpuMs(): number | undefined;
  /** Like `threadCpuMs`, for loads, where a slow measurement is acceptable. */
  loadCpuMs(): number | undefined;
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  /** Runs the task on a later turn of the event loop. */
  soon(task: () => void): void;
  /** Collects garbage. Absent: the runtime collects WebAssembly memory in time. */
  readonly collect?: () => void;
  fillRandom(bytes: Uint8Array): void;
  readonly codec: Codec;
  readonly hash: Digest;
  readonly supports: Supports;
  /** Legacy text decoders. Absent if the runtime's own are correct. */
  readonly legacyDecoders?: LegacyDecoders | undefined;
  readonly subtle: Subtle;
}
