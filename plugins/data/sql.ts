/**
 * Runs SQL over tables that exist for one query, with the runtime's SQLite: in memory, deleted with the call.
 *
 * The sandbox has no SQLite, so the plugin must be trusted and run natively. It is then held by Deno's permissions (with which
 * SQLite opens no files) and the check below: only a statement that reads is ever prepared.
 */

import { quoteName, readRows, toStored, toTable, type SqlTable, type Stored } from "./sql-tables.ts";

/** A value as JSON. Whole numbers beyond the precision of a double, and bytes (in base64), become text. */
export type SqlValue = string | number | null;

export interface SqlAnswer {
  columns: string[];
  rows: SqlValue[][];
  complete: boolean;
}

interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly maxRows: number;
}

/** The part of `node:sqlite` that is used; Deno has the module too. */
interface Statement {
  run(...values: readonly Stored[]): unknown;
  all(...values: readonly Stored[]): readonly (Readonly<Record<string, unknown>> | readonly unknown[])[];
  columns(): readonly { readonly name: string }[];
  setReadBigInts(on: boolean): void;
  setReturnArrays(on: boolean): void;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
type Sqlite = { readonly DatabaseSync: new (path: string) => Database };

/**
 * @param tables rows by table name
 * @throws {Error} with SQLite's message, or if the statement is not a query.
 */
export function queryTables(tables: ReadonlyMap<string, readonly unknown[]>, query: Query): SqlAnswer {
  requireQuery(query.sql);
  const database = new (findSqlite().DatabaseSync)(":memory:");
  try {
    for (const [name, rows] of tables) fill(database, toTable(name, readRows(name, rows)));
    return ask(database, query);
  } catch (error) {
    if (!isSqlError(error)) throw error;
    throw new Error(`SQLite cannot run the query: ${error.message}${knownTables(error.message, tables)}`, { cause: error });
  } finally {
    database.close();
  }
}

/** Writing statements would be harmless here; statements that attach files or load libraries would not. */
function requireQuery(sql: string): void {
  const begin = sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)+/u, "");
  if (/^(?:select|with|values)\b/iu.test(begin)) return;
  const found = /^\S{1,20}/u.exec(begin)?.[0];
  throw new Error(
    `Only queries are allowed: begin with SELECT, WITH or VALUES${found === undefined ? "" : `, not ${JSON.stringify(found)}`} (the tables are made of "tables" and "files")`,
  );
}

function findSqlite(): Sqlite {
  const { process } = globalThis as unknown as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } };
  const found = process?.getBuiltinModule?.("node:sqlite");
  if (found === undefined)
    throw new Error('sql_query needs the SQLite of Deno or Node: trust the plugin, and set the tool\'s route to "host"');
  // The module has the documented shape.
  return found as Sqlite;
}

function fill(database: Database, { name, columns, rows }: SqlTable): void {
  database.exec(`CREATE TABLE ${quoteName(name)} (${columns.map(quoteName).join(", ")})`);
  const insert = database.prepare(`INSERT INTO ${quoteName(name)} VALUES (${columns.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  for (const row of rows) insert.run(...row);
  database.exec("COMMIT");
}

function ask(database: Database, { sql, parameters, maxRows }: Query): SqlAnswer {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name }) => name);
  // Not `iterate()`: Deno 2.9 takes an error in the middle for the end of the rows.
  const found = statement.all(...parameters.map(toStored));
  const rows = found.slice(0, maxRows).map((row) => (Array.isArray(row) ? row : Object.values(row)).map(toJson));
  return { columns, rows, complete: found.length <= maxRows };
}

function toJson(value: unknown): SqlValue {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  return typeof value === "string" ? value : null;
}

function knownTables(message: string, tables: ReadonlyMap<string, unknown>): string {
  if (!message.includes("no such table")) return "";
  return tables.size === 0 ? ' (there are none: give "tables" or "files")' : ` (there are ${[...tables.keys()].join(", ")})`;
}

function isSqlError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("ERR_SQLITE");
}
