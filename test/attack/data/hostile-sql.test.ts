/** Statements that never end, take all memory, or reach beyond the plugin's database, in real processes (SPEC AX3). */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { DatabaseAnswer } from "../../../host/platform/databases/database-types.ts";
import { createDatabases } from "../../../host/platform/databases/databases.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { databases } = currentPlatform();
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await databases.release(folder);
});

type Run = (sql: string | object, options?: { readonly signal?: AbortSignal; readonly quotaBytes?: number }) => Promise<string>;

/** @returns the rows as JSON, or the error */
async function start(name = "p"): Promise<{ readonly run: Run; readonly folder: string }> {
  const root = await temporaryFolder();
  const folder = join(root, "databases", name);
  folders.push(folder);
  return {
    folder,
    async run(sql, { signal = new AbortController().signal, quotaBytes = 1024 * 1024 } = {}) {
      const request = typeof sql === "string" ? { steps: [{ sql }] } : sql;
      const body = new TextEncoder().encode(JSON.stringify(request));
      const answer = await databases.run(folder, { access: "write", quotaBytes, answerBytes: 1024 * 1024, body, signal });
      return answer.ok ? new TextDecoder().decode(answer.bytes) : `${answer.name}: ${answer.message}`;
    },
  };
}

const ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";

