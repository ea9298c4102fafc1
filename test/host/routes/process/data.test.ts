import { afterAll, describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { attempts, runTrusted } from "../../../support/trusted-call.ts";

const { databases } = currentPlatform();
let folder = "";
afterAll(() => databases.release(folder));

describe("context.data of a trusted plugin", () => {
  it("is the same as in the sandbox [AX3.trusted]", async () => {
    folder = await temporaryFolder();
    const body = `const { kv, sql } = context.data;
      await attempt("set", () => kv.set("a", { b: [1] }));
      await attempt("get", () => kv.get("a"));
      await attempt("bytes", async () => { await kv.set("c", Uint8Array.of(1, 2)); return Array.from(await kv.get("c")); });
      await attempt("update", () => kv.update("n", (n = 1) => n + 1));
      await attempt("list", async () => (await kv.list()).map(({ key }) => key));
      await attempt("lost", () => kv.set("a", 1, { version: 99 }));
      await attempt("delete", () => kv.delete("c"));
      await attempt("has", () => kv.has("c"));
      await attempt("exec", () => sql.exec("CREATE TABLE t (a)"));
      await attempt("transaction", () => sql.transaction([{ sql: "INSERT INTO t VALUES (?)", rows: [[1], [true], ["x"]] }]));
      await attempt("query", () => sql.query("SELECT a FROM t WHERE a = :a", { a: "x" }));
      await attempt("run", () => sql.run("DELETE FROM t RETURNING a"));
      await attempt("refused", () => sql.run("SELECT ?", [{}]));
      await attempt("path", () => context.data.path);`;
    const { outcome } = await runTrusted(attempts(body), {
      ...{ workspace: folder, permissions: { read: ["$data"], write: ["$data"] } },
      platform: { databases },
      dataFolders: folder,
    });
    expect(outcome).toMatchObject({
      output: {
        ...{ set: 1, get: { b: [1] }, bytes: [1, 2], update: 2, list: ["a", "c", "n"], lost: null, delete: true, has: false, exec: null },
        transaction: [{ changes: 3, lastInsertRowid: 3, rows: [] }],
        query: [{ a: "x" }],
        run: { changes: 3, rows: [{ a: 1 }, { a: 1 }, { a: "x" }] },
        refused: expect.stringContaining("TypeError: Parameter 1 is not a value of SQL"),
        path: `${folder}/data/words`,
      },
    });
  });
});
