/** The sizes of values above 64 KB that were read, or copied, from outside, so that none is measured a second time (SPEC LV2). */

import type { JsonValue } from "../../../manifests/mod.ts";

export interface KnownSize {
  /** As `copyJson` counts. */
  readonly bytes: number;
  /** Levels of containers. */
  readonly depth: number;
}

/** Values up to this are handled in one go. In bytes. */
export const LARGE_VALUE: number = 64 * 1024;

const SIZES = new WeakMap<object, KnownSize>();
const TEXTS = new WeakMap<object, string>();

/** Keeps the size of a large container, which must be frozen down to its leaves. */
export function noteSize(value: object, { bytes, depth }: KnownSize): void {
  if (bytes > LARGE_VALUE) SIZES.set(value, { bytes, depth: depth + 1 });
}

/** Undefined for a value that is small, or was never measured. */
export function sizeOf(value: unknown): KnownSize | undefined {
  return typeof value === "object" && value !== null ? SIZES.get(value) : undefined;
}

/** What was made of `value` by changing a little of it. */
export function noteSameSize(value: JsonValue, before: JsonValue): void {
  const size = sizeOf(before);
  if (size !== undefined && typeof value === "object" && value !== null) SIZES.set(value, size);
}

/** The JSON of a value, for its next use. */
export function noteText(value: JsonValue, text: string): void {
  if (typeof value === "object" && value !== null) TEXTS.set(value, text);
}

export function textOf(value: JsonValue): string | undefined {
  return typeof value === "object" && value !== null ? TEXTS.get(value) : undefined;
}
