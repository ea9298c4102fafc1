/** What is wrong with a document, where, and what to write instead. */

import { showHidden } from "./hidden-text.ts";

/** How much a problem matters: an `error` refuses the document, a `warning` is shown and the document is used. */
export type Severity = "error" | "warning";

/**
 * One thing that is wrong with a document (a manifest, a settings file, `bascule.json`, a tool's arguments).
 *
 * `pointer` is an RFC 6901 JSON pointer (`""` is the whole document); `line` and `column` count from 1 and are
 * absent when the value did not come from text.
 */
export interface Problem {
  readonly severity: Severity;
  readonly pointer: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong: capital, no period, values quoted. */
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
}

/** A document read into a value, or every problem found in it at once. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A problem in one line for people: `/tools/0/name (line 4, column 13): … (write …)`, hidden characters written out. */
export function problemToText(problem: Problem): string {
  const place = problem.line === undefined ? "" : ` (line ${problem.line}, column ${problem.column ?? 1})`;
  const where = problem.pointer === "" ? "document" : problem.pointer;
  const fix = problem.fix === undefined ? "" : ` (${problem.fix})`;
  return showHidden(`${where}${place}: ${problem.message}${fix}`).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
