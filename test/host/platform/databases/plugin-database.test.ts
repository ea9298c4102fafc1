import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { createPluginDatabase, type PluginDatabase, type RequestHead } from "../../../../host/platform/databases/plugin-database.ts";

const folder = mkdtempSync(join(tmpdir(), "bascule-database-"));
const open: PluginDatabase[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const HEAD: RequestHead = { access: "write", quotaBytes: 1024 * 1024, answerBytes: 100_000 };

function start(path?: string): (request: object, head?: Partial<RequestHead>) => unknown {
  const database = createPluginDatabase(path);
  open.push(database);
  return (request, head = {}) => {
    try {
      return (JSON.parse(database.run({ ...HEAD, ...head }, JSON.stringify(request))) as { results: unknown }).results;
    } catch (error) {
      const { name, message, code } = error as Error & { code?: string };
      return code === undefined ? `${name}: ${message}` : `${name} ${code}: ${message}`;
    }
  };
}

const one = (sql: string, ...sets: unknown[]): object => ({ steps: [{ sql, ...(sets.length > 0 && { sets }) }] });
const READ = { access: "read" } as const;

describe("createPluginDatabase()", () => {
  it("runs statements with lists and objects of parameters, and codes what JSON lacks [AX3.sql]", () => {
    const run = start();
    run({ script: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)" });
    expect(
      run(one("INSERT INTO t (b) VALUES (?)", [{ b: "AAH/" }], [{ i: "9007199254740993" }], [{ n: "-Infinity" }], ["é"], [null])),
    ).toEqual([{ changes: 5, last: 5, rows: [] }]);
    expect(run(one("SELECT b FROM t ORDER BY a"), READ)).toEqual([
      {
        changes: 0,
        last: 5,
        coded: true,
        rows: [{ b: { b: "AAH/" } }, { b: { i: "9007199254740993" } }, { b: { n: "-Infinity" } }, { b: "é" }, { b: null }],
      },
    ]);
    expect(run(one("UPDATE t SET b = :new WHERE a > :above RETURNING a", { new: 1, above: 3 }))).toEqual([
      { changes: 2, last: 5, rows: [{ a: 4 }, { a: 5 }] },
    ]);
    expect(run(one("INSERT INTO t (b) VALUES (?)", ["a\0b"]))).toBe("TypeError: A text with U+0000 cannot be stored (store its bytes)");
  });

  it("keeps all statements of a request or none [AX3.transaction]", () => {
    const run = start();
    run({ script: "CREATE TABLE t (a UNIQUE)" });
    expect(run({ steps: [{ sql: "INSERT INTO t VALUES (1)" }, { sql: "INSERT INTO t VALUES (1)" }] })).toBe(
      "Error SQLITE_ERROR: UNIQUE constraint failed: t.a",
    );
    expect(run({ steps: [{ sql: "INSERT INTO t VALUES (1)" }, { sql: "UPDATE t SET a = 2 WHERE a = 9", expect: 1 }] })).toBe(
      "Error CONFLICT: Changed 0 rows instead of 1, so everything was rolled back: UPDATE t SET a = 2 WHERE a = 9",
    );
    expect(run({ script: "INSERT INTO t VALUES (3); INSERT INTO nope VALUES (1)" })).toBe("Error SQLITE_ERROR: no such table: nope");
    expect(run(one("SELECT * FROM t"), READ)).toEqual([{ changes: 0, last: expect.any(Number), rows: [] }]);
  });

  it("reports an error that comes after the first rows [AX3.sql]", () => {
    const run = start();
    expect(run(one("SELECT 1 UNION ALL SELECT abs(-9223372036854775807 - 1)"), READ)).toBe("Error SQLITE_ERROR: integer overflow");
  });

  it("changes nothing when it reads, with any statement [AX3.access]", () => {
    const run = start();
    run({ script: "CREATE TABLE t (a)" });
    const only = "query() only reads: use run() or transaction()";
    expect(run(one("DELETE FROM t"), READ)).toBe(`TypeError: ${only} for DELETE, which also return rows`);
    expect(run(one("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x"), READ)).toBe(`TypeError: ${only}, which also return rows`);
    expect(run(one("PRAGMA user_version = 4"), READ)).toBe(`TypeError: ${only}, which also return rows`);
    expect(run({ script: "INSERT INTO t VALUES (1)" }, READ)).toBe(`TypeError: ${only} for INSERT, which also return rows`);
    expect(run({ kv: "set", key: "a", value: "1" }, READ)).toBe(`TypeError: ${only} for INSERT, which also return rows`);
    expect(run(one("SELECT count(*) AS n FROM t"), READ)).toMatchObject([{ rows: [{ n: 0 }] }]);
  });

  it("creates no file when it reads, and sees what is written later [AX3.access]", () => {
    const run = start(`${folder}.db`);
    expect(run({ kv: "get", key: "a" }, READ)).toMatchObject([{ rows: [] }]);
    expect(existsSync(`${folder}.db`)).toBe(false);
    run({ kv: "set", key: "a", value: "1" });
    expect(run({ kv: "get", key: "a" }, READ)).toEqual([
      { changes: 0, last: expect.any(Number), rows: [{ key: "a", value: "1", version: 1 }] },
    ]);
    for (const name of ["", "-wal", "-shm"]) rmSync(`${folder}.db${name}`, { force: true });
  });

  it("stops at the quota, and takes new rows once old ones are gone [AX3.quota]", () => {
    const run = start();
    run({ script: "CREATE TABLE t (a)" });
    const full = run(
      one("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000) INSERT INTO t SELECT randomblob(1000) FROM c"),
    );
    expect(full).toBe(
      'Error SQLITE_FULL: The plugin\'s database is full: it may take 1 MiB (delete what is no longer needed, or request more with "limits": { "dataBytes": … } in the manifest)',
    );
    expect(run(one("INSERT INTO t VALUES (randomblob(1000))"))).toMatchObject([{ changes: 1 }]);
  });

  it("refuses rows above the bound of an answer [AX3.bounds]", () => {
    const run = start();
    const rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c LIMIT";
    expect(run(one(`${rows} 100000`), READ)).toBe(
      "RangeError EFBIG: The rows take more than 100000 bytes, the limit of one host operation (read fewer with LIMIT)",
    );
    expect(run(one(`${rows} 3`), READ)).toMatchObject([{ rows: [{ x: 1 }, { x: 2 }, { x: 3 }] }]);
  });

  it("forgets temporary tables after the request, and follows a changed schema [AX3.sql]", () => {
    const run = start(`${folder}.db`);
    expect(run({ script: "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TEMP TABLE x (a)" })).toEqual([]);
    expect(run(one("SELECT * FROM x"), READ)).toBe("Error SQLITE_ERROR: no such table: x");
    expect(run(one("SELECT * FROM t"), READ)).toMatchObject([{ rows: [{ a: 1 }] }]);
    const other = new DatabaseSync(`${folder}.db`);
    other.exec("ALTER TABLE t ADD COLUMN b DEFAULT 2");
    other.close();
    expect(run(one("SELECT * FROM t"), READ)).toMatchObject([{ rows: [{ a: 1, b: 2 }] }]);
    open.splice(0)[0]?.close();
    for (const name of ["", "-wal", "-shm"]) rmSync(`${folder}.db${name}`, { force: true });
  });

  it("keeps entries by key with versions that are never given twice [AX3.kv]", () => {
    const run = start();
    const set = (key: string, value: unknown, version?: number): unknown =>
      run({ kv: "set", key, value, ...(version !== undefined && { version }) });
    const rows = (...given: readonly object[]): unknown => [{ changes: expect.any(Number), last: expect.any(Number), rows: given }];
    expect(set("a", "1", 0)).toEqual(rows({ version: 1 }));
    expect(set("a", "2", 0)).toEqual(rows());
    expect(set("a", "2", 1)).toEqual(rows({ version: 2 }));
    expect(run({ kv: "delete", key: "a", version: 1 })).toMatchObject([{ changes: 0 }]);
    expect(run({ kv: "delete", key: "a", version: 2 })).toMatchObject([{ changes: 1 }]);
    expect(set("a", "3", 0)).toEqual(rows({ version: 3 }));
    expect(run({ kv: "has", key: "a" }, READ)).toEqual(rows({ 1: 1 }));
    expect(run({ kv: "drop", key: "a" })).toBe("TypeError: Unknown operation of the key-value store");
  });

  it("lists the entries below a prefix in order, whatever characters follow it [AX3.kv]", () => {
    const run = start();
    for (const key of ["a", "a/", "a/1", "a/2", "a/\u{10ffff}", "a0", "b"]) run({ kv: "set", key, value: "0" });
    const keys = (given: object): unknown =>
      (run({ kv: "list", prefix: "", after: "", limit: 100, ...given }, READ) as [{ rows: { key: string }[] }])[0].rows.map(
        ({ key }) => key,
      );
    expect(keys({ prefix: "a/" })).toEqual(["a/", "a/1", "a/2", "a/\u{10ffff}"]);
    expect(keys({ prefix: "a/", after: "a/1", limit: 1 })).toEqual(["a/2"]);
    expect(keys({})).toEqual(["a", "a/", "a/1", "a/2", "a/\u{10ffff}", "a0", "b"]);
  });
});
