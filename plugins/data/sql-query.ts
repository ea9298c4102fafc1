/** The one tool that runs natively, after the user trusts the plugin: the sandbox has no SQLite. */

import type { SqlQueryArgs, SqlQueryOutput } from "./bascule.d.ts";
import { queryTables } from "./sql.ts";
import { rowsOfFile } from "./sql-tables.ts";

const DEFAULT_ROWS = 500;

/** Runs a query over tables that exist for this call only. */
export async function sql_query(args: SqlQueryArgs): Promise<SqlQueryOutput> {
  const tables = new Map<string, readonly unknown[]>();
  const put = (name: string, rows: unknown): void => {
    if (tables.has(name)) throw new Error(`Duplicate table "${name}" (rename one)`);
    if (!Array.isArray(rows)) throw new Error(`Table "${name}" must be an array of rows`);
    tables.set(name, rows);
  };
  for (const [name, rows] of Object.entries(args.tables ?? {})) put(name, rows);
  for (const { table, path } of args.files ?? []) put(table, rowsOfFile(path, await Deno.readTextFile(path)));
  return queryTables(tables, { sql: args.sql, parameters: args.parameters ?? [], maxRows: args.maxRows ?? DEFAULT_ROWS });
}
