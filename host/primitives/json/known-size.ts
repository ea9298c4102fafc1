/** Remembers the sizes of values above 64 KB that were read or copied from outside, so that they are measured once (SPEC LV2). */

import type { JsonValue } from "../../../manifests/mod.ts";

export interface KnownSize {
  /** Counted as in `copyJson`. */
  readonly bytes: number;
  /** Nesting depth of containers. */
  readonly depth: number;
}

/** Maximum bytes of a value that is processed at once. */
export const LARGE_VALUE: number = 64 * 1024;

const SIZES = new WeakMap<object, KnownSize>();
const TEXTS = new WeakMap<object, string>();

/** Remembers the size of a large container, which must be deeply frozen. */
export function noteSize(value: object, { bytes, depth }: KnownSize): void {
  if (bytes > LARGE_VALUE) SIZES.set(value, { bytes, depth: depth + 1 });
}

/** Returns undefined for a small value, or one that was never measured. */
export function sizeOf(value: unknown): KnownSize | undefined {
  return typeof value === "object" && value !== null ? SIZES.get(value) : undefined;
}

/** Copies the size to a value that was made from `before` by a small change. */
export function noteSameSize(value: JsonValue, before: JsonValue): void {
  const size = sizeOf(before);
  if (size !== undefined && typeof value === "object" && value !== null) SIZES.set(value, size);
}

/** Remembers the JSON text of a value for its next use. */
export function noteText(value: JsonValue, text: string): void {
  if (typeof value === "object" && value !== null) TEXTS.set(value, text);
}

export function textOf(value: JsonValue): string | undefined {
  return typeof value === "object" && value !== null ? TEXTS.get(value) : undefined;
}
