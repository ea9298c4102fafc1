/** Makes tables from rows, and from files that hold rows. */

import { readCsv } from "./csv-read.ts";
import { readJson } from "./json-read.ts";

const MAX_COLUMNS = 500;
const MAX_ROWS = 100_000;
const MAX_FILE_CHARACTERS = 8_000_000;
/** Prefix of names that SQLite reserves. */
const RESERVED = /^sqlite_/iu;

/** A value to bind: whole numbers as bigint, so that 7 / 2 is 3 as in SQL. */
export type Stored = string | number | bigint | null;

export interface SqlTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Stored[])[];
}

type Row = Readonly<Record<string, unknown>>;

/** @throws {Error} if the rows are not all objects. */
export function readRows(table: string, rows: readonly unknown[]): readonly Row[] {
  if (rows.length > MAX_ROWS) throw new Error(`Table "${table}" has ${rows.length} rows, more than ${MAX_ROWS}`);
  return rows.map((row, index) => {
    if (typeof row === "object" && row !== null && !Array.isArray(row)) return row as Row;
    throw new Error(
      `Row ${index + 1} of table "${table}" is ${JSON.stringify(row)?.slice(0, 40)}, not an object (one member for each column)`,
    );
  });
}

/** Columns are the members of all rows, in the order in which they first occur; a missing value becomes NULL. */
export function toTable(name: string, rows: readonly Row[]): SqlTable {
  if (name === "" || RESERVED.test(name) || name.includes("\0")) throw new Error(`Invalid table name "${name}"`);
  const columns = new Map<string, string>();
  for (const row of rows)
    for (const column of Object.keys(row)) {
      // SQLite ignores case in names.
      const known = columns.get(column.toLowerCase());
      if (known === undefined) columns.set(column.toLowerCase(), column);
      else if (known !== column)
        throw new Error(`Table "${name}" has columns "${known}" and "${column}", which SQLite treats as equal (rename one)`);
    }
  if (columns.size === 0) throw new Error(`Table "${name}" has no columns (give at least one row)`);
  if (columns.size > MAX_COLUMNS) throw new Error(`Table "${name}" has ${columns.size} columns, more than ${MAX_COLUMNS}`);
  const names = [...columns.values()];
  return {
    name,
    columns: names,
    rows: rows.map((row) => names.map((column) => toStored(Object.hasOwn(row, column) ? row[column] : null))),
  };
}

/** Converts booleans to 1 and 0, as SQLite does, and nested values to JSON text, which SQLite's JSON functions read. */
export function toStored(value: unknown): Stored {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Parses rows of a file. The extension decides the format: a JSON array, one JSON value in each line (.jsonl, .ndjson), or else
 * CSV with a header.
 */
export function rowsOfFile(path: string, text: string): readonly unknown[] {
  if (text.length > MAX_FILE_CHARACTERS) throw new Error(`"${path}" has ${text.length} characters, more than ${MAX_FILE_CHARACTERS}`);
  if (/\.(?:jsonl|ndjson)$/iu.test(path))
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [readJson(line, false).value]));
  if (/\.json$/iu.test(path)) {
    const { value } = readJson(text, false);
    if (Array.isArray(value)) return value;
    throw new Error(`"${path}" has no array of rows`);
  }
  const { rows, complete } = readCsv(text, { delimiter: "auto", header: true, types: true, maxRows: MAX_ROWS });
  if (!complete) throw new Error(`"${path}" has more than ${MAX_ROWS} rows`);
  return rows;
}

/** Quotes a name, so that no part of it is read as SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