describe("attack: SQL of a plugin", () => {
  it("that never ends is ended with its call, rolled back, and holds no other plugin up [AX3.deadline]", async () => {
    const [hostile, other] = [await start("hostile"), await start("other")];
    expect(await hostile.run({ script: "CREATE TABLE t (a)" })).toContain("results");
    const end = new AbortController();
    const endless = hostile.run({ steps: [{ sql: "INSERT INTO t VALUES (1)" }, { sql: ENDLESS }] }, end);
    const behind = hostile.run("SELECT count(*) AS n FROM t");
    expect(await other.run("SELECT 2 AS two")).toContain('{"two":2}');
    end.abort();
    expect(await endless).toBe("AbortError: The call was cancelled, or has ended");
    expect(await behind).toContain('{"n":0}');
  });

  it.runIf(process.platform === "linux")("that takes all memory gets an error, and its database works on [AX3.memory]", async () => {
    const { run } = await start();
    const rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000)";
    const tried = await run(`CREATE TEMP TABLE z AS ${rows} SELECT randomblob(900000) AS b FROM c`);
    expect(tried).toMatch(/^(?:RangeError: The statement takes too much memory|Error: The statement was ended and rolled back)/);
    expect(await run("SELECT randomblob(17000000)")).toMatch(/^RangeError: The statement takes too much memory/);
    expect(await run("SELECT 1 AS one")).toContain('{"one":1}');
  });

  it("reaches no other file, no extension and none of SQLite's settings [AX3.statements]", async () => {
    const { run, folder } = await start();
    await writeFile(join(folder, "..", "..", "secret.db"), "");
    const before = await run("CREATE TABLE t (a)");
    expect(before).toContain("results");
    const tries = [
      `ATTACH '${folder}/../../secret.db' AS s`,
      `VACUUM INTO '${folder}/../../copy.db'`,
      "SELECT load_extension('/lib/x86_64-linux-gnu/libm.so.6')",
      "SELECT writefile('x', 'y')",
      "SELECT fts3_tokenizer('a', x'0000000000000000')",
      "PRAGMA writable_schema = 1",
      "UPDATE sqlite_master SET sql = 'x'",
      "PRAGMA max_page_count = 1000000",
      "SELECT * FROM pragma_max_page_count(1000000)",
      "PRAGMA temp_store_directory = '/tmp'",
      "INSERT INTO t VALUES (1); PRAGMA journal_mode = OFF",
      "SELECT $a(');PRAGMA journal_mode = OFF --')",
      "COMMIT",
    ];
    const told = await Promise.all(tries.map((sql) => run(sql)));
    expect(told.filter((answer) => answer.startsWith("{"))).toEqual([]);
    expect(await run("SELECT max_page_count AS n FROM pragma_max_page_count")).toContain('{"n":256}');
    expect((await readdir(join(folder, "..", ".."))).toSorted()).toEqual(["databases", "secret.db"]);
    expect((await readdir(folder)).toSorted()).toEqual(["data.db", "data.db-shm", "data.db-wal"]);
  });

  it("keeps to its quota, also in many small steps [AX3.quota]", async () => {
    const { run } = await start();
    await run({ script: "CREATE TABLE t (a)" });
    const told: string[] = [];
    for (let step = 0; step < 30; step++) told.push(await run("INSERT INTO t VALUES (randomblob(100000))"));
    expect(told.filter((answer) => answer.startsWith("Error: The plugin's database is full")).length).toBeGreaterThan(15);
    expect(await run("SELECT sum(length(a)) < 1048576 AS fits FROM t")).toContain('{"fits":1}');
  });

  it("of two hosts goes into one database, and none of it is lost [AX3.hosts]", async () => {
    const { folder, run } = await start();
    const second = createDatabases(currentPlatform({ log: { level: "error" } }));
    await run({ script: "CREATE TABLE t (a)" });
    const add = async (to: typeof second): Promise<DatabaseAnswer> =>
      await to.run(folder, {
        ...{ access: "write", quotaBytes: 1024 * 1024, answerBytes: 1_000, signal: new AbortController().signal },
        body: new TextEncoder().encode('{"steps":[{"sql":"INSERT INTO t VALUES (1)"}]}'),
      });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => add(index % 2 === 0 ? second : databases)));
    await second.release(folder);
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    expect(await run("SELECT count(*) AS n FROM t")).toContain('{"n":100}');
  });

  it.runIf(process.platform === "linux")("that never ends is killed together with a host that is killed [AX3.killed-host]", async () => {
    const folder = join(await temporaryFolder(), "databases", "p");
    const program = fileURLToPath(new URL("../../support/killed-statement.ts", import.meta.url));
    const host = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), program, folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [said] = (await once(host.stdout, "data")) as [Uint8Array];
    const pid = new TextDecoder().decode(said);
    expect(pid).toMatch(/^\d+$/);
    const begun = await statOf(pid);
    await expect.poll(async () => (await statOf(pid)).ticks > begun.ticks + 20, { timeout: 20_000 }).toBe(true);
    host.stdin.write("x");
    expect(await once(host, "exit")).toEqual([null, "SIGKILL"]);
    try {
      await expect.poll(async () => (await statOf(pid)).state, { timeout: 10_000 }).toMatch(/^(?:gone|Z)$/);
    } finally {
      if ((await statOf(pid)).state === "R") process.kill(Number(pid), "SIGKILL");
    }
  });

  it("cannot end the transaction with a table that is named like a trigger, or after one [AX3.statements]", async () => {
    const { run } = await start();
    const refused = /^TypeError: END is not available/;
    expect(await run({ script: "CREATE TABLE TRIGGER (a); INSERT INTO TRIGGER VALUES (1); END; SELECT nothing" })).toMatch(refused);
    const trigger = "CREATE TEMPORARY TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END";
    expect(await run({ script: `CREATE TABLE t (a); ${trigger}; END; SELECT nothing` })).toMatch(refused);
    expect(await run({ script: `CREATE TABLE t (a); ${trigger}` })).toBe('{"results":[]}');
    expect(await run("SELECT name FROM sqlite_master WHERE name IN ('t', 'TRIGGER')")).toContain('[{"name":"t"}]');
  });

  it("keeps to its quota in a file that has larger pages [AX3.quota]", async () => {
    const { run, folder } = await start();
    await mkdir(folder, { recursive: true });
    const made = new DatabaseSync(join(folder, "data.db"));
    made.exec("PRAGMA page_size = 65536; CREATE TABLE t (a)");
    made.close();
    expect(await run("SELECT max_page_count AS n FROM pragma_max_page_count")).toContain('{"n":16}');
    expect(await run("INSERT INTO t VALUES (randomblob(2000000))")).toMatch(/^Error: The plugin's database is full/);
  });

  it("counts the bytes of rows, and not their characters, before they leave the process [AX3.answer]", async () => {
    const { run } = await start();
    const letters = (count: number): string => `SELECT replace(hex(zeroblob(${count})), '00', '\u20ac') AS a`;
    expect(await run(letters(300_000))).toContain('"rows":[{"a":"\u20ac\u20ac');
    expect(await run(letters(400_000))).toBe(
      "RangeError: The rows take more than 1048576 bytes, the limit of one host operation (read fewer with LIMIT)",
    );
    const steps = Array.from({ length: 40_000 }, () => ({ sql: "SELECT 1 WHERE 0" }));
    expect(await run({ steps })).toMatch(/^RangeError: The rows take more than 1048576 bytes/);
  });
});

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function statOf(pid: string): Promise<{ readonly state: string; readonly ticks: number }> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = text?.replace(/^.*\) /s, "").split(" ");
  return { state: fields?.[0] ?? "gone", ticks: Number(fields?.[11] ?? 0) };
}
