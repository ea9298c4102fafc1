/** What the plugin uses of papaparse. */

export interface ParseError {
  readonly type: "Quotes" | "Delimiter" | "FieldMismatch";
  readonly code: string;
  /** Where it is in the text, in UTF-16 units. */
  readonly index?: number;
}

export interface RowResult {
  readonly data: string[];
  readonly errors: readonly ParseError[];
  /** `cursor` is where the next row begins. */
  readonly meta: { readonly delimiter: string; readonly cursor: number };
}

export interface ParseOptions {
  /** "" to guess. */
  readonly delimiter: string;
  readonly newline: "\n" | "\r\n" | "\r";
  readonly step?: (row: RowResult) => void;
  /** No more rows than so many. */
  readonly preview?: number;
  readonly skipEmptyLines?: boolean;
}

/** With `step` the rows go there. */
export function parse(text: string, options: ParseOptions): { readonly meta: { readonly delimiter: string } };

export interface UnparseOptions {
  readonly delimiter: string;
  readonly newline: "\n" | "\r\n";
  readonly escapeFormulae: boolean | RegExp;
  readonly quotes: (value: unknown, column: number) => boolean;
}

export function unparse(rows: readonly (readonly unknown[])[], options: UnparseOptions): string;
