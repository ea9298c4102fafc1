/** What is passed along while a manifest in the older spelling is converted (SPEC M9). */

import type { Problem } from "./problem.ts";

/** What is needed to resolve names of the older spelling. */
export interface LegacyContext {
  readonly files?: ReadonlySet<string>;
  readonly plugins?: ReadonlySet<string>;
}

/** What is collected while converting. */
export interface LegacyDraft {
  /** Their pointers lead into the original text. */
  readonly problems: Problem[];
  /** From canonical pointers to original ones, where they differ. */
  readonly places: Map<string, string>;
  readonly assumed: Set<number>;
  readonly context: LegacyContext;
}

/** Adds an error; `pointer` leads into the canonical form. */
export function refuseLegacy(draft: LegacyDraft, pointer: string, message: string, fix: string): void {
  draft.problems.push({ severity: "error", pointer: toOriginal(pointer, draft.places), message, fix });
}

/** Adds a warning; `pointer` leads into the canonical form. */
export function warnLegacy(draft: LegacyDraft, pointer: string, message: string, fix: string): void {
  draft.problems.push({ severity: "warning", pointer: toOriginal(pointer, draft.places), message, fix });
}

/** Says that a file of the older spelling uses a name of the newer one, which stands at `pointer` in the text. */
export function refuseMixture(draft: LegacyDraft, pointer: string, key: string): void {
  draft.problems.push({
    severity: "error",
    pointer,
    message: `Field "${key}" is of the newer spelling, but "schema_version" marks the file as the older one`,
    fix: 'use one spelling; "bascule check --fix" writes the newer one',
  });
}

/** A pointer into the original text: the longest known beginning is replaced. */
export function toOriginal(pointer: string, places: ReadonlyMap<string, string>): string {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
    const place = places.get(pointer.slice(0, end));
    if (place !== undefined) return place + pointer.slice(end);
  }
  return pointer;
}
