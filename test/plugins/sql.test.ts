import { access, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createHost } from "../../host/mod.ts";
import { queryTables, type SqlAnswer } from "../../plugins/data/sql.ts";
import { rowsOfFile } from "../../plugins/data/sql-tables.ts";
import { memoryPlatform } from "../support/memory-platform.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PEOPLE = [
  { name: "Ada", city: "London", age: 36 },
  { name: "Alan", city: "London", age: 41 },
  { name: "Grace", city: "New York" },
];

function query(sql: string, tables: Readonly<Record<string, readonly unknown[]>> = {}, parameters: readonly unknown[] = []): SqlAnswer {
  return queryTables(new Map(Object.entries(tables)), { sql, parameters, maxRows: 3 });
}

describe("queryTables()", () => {
  it.each([
    ["SELECT 7 / 2, 7 / 2.0, '3' + 4, NULL IS NULL, 'a' || 1", [[3, 3.5, 7, 1, "a1"]]],
    [
      "SELECT city, avg(age), count(*) FROM people GROUP BY city ORDER BY city",
      [
        ["London", 38.5, 2],
        ["New York", null, 1],
      ],
    ],
    [
      "SELECT name, rank() OVER (ORDER BY age DESC NULLS LAST) FROM people WHERE age > ?1",
      [
        ["Alan", 1],
        ["Ada", 2],
      ],
    ],
    ["SELECT typeof(age), age / 5 FROM people WHERE name = 'Ada'", [["integer", 7]]],
    ["WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n", [[6]]],
    ["VALUES (9007199254740993, x'0001', 9e999)", [["9007199254740993", "AAE=", null]]],
    ["-- a word before\n/* and another */ SELECT json_extract(more, '$.a[1]'), typeof(yes) FROM nested", [[2, "integer"]]],
  ])("answers %s as SQLite does [G3.sql_query]", (sql, rows) => {
    const tables = { people: PEOPLE, nested: [{ more: { a: [1, 2] }, yes: true }] };
    expect(query(sql, tables, sql.includes("?1") ? [30] : []).rows).toEqual(rows);
  });

  it("stops at the maximum of rows, and keeps columns of the same name [G3.sql_query]", () => {
    const tables = { n: [1, 2, 3, 4].map((i) => ({ i })) };
    expect(query("SELECT i, i AS i FROM n", tables)).toEqual({
      columns: ["i", "i"],
      rows: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      complete: false,
    });
    expect(query("SELECT i FROM n WHERE i < 4", tables).complete).toBe(true);
  });

  it.each([
    ["ATTACH DATABASE 'x.db' AS x", 'Only queries are allowed: begin with SELECT, WITH or VALUES, not "ATTACH"'],
    ["/* SELECT */ PRAGMA journal_mode = wal", 'not "PRAGMA"'],
    ["VACUUM INTO 'x.db'", 'not "VACUUM"'],
    ["", "Only queries are allowed"],
    ["SELECT load_extension('x')", "SQLite cannot run the query: not authorized"],
    ["SELECT abs(-9223372036854775807 - 1)", "SQLite cannot run the query: integer overflow"],
    ["SELECT * FROM peple", "no such table: peple (there are people)"],
    ["SELECT FROM", "SQLite cannot run the query: "],
  ])("refuses %j [G3.sql_query]", (sql, message) => {
    expect(() => query(sql, { people: PEOPLE })).toThrow(message);
  });

  it("quotes names, and reports rows that are not objects [G3.sql_query]", () => {
    expect(query('SELECT "a""; DROP TABLE t; --" FROM "t""; --"', { 't"; --': [{ 'a"; DROP TABLE t; --': 1 }] }).rows).toEqual([[1]]);
    expect(() => query("SELECT 1", { t: [{ a: 1 }, 2] })).toThrow('Row 2 of table "t" is 2, not an object');
    expect(() => query("SELECT 1", { t: [{ a: 1, A: 2 }] })).toThrow('columns "a" and "A", which SQLite treats as equal');
    expect(() => query("SELECT 1", { sqlite_x: [{ a: 1 }] })).toThrow('Invalid table name "sqlite_x"');
    expect(rowsOfFile("x.jsonl", '{"a":1}\n\n{"a":2}\n')).toEqual([{ a: 1 }, { a: 2 }]);
    expect(rowsOfFile("x.csv", "a;b\n1;007\n")).toEqual([{ a: 1, b: "007" }]);
    expect(() => rowsOfFile("x.json", "{}")).toThrow('"x.json" has no array of rows');
  });
});

it("sql_query reads granted files on the host route, and the other tools stay in the sandbox [G3.sql_query] [O1.native]", async () => {
  const workspace = await temporaryFolder();
  await writeFile(`${workspace}/people.csv`, "name,age\nAda,36\nAlan,41\n");
  await using host = await createHost({
    config: { trusted: ["data"], policy: { rules: [{ tool: "data.sql_query", route: "host", confirm: "auto" }] } },
    plugins: `${REPOSITORY}plugins`,
    workspace,
    loadsAtOnce: ({ name }) => name === "data",
    grants: { data: { read: [`${workspace}/people.csv`] } },
    logger: memoryPlatform().log,
    events: { store: false },
  });
  const files = [{ table: "people", path: "people.csv" }];
  expect(await host.call("sql_query", { sql: "SELECT name FROM people WHERE age > 40", files })).toMatchObject({
    ok: true,
    route: "host",
    output: { columns: ["name"], rows: [["Alan"]], complete: true },
  });
  expect(await host.call("sql_query", { sql: "SELECT 1", files: [{ table: "x", path: "/etc/passwd" }] })).toMatchObject({
    error: { code: "tool_failed", message: expect.stringContaining("Requires read access") },
  });
  expect(await host.call("json_query", { data: { a: 1 }, expression: "a" })).toMatchObject({ route: "wasm", output: { result: 1 } });
  await expect(access(`${workspace}/x.db`)).rejects.toThrow();
});
