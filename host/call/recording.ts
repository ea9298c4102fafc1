/**
 * A recording holds everything that one plugin call received from outside, enough to run it again (SPEC B8).
 *
 * Its file is JSON of this shape, with bytes in base64 and a hash of the rest in front (`recording-file.ts`). Types only.
 */

import type { JsonValue, Limits } from "../../manifests/mod.ts";
import type { Fault, OperationError, Tape } from "../../sandbox/mod.ts";

/** @typeParam Value `JsonValue`, or `LargeJson` too: JSON above 64 KB is held as bytes */
export interface Recording<Value = JsonValue> {
  readonly callId: string;
  /** Milliseconds since the epoch. */
  readonly recordedMs: number;
  /** Qualified tool name. */
  readonly tool: string;
  readonly plugin: string;
  /** Hash of the plugin's version. */
  readonly digest: string;
  readonly args: Value;
  /** The context as the guest received it. Kept as text because its length counts in the cost of the call. */
  readonly contextText: string;
  readonly limits: Limits;
  readonly seed: string;
  /** The call's start time, if the caller set one. */
  readonly timeMs?: number;
  readonly tape: Tape;
  readonly operations: readonly RecordedOperation<Value>[];
  /** Milliseconds that the host took for each operation; -1 if the call ended first. Absent in recordings of earlier versions. */
  readonly hostMs?: readonly number[];
  readonly outcome: RecordedOutcome;
  readonly used: RecordedUse;
  readonly machine: RecordedMachine;
  /** Secrets were removed: on replay the call would see other texts than it did. */
  readonly isRedacted: boolean;
}

/** One operation of the guest, in the order of asking. */
export interface RecordedOperation<Value = JsonValue> {
  readonly name: string;
  readonly args: Value;
  readonly sent?: SentBytes;
  /** Absent if the call ended first. */
  readonly answer?: RecordedAnswer<Value>;
}

/** Bytes that the guest sent. Only their hash is kept, because the replay produces them again. */
export interface SentBytes {
  readonly length: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export type RecordedAnswer<Value = JsonValue> =
  | { readonly ok: true; readonly value: Value; readonly bytes?: Uint8Array }
  | { readonly ok: false; readonly error: OperationError };

/** The result of the sandbox: the prelude's message (`guest/call/protocol.ts`), or why the call stopped. */
export type RecordedOutcome =
  | { readonly ok: true; readonly output: JsonValue; readonly parts?: readonly RecordedPart[] }
  | { readonly ok: false; readonly fault: Fault };

/** A part of an output above 64 KB. Only its hash is kept, because the replay produces it again. */
export interface RecordedPart extends SentBytes {
  /** Same as `OutputPart.at`. */
  readonly at: string;
}

/** Measures that are equal for equal runs of a call. */
export interface RecordedUse {
  readonly fuel: number;
  readonly operations: number;
  readonly logBytes: number;
  readonly outputBytes: number;
}

/** The facts outside of the recording that a call may depend on: the runtime's handling of URLs, languages, dates and compression. */
export interface RecordedMachine {
  readonly bascule: string;
  readonly runtime: string;
  readonly timeZone: string;
  readonly language: string;
}

/** Whether a call was recorded. Part of its result. */
export type RecordingSummary = { readonly kept: true } | { readonly kept: false; readonly reason: string };

/** Maximum size of a recording's file, and of what the recording of a running call may hold. */
export const MAX_RECORDING_BYTES: number = 8 * 1024 * 1024;
