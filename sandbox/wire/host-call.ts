/** The guest's only interface to the host: `operation(JSON, bytes?) → (JSON, bytes?)` (architecture, decision 9). */

import type { JsonValue } from "../../manifests/mod.ts";

/** One operation of a guest or of a host tool: JSON in, JSON out, with optional bytes. */
export interface HostOperation {
  /** `fs.readFile`, `env.get`, `permissions.query`, … Controlled by the guest: an unknown name gets an error answer. */
  readonly name: string;
  readonly args: JsonValue;
  /** Characters of the arguments' JSON. Absent: unknown. */
  readonly argsLength?: number;
  readonly bytes?: Uint8Array;
  /** Number of the operation in its call, from 1, in the order of sending: large arguments are read later. Absent: unknown. */
  readonly place?: number;
  /** Called before a large answer's bytes are read. Absent: there is always room. */
  readonly room?: Room;
}

/**
 * Waits until `bytes` may be in flight to the guest. A second call replaces the first reservation. False: the signal was aborted, and
 * nothing may be read.
 */
export type Room = (bytes: number, signal: AbortSignal) => Promise<boolean>;

/** The answer to an operation, as the guest receives it. */
export type HostAnswer =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /**
       * JSON of a value above 64 KB, which crosses in place of the value. Owned by the answer, and never combined with `bytes` (SPEC
       * LV2).
       */
      readonly json?: Uint8Array;
      readonly bytes?: Uint8Array;
      /** The answer owns the bytes: large ones are transferred, which detaches them for any other holder. */
      readonly moves?: true;
      /** Called once the bytes are in the guest, or will never be. */
      readonly taken?: () => void;
    }
  | { readonly ok: false; readonly error: OperationError };

/** An error named after `Deno.errors` or a DOMException. No other detail of the host crosses. */
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
 * The host binds the handler to a call; guest input cannot select it. It answers every input and never rejects because of a guest.
 */
export type HostCallHandler = (operation: HostOperation) => Promise<HostAnswer>;

/** Operations that wait for a confirmation (SPEC D4, E7). If synchronous, they are bounded by the call's wall time. */
export const ASKS_PERSON: ReadonlySet<string> = new Set(["permissions.request", "tools.asked"]);
