/** The guest's one way out: `operation(JSON, bytes?) → (JSON, bytes?)` (architecture, decision 9). */

import type { JsonValue } from "../manifests/mod.ts";

/** One act of a guest or of a host tool: JSON in, JSON out, bytes beside it. */
export interface HostOperation {
  /** `fs.readFile`, `env.get`, `permissions.query`, … Guest-controlled: an unknown name is an error answer. */
  readonly name: string;
  readonly args: JsonValue;
  /** Of the arguments' JSON, in characters. Absent: unknown. */
  readonly argsLength?: number;
  readonly bytes?: Uint8Array;
  /** Asked before a large answer's bytes are read. Absent: there is always room. */
  readonly room?: Room;
}

/**
 * Waits until so many bytes may be in flight to the guest; asked again it is about the new number. False: the signal was aborted, and
 * nothing is to be read.
 */
export type Room = (bytes: number, signal: AbortSignal) => Promise<boolean>;

/** The answer that crosses back. */
export type HostAnswer =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** JSON of a value above 64 KB, which crosses in place of the value; the answer's alone, and without `bytes` (SPEC LV2). */
      readonly json?: Uint8Array;
      readonly bytes?: Uint8Array;
      /** The bytes are the answer's alone: where they are large they are moved, and gone for whoever else holds them. */
      readonly moves?: true;
      /** Called once the bytes are in the guest, or never will be. */
      readonly taken?: () => void;
    }
  | { readonly ok: false; readonly error: OperationError };

/** Errors are named from `Deno.errors` or a DOMException; nothing else of the host crosses. */
export interface OperationError {
  /** `NotCapable`, `NotFound`, `AlreadyExists`, `InvalidData`, `TypeError`, … */
  readonly name: string;
  readonly message: string;
  /** `ENOENT`, … where Deno sets it. */
  readonly code?: string;
}

/**
 * Answers one operation of one call.
 *
 * The handler is bound to a call by the host; nothing the guest sent selects it. It answers every input and never
 * rejects for what a guest did.
 */
export type HostCallHandler = (operation: HostOperation) => Promise<HostAnswer>;
