/** Makes the answers that cross to the guest. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";

export function answer(value: JsonValue, bytes?: Uint8Array): HostAnswer {
  return { ok: true, value, ...(bytes && { bytes }) };
}

/** @param name from `Deno.errors`, or a standard error's */
export function failure(name: string, message: string, code?: string): HostAnswer {
  return { ok: false, error: { name, message, ...(code !== undefined && { code }) } };
}
