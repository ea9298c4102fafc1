/** Creates the answers to guest operations. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";

/** Below this size, copying is cheaper than transferring. */
const LEAST_MOVED_BYTES = 64 * 1024;

/** Creates a success: JSON, and bytes beside it. The bytes are transferred to the guest, so the caller must own them. */
export function answer(value: JsonValue, bytes?: Uint8Array): HostAnswer {
  if (bytes === undefined) return { ok: true, value };
  return bytes.length < LEAST_MOVED_BYTES ? { ok: true, value, bytes } : { ok: true, value, bytes, moves: true };
}

/** Room for two paths of maximum length; messages quote what the guest sent. */
const MAX_MESSAGE_LENGTH = 10_000;

/** @param name from `Deno.errors`, or the name of a standard error */
export function failure(name: string, message: string, code?: string): HostAnswer {
  const shown = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  // Replaces lone surrogates, which not every boundary can carry.
  return { ok: false, error: { name, message: shown.replace(/\p{Surrogate}/gu, "\ufffd"), ...(code !== undefined && { code }) } };
}
