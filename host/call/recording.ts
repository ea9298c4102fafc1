/**
 * A recording: everything that one call of a plugin got from outside, enough to run it again (SPEC B8).
 *
 * Its file is JSON of this shape, with bytes in base64 and a hash of the rest in front (`recording-file.ts`). Types only.
 */

import type { JsonValue, Limits } from "../../manifests/mod.ts";
import type { Fault, OperationError, Tape } from "../../sandbox/mod.ts";

/** @typeParam Value of what is written: JSON above 64 KB is its bytes */
export interface Recording<Value = JsonValue> {
  readonly callId: string;
  /** Milliseconds since the epoch. */
  readonly recordedMs: number;
  /** Qualified name. */
  readonly tool: string;
  readonly plugin: string;
  /** Of the plugin's version. */
  readonly digest: string;
  readonly args: Value;
  /** What the guest was told about the call, as it was told: its length counts in what the call costs. */
  readonly contextText: string;
  readonly limits: Limits;
  readonly seed: string;
  /** Set if the call was given a time. */
  readonly timeMs?: number;
  readonly tape: Tape;
  readonly operations: readonly RecordedOperation<Value>[];
  readonly outcome: RecordedOutcome;
  readonly used: RecordedUse;
  readonly machine: RecordedMachine;
  /** Secrets were taken out: run again, the call sees other texts than it did. */
  readonly isRedacted: boolean;
}

/** One thing that the guest asked of the host, in the order of asking. */
export interface RecordedOperation<Value = JsonValue> {
  readonly name: string;
  readonly args: Value;
  readonly sent?: SentBytes;
  /** Absent if the call ended first. */
  readonly answer?: RecordedAnswer<Value>;
}

/** Bytes that the guest sent: kept by their hash, they are its own. */
export interface SentBytes {
  readonly length: number;
  /** Hex. */
  readonly sha256: string;
}

export type RecordedAnswer<Value = JsonValue> =
  | { readonly ok: true; readonly value: Value; readonly bytes?: Uint8Array }
  | { readonly ok: false; readonly error: OperationError };

/** What came out of the sandbox: the prelude's own words (`guest/protocol.ts`), or why it stopped. */
export type RecordedOutcome =
  | { readonly ok: true; readonly output: JsonValue; readonly parts?: readonly RecordedPart[] }
  | { readonly ok: false; readonly fault: Fault };

/** A part of an output above 64 KB: kept by its hash, whoever replays the call gets it again. */
export interface RecordedPart extends SentBytes {
  /** As `OutputPart.at`. */
  readonly at: string;
}

/** What is the same whenever a call runs alike. */
export interface RecordedUse {
  readonly fuel: number;
  readonly operations: number;
  readonly logBytes: number;
  readonly outputBytes: number;
}

/** What a call may depend on that no recording holds: what the runtime makes of URLs, languages, dates and compression. */
export interface RecordedMachine {
  readonly bascule: string;
  readonly runtime: string;
  readonly timeZone: string;
  readonly language: string;
}

/** Whether a call was recorded; part of its result. */
export type RecordingSummary = { readonly kept: true } | { readonly kept: false; readonly reason: string };

/** The longest file. What a running call's recording holds counts against it too. */
export const MAX_RECORDING_BYTES: number = 8 * 1024 * 1024;
