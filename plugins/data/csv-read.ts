/** Reads CSV text into rows, as RFC 4180 defines it and as spreadsheets write it. */

import { parse, type ParseError } from "./vendor/papaparse.js";
import { type Field, toTyped } from "./csv-types.ts";
import { describePlace, placeOf } from "./text-place.ts";

const MAX_PROBLEMS = 50;
/** Maximum columns. Wider tables are texts read with the wrong delimiter, or attacks. */
const MAX_COLUMNS = 5_000;

/** Options for reading a text. */
export interface ReadOptions {
  /** Delimiter: one character, or "auto". */
  delimiter: string;
  /** Whether the first row has the column names. */
  header: boolean;
  /** Whether to convert fields that look like numbers, booleans and nulls. */
  types: boolean;
  /** Maximum rows returned; further rows are only counted. */
  maxRows: number;
}

/** Problems that did not stop the reading. */
export interface RowProblem {
  line: number;
  message: string;
}

/** The parsed text. Rows are objects if there is a header, else arrays. */
export interface Table {
  columns: string[];
  rows: (Record<string, Field> | Field[])[];
  /** Count of rows in the whole text, without the header. */
  rowCount: number;
  complete: boolean;
  delimiter: string;
  problems: RowProblem[];
}

/**
 * Reads CSV text; a byte order mark and blank lines are skipped.
 *
 * A row with fewer fields than columns gets null for the missing ones, a row with more gets columns `column_N`; both are listed
 * under `problems`.
 *
 * @throws {Error} with line and column if a quoted field is never closed or continues after its closing quote.
 */
export function readCsv(source: string, options: ReadOptions): Table {
  const text = unifyLineEnds(source.replace(/^\uFEFF/u, ""));
  const newline = lineEndOf(text);
  const table = createTable(options);
  let index = 0;
  let line = 1;
  parse(text, {
    delimiter: options.delimiter === "auto" ? guessDelimiter(text, newline) : options.delimiter,
    newline,
    step: ({ data, errors, meta }) => {
      const wrong = errors.find((error) => error.type === "Quotes");
      if (wrong !== undefined) throw quoteError(text, wrong);
      // An empty unquoted field at the very end only follows the last line end.
      const isAfterTheEnd = meta.cursor === text.length && index === text.length;
      if (!isAfterTheEnd) table.add(data, line, meta.delimiter);
      line += countLines(text, index, meta.cursor, newline);
      index = meta.cursor;
    },
  });
  return table.finish();
}

/** Detects the delimiter from the first ten rows: comma, tab, bar, semicolon, or a control character in its place; comma if unclear. */
function guessDelimiter(text: string, newline: LineEnd): string {
  return parse(text, { delimiter: "", newline, preview: 1, skipEmptyLines: true }).meta.delimiter;
}

interface TableBuilder {
  add(fields: string[], line: number, delimiter: string): void;
  finish(): Table;
}

function createTable({ header, types, maxRows, delimiter: wanted }: ReadOptions): TableBuilder {
  const problems: RowProblem[] = [];
  const rows: Field[][] = [];
  let names: string[] | undefined;
  /** Number of columns in the header, or in the first row. */
  let expected: number | undefined;
  let rowCount = 0;
  let delimiter = wanted === "auto" ? "," : wanted;

  const report = (line: number, message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ line, message });
    else if (problems.length === MAX_PROBLEMS) problems.push({ line, message: "This row and later ones have problems too" });
  };

  return {
    add(fields, line, found) {
      delimiter = found;
      if (fields.length > MAX_COLUMNS)
        throw new Error(`Cannot read the CSV: line ${line} has ${fields.length} fields, more than ${MAX_COLUMNS}`);
      const isBlank = fields.length === 1 && fields[0] === "";
      if (names === undefined && header) {
        if (isBlank) return;
        names = nameColumns(fields, (message) => report(line, message));
        expected = names.length;
        return;
      }
      if (isBlank && expected !== 1) return;
      names ??= fields.map((_, index) => columnName(index));
      expected ??= fields.length;
      rowCount += 1;
      if (fields.length !== expected) report(line, `${countOf(fields.length, "field")}, but ${countOf(expected, "column")}`);
      if (names.length < fields.length) names = widen(names, fields.length);
      if (rows.length < maxRows) rows.push(types ? fields.map(toTyped) : fields);
    },
    finish() {
      const columns = names ?? [];
      const whole = header ? rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))) : rows;
      return { columns, rows: whole, rowCount, complete: rows.length === rowCount, delimiter, problems };
    },
  };
}

/** Makes names unique; a missing name, or one that objects here cannot have, is replaced by the column's position. */
function nameColumns(fields: readonly string[], report: (message: string) => void): string[] {
  const taken = new Set(fields);
  const names = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const isUsable = field !== "" && field !== "__proto__";
    const isFree = isUsable && !names.has(field);
    const name = isFree ? field : freeName(isUsable ? `${field}_${index + 1}` : columnName(index), taken);
    if (!isFree)
      report(
        `Column ${index + 1} is called ${JSON.stringify(name)}: the name ${JSON.stringify(field)} ${isUsable ? "is already used" : "cannot be used"}`,
      );
    names.add(name);
    taken.add(name);
  }
  return [...names];
}

function widen(names: readonly string[], width: number): string[] {
  const taken = new Set(names);
  while (taken.size < width) taken.add(freeName(columnName(taken.size), taken));
  return [...taken];
}

function columnName(index: number): string {
  return `column_${index + 1}`;
}

/** Adds underscores to `name` until it is unique. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  while (taken.has(free)) free += "_";
  return free;
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

type LineEnd = "\n" | "\r\n" | "\r";

/** If line ends are mixed, converts all of them outside of quotes to `\n`. */
function unifyLineEnds(text: string): string {
  if (!text.includes("\r")) return text;
  const outside = text.replace(QUOTED, "");
  const crlf = outside.split("\r\n").length - 1;
  const others = outside.replaceAll("\r\n", "");
  const isMixed = Number(crlf > 0) + Number(others.includes("\n")) + Number(others.includes("\r")) > 1;
  if (!isMixed) return text;
  return text.replace(/"[^"]*"|\r\n?/gu, (piece) => (piece.startsWith('"') ? piece : "\n"));
}

const QUOTED = /"[^"]*"/gu;

function lineEndOf(text: string): LineEnd {
  if (!text.includes("\r")) return "\n";
  const outside = text.replace(QUOTED, "");
  if (outside.includes("\r\n")) return "\r\n";
  return outside.includes("\r") ? "\r" : "\n";
}

function countLines(text: string, from: number, to: number, newline: LineEnd): number {
  let lines = 0;
  // Line ends within quotes may differ; each counts as in an editor.
  const piece = text.slice(from, to);
  const ends = newline === "\r" ? /\r/gu : /\n/gu;
  while (ends.test(piece)) lines += 1;
  return lines;
}

function quoteError(text: string, error: ParseError): Error {
  // The parser's position is after the opening quote.
  const place = describePlace(placeOf(text, Math.max(0, (error.index ?? 0) - 1)));
  if (error.code === "MissingQuotes") return new Error(`Cannot read the CSV: the quoted field that begins at ${place} is never closed`);
  return new Error(
    `Cannot read the CSV: the quoted field that begins at ${place} goes on after its closing quote (write a quote within quotes twice: "")`,
  );
}
