/** Problems of a document, with their places and fixes. */

import { showHidden } from "./hidden-text.ts";

/** Severity: an `error` refuses the document, a `warning` is shown and the document is used. */
export type Severity = "error" | "warning";

/**
 * One problem of a document (a manifest, a settings file, `bascule.json`, a tool's arguments).
 *
 * `pointer` is an RFC 6901 JSON pointer (`""` is the whole document); `line` and `column` count from 1 and are absent if the
 * value was not parsed from text.
 */
export interface Problem {
  readonly severity: Severity;
  readonly pointer: string;
  /** Path in the plugin's folder, of a problem that is not in the manifest. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Description: capital, no period, values quoted. */
  readonly message: string;
  /** Advice on what to write instead. */
  readonly fix?: string;
}

/** A parsed document, or all its problems. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Formats a problem on one line: `/tools/0/name (line 4, column 13): … (write …)`, with hidden characters escaped. */
export function problemToText(problem: Problem): string {
  const place = problem.line === undefined ? "" : ` (line ${problem.line}, column ${problem.column ?? 1})`;
  const where = problem.pointer === "" ? "document" : problem.pointer;
  const fix = problem.fix === undefined ? "" : ` (${problem.fix})`;
  return showHidden(`${where}${place}: ${problem.message}${fix}`).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
