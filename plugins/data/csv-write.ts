/** Writes rows as CSV text. */

import { unparse } from "./vendor/papaparse.js";

/** First characters of texts that a spreadsheet takes for a formula, as listed by OWASP. */
const FORMULA = /^[=+\-@\t\r]/u;

/** Options for writing rows. */
export interface WriteOptions {
  /** Delimiter, one character. */
  delimiter: string;
  /** Whether the first row has the column names. */
  header: boolean;
  newline: "\n" | "\r\n";
  /** Whether to put an apostrophe before texts that a spreadsheet would evaluate. */
  escapeFormulas: boolean;
  /** Columns and their order; default: all, in the order in which they first occur. */
  columns?: readonly string[];
}

/** The written text and its figures. */
export interface Written {
  csv: string;
  columns: string[];
  rowCount: number;
  /** Count of texts that a spreadsheet takes for formulas, escaped or not. */
  formulaCells: number;
}

/**
 * Writes objects, or arrays of fields, as CSV. Null and missing values become empty fields; objects and arrays become JSON text.
 *
 * @throws {Error} if the rows are not all objects or all arrays, or if `columns` has a name that occurs in no row.
 */
export function writeCsv(rows: readonly unknown[], options: WriteOptions): Written {
  const { columns, records } = toRecords(rows, options.columns);
  let formulaCells = 0;
  const cells = records.map((record) =>
    record.map((value) => {
      const cell = toCell(value);
      if (typeof cell === "string" && FORMULA.test(cell)) formulaCells += 1;
      return cell;
    }),
  );
  const header = options.header && columns.length > 0 ? [columns] : [];
  const csv = unparse([...header, ...cells], {
    delimiter: options.delimiter,
    newline: options.newline,
    escapeFormulae: options.escapeFormulas ? /^[=+\-@\t\r][^]*$/u : false,
    // A blank line would be read as no row.
    quotes: (value) => value === "" && columns.length === 1,
  });
  const end = csv === "" && cells.length === 0 ? "" : options.newline;
  return { csv: csv + end, columns, rowCount: cells.length, formulaCells };
}

interface Records {
  readonly columns: string[];
  readonly records: readonly (readonly unknown[])[];
}

function toRecords(rows: readonly unknown[], wanted: readonly string[] | undefined): Records {
  const odd = rows.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row) !== Array.isArray(rows[0]));
  if (odd !== -1)
    throw new Error(
      `Cannot write CSV: row ${odd + 1} is ${kindOf(rows[odd])}${odd === 0 ? "" : `, row 1 is ${kindOf(rows[0])}`} (give all objects or all arrays)`,
    );
  const arrays = rows.filter((row) => Array.isArray(row));
  if (arrays.length > 0) return fromArrays(arrays, wanted);
  // All rows are objects here.
  return fromObjects(rows as readonly Readonly<Record<string, unknown>>[], wanted);
}

function fromArrays(rows: readonly (readonly unknown[])[], wanted: readonly string[] | undefined): Records {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (wanted !== undefined && wanted.length < width)
    throw new Error(`Cannot write CSV: a row has ${width} fields, but there are ${wanted.length} columns (name every column)`);
  const columns = wanted ?? Array.from({ length: width }, (_, index) => `column_${index + 1}`);
  return { columns: [...columns], records: rows.map((row) => columns.map((_, index) => row[index])) };
}

function fromObjects(rows: readonly Readonly<Record<string, unknown>>[], wanted: readonly string[] | undefined): Records {
  const met = new Set(rows.flatMap((row) => Object.keys(row)));
  const unknown = rows.length === 0 ? undefined : wanted?.find((name) => !met.has(name));
  if (unknown !== undefined)
    throw new Error(
      `Cannot write CSV: unknown column ${JSON.stringify(unknown)} (there are ${[...met].map((name) => JSON.stringify(name)).join(", ")})`,
    );
  const columns = [...(wanted ?? met)];
  return { columns, records: rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined))) };
}

function toCell(value: unknown): string | number | boolean {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
