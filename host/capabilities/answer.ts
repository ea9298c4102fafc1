/** Makes the answers that cross to the guest. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";

/** Copying fewer is cheaper than moving them. */
const LEAST_MOVED_BYTES = 64 * 1024;

/** A success: JSON, and bytes beside it, which nobody else holds: they are moved to the guest. */
export function answer(value: JsonValue, bytes?: Uint8Array): HostAnswer {
  if (bytes === undefined) return { ok: true, value };
  return bytes.length < LEAST_MOVED_BYTES ? { ok: true, value, bytes } : { ok: true, value, bytes, moves: true };
}

/** Room for two paths of the longest kind; what a guest sends is in its messages. */
const MAX_MESSAGE_LENGTH = 10_000;

/** @param name from `Deno.errors`, or a standard error's */
export function failure(name: string, message: string, code?: string): HostAnswer {
  const shown = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  // A lone surrogate is no text that every boundary carries.
  return { ok: false, error: { name, message: shown.replace(/\p{Surrogate}/gu, "\ufffd"), ...(code !== undefined && { code }) } };
}
