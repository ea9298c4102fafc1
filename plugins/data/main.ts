/** Tools that convert data. They need no permission because the caller passes the data. `sql_query` is in `sql-query.ts`. */

import type {
  CsvToJsonArgs,
  CsvToJsonOutput,
  JsonParseArgs,
  JsonParseOutput,
  JsonQueryArgs,
  JsonQueryOutput,
  JsonToCsvArgs,
  JsonToCsvOutput,
} from "./bascule.d.ts";
import { readCsv } from "./csv-read.ts";
import { writeCsv } from "./csv-write.ts";
import { readJson } from "./json-read.ts";
import { query } from "./query.ts";

const DEFAULT_ROWS = 10_000;

/** Evaluates a JMESPath expression; null if nothing matches. */
export async function json_query(args: JsonQueryArgs): Promise<JsonQueryOutput> {
  if ((args.data === undefined) === (args.json === undefined))
    throw new Error('Give either "data" (the value) or "json" (its text), not both or neither');
  const data = args.json === undefined ? args.data : readJson(args.json, false).value;
  return { result: query(data, args.expression) };
}

/** Parses JSON text and reports where it is invalid. */
export async function json_parse(args: JsonParseArgs): Promise<JsonParseOutput> {
  const { value, warnings } = readJson(args.text, args.lenient ?? false);
  return { value, type: typeOf(value), warnings };
}

/** Parses CSV text. */
export async function csv_to_json(args: CsvToJsonArgs): Promise<CsvToJsonOutput> {
  const { csv, delimiter = "auto", header = true, types = false, maxRows = DEFAULT_ROWS } = args;
  if (delimiter !== "auto") requireDelimiter(delimiter);
  return readCsv(csv, { delimiter, header, types, maxRows });
}

/** Writes rows as CSV text. */
export async function json_to_csv(args: JsonToCsvArgs): Promise<JsonToCsvOutput> {
  const { rows, columns, delimiter = ",", header = true, crlf = false, escapeFormulas = false } = args;
  requireDelimiter(delimiter);
  const options = { delimiter, header, newline: crlf ? "\r\n" : "\n", escapeFormulas } as const;
  return writeCsv(rows, columns === undefined ? options : { ...options, columns });
}

function requireDelimiter(delimiter: string): void {
  if (delimiter.length !== 1 || /["\r\n\uFEFF]/u.test(delimiter))
    throw new Error(`Cannot use ${JSON.stringify(delimiter)} as a delimiter (give one character other than a quote or line end)`);
}

function typeOf(value: unknown): JsonParseOutput["type"] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // Tool results are JSON values only.
  return typeof value as "boolean" | "number" | "string" | "object";
}
