/** The guest's one way out: `operation(JSON, bytes?) → (JSON, bytes?)` (architecture, decision 9). */

import type { JsonValue } from "../manifests/mod.ts";

/** One act of a guest or of a host tool: JSON in, JSON out, bytes beside it. */
export interface HostOperation {
  /** `fs.readFile`, `env.get`, `permissions.query`, … Guest-controlled: an unknown name is an error answer. */
  readonly name: string;
  readonly args: JsonValue;
  readonly bytes?: Uint8Array;
}

/** The answer that crosses back. */
export type HostAnswer =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes?: Uint8Array }
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
