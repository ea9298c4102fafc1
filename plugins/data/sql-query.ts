/** The tool that runs natively, once it is trusted: the sandbox has no SQLite. */

import type { SqlQueryArgs, SqlQueryOutput } from "./bascule.d.ts";
import { queryTables } from "./sql.ts";
import { rowsOfFile } from "./sql-tables.ts";

const DEFAULT_ROWS = 500;

/** Runs a query over tables that exist for it only. */
export async function sql_query(args: SqlQueryArgs): Promise<SqlQueryOutput> {
  const tables = new Map<string, readonly unknown[]>();
  const put = (name: string, rows: unknown): void => {
    if (tables.has(name)) throw new Error(`There are two tables "${name}" (give one of them another name)`);
    if (!Array.isArray(rows)) throw new Error(`Table "${name}" is no array of rows`);
    tables.set(name, rows);
  };
  for (const [name, rows] of Object.entries(args.tables ?? {})) put(name, rows);
  for (const { table, path } of args.files ?? []) put(table, rowsOfFile(path, await Deno.readTextFile(path)));
  return queryTables(tables, { sql: args.sql, parameters: args.parameters ?? [], maxRows: args.maxRows ?? DEFAULT_ROWS });
}
