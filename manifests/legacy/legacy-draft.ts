/** State of the conversion of a manifest in the older spelling (SPEC M9). */

import type { Problem } from "../text/problem.ts";

/** Input for resolving names of the older spelling. */
export interface LegacyContext {
  readonly files?: ReadonlySet<string>;
  readonly plugins?: ReadonlySet<string>;
}

/** Results collected during the conversion. */
export interface LegacyDraft {
  /** Problems with pointers into the original text. */
  readonly problems: Problem[];
  /** Map of canonical pointers to original ones, where they differ. */
  readonly places: Map<string, string>;
  readonly assumed: Set<number>;
  readonly context: LegacyContext;
}

/** Adds an error; `pointer` refers to the canonical form. */
export function refuseLegacy(draft: LegacyDraft, pointer: string, message: string, fix: string): void {
  draft.problems.push({ severity: "error", pointer: toOriginal(pointer, draft.places), message, fix });
}

/** Adds a warning; `pointer` refers to the canonical form. */
export function warnLegacy(draft: LegacyDraft, pointer: string, message: string, fix: string): void {
  draft.problems.push({ severity: "warning", pointer: toOriginal(pointer, draft.places), message, fix });
}

/** Refuses a name of the newer spelling in a file of the older one; `pointer` is its place in the text. */
export function refuseMixture(draft: LegacyDraft, pointer: string, key: string): void {
  draft.problems.push({
    severity: "error",
    pointer,
    message: `Field "${key}" belongs to the newer spelling, but "schema_version" marks the file as the older one`,
    fix: 'use one spelling; "bascule check --fix" writes the newer one',
  });
}

/** Maps a pointer into the original text by replacing its longest known beginning. */
export function toOriginal(pointer: string, places: ReadonlyMap<string, string>): string {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
    const place = places.get(pointer.slice(0, end));
    if (place !== undefined) return place + pointer.slice(end);
  }
  return pointer;
}
