import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import type { MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const tool = (name: string, sideEffects: readonly string[]): object => ({
  ...{ name, description: "Tries", inputSchema: { type: "object" }, sideEffects },
});

const MANIFEST = {
  schemaVersion: "1.0",
  name: "memo",
  version: "1.0.0",
  description: "Keeps memos",
  permissions: { read: ["$data"], write: ["$data"] },
  tools: [tool("run", ["read", "write"]), tool("look", ["read"])],
};

/** Exports tools that run the body with `data`, and return its result or its error. */
const main = (body: string): string => `
  const shown = (value) => typeof value === "bigint" ? value + "n" : value instanceof Uint8Array ? "bytes " + Array.from(value) : value;
  const walk = (value) => Array.isArray(value) ? value.map(walk) : value !== null && typeof value === "object" && !(value instanceof Uint8Array)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)])) : shown(value) ?? null;
  const tried = async (act) => { try { return await act(); } catch (error) { return error.name + ": " + error.message; } };
  export async function run(args, { data }) { return walk(await tried(async () => { ${body} })); }
  export { run as look };`;

interface Started {
  readonly platform: MemoryPlatform;
  readonly host: Host;
  readonly call: (tool?: string, options?: object) => Promise<unknown>;
}

async function start(body: string, platform: MemoryPlatform = memoryPlatform({}, { workers: createWorkerLauncher() })): Promise<Started> {
  for (const [name, text] of [
    ["manifest.json", JSON.stringify(MANIFEST)],
    ["main.ts", main(body)],
  ] as const)
    platform.plant(`${WORKSPACE}/plugins/memo/${name}`, text);
  // Without a table of confirmations: writing only its own data asks nothing [AX3.confirm].
  const host = await createHost({ platform, plugins: ["plugins"], config: {}, grants: { memo: MANIFEST.permissions } });
  hosts.push(host);
  const call = async (name = "run", options = {}): Promise<unknown> => {
    const result = await host.call(`memo.${name}`, {}, options);
    return result.ok ? result.output : result.error;
  };
  return { platform, host, call };
}

describe("context.data", () => {
  it("keeps values and bytes by key between calls, with versions [AX3.kv]", async () => {
    const { call } = await start(`const { kv } = data; return [
      await kv.get("count"), await kv.update("count", (n = 0) => n + 1), await kv.set("bytes", Uint8Array.of(1, 255)), await kv.get("bytes"),
      await kv.has("count"), await kv.set("count", 9, { version: 1000 }), (await kv.list("co")).map(({ key, value }) => [key, value]),
      await kv.delete("bytes"), await kv.entry("bytes"), await kv.set("map", { a: [1, null] }), await kv.get("map")]`);
    expect(await call()).toEqual([null, 1, 2, "bytes 1,255", true, null, [["count", 1]], true, null, 3, { a: [1, null] }]);
    expect(await call()).toEqual([1, 2, 5, "bytes 1,255", true, null, [["count", 2]], true, null, 6, { a: [1, null] }]);
  });

  it("makes a value once: each call, also at the same time, gets the first [AX6.once]", async () => {
    const { call, platform } = await start(`const { kv } = data; let made = 0;
      const ids = await Promise.all([1, 2, 3].map(() => kv.once("id", () => { made++; return crypto.randomUUID(); })));
      return [ids, await kv.once("id", () => "never"), await kv.get("id"), await tried(() => kv.once("id", 1))];`);
    const [ids, later, kept, wrong] = (await call()) as readonly [readonly string[], string, string, string];
    expect([new Set([...ids, later, kept]).size, wrong]).toEqual([1, "TypeError: The second argument must be a function"]);
    const again = await start(`return data.kv.once("id", () => "never");`, platform);
    expect(await again.call()).toBe(kept);
    expect(kept).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("refuses keys and values that it could not give back [AX3.kv]", async () => {
    const { call } = await start(`const { kv, sql } = data; const acts = [
      () => kv.set("a\\0", 1), () => kv.set("\\ud800", 1), () => kv.set(1, 1), () => kv.set("a", undefined), () => kv.set("a", { b: new Map() }),
      () => kv.set("a", 1, { version: -1 }), () => kv.list("", { limit: 1.5 }), () => kv.update("a", 1), () => sql.query(1),
      () => sql.query("SELECT ?", [undefined]), () => sql.query("SELECT ?", [NaN]), () => sql.query("SELECT :d", { d: new Date(0) }),
      () => sql.run("SELECT 1", 5), () => sql.transaction("SELECT 1"), () => sql.transaction([1]), () => sql.transaction([{ sql: "SELECT 1", rows: 1 }]),
    ]; const told = []; for (const act of acts) told.push(await tried(act)); return told`);
    expect(await call()).toEqual([
      "TypeError: The key contains U+0000",
      "TypeError: The key contains a lone surrogate",
      "TypeError: A key must be a string",
      "TypeError: The value has no JSON form (delete() removes an entry)",
      "TypeError: Invalid value at /b: A Map has no JSON form (Object.fromEntries makes an object of it)",
      'TypeError: "version" must be a whole number from 0 on',
      'TypeError: "limit" must be a whole number from 0 on',
      "TypeError: The second argument must be a function",
      "TypeError: The SQL must be a string",
      "TypeError: Parameter 1 is undefined (use null)",
      "TypeError: Parameter 1 is NaN (use null)",
      'TypeError: Parameter "d" is not a value of SQL (use text, a number, bytes or null; JSON.stringify makes text of an object)',
      "TypeError: The parameters must be a list or an object",
      "TypeError: A transaction is a list of statements",
      "TypeError: A statement of a transaction is its SQL, or { sql, params, rows, changes }",
      'TypeError: "rows" is a list of lists of parameters, and takes the place of "params"',
    ]);
  });

  it("runs SQL with every kind of value, in transactions that count as a whole [AX3.sql]", async () => {
    const { call } = await start(`const { sql } = data;
      await sql.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t (b)");
      const [inserted] = await sql.transaction([{ sql: "INSERT INTO t (b) VALUES (?)", rows: [["x"], [10n ** 18n], [Uint8Array.of(7)], [true], [null], [1 / 3]] }]);
      const broken = await tried(() => sql.transaction(["DELETE FROM t", { sql: "UPDATE t SET b = 1", changes: 1 }]));
      return [inserted, broken, await sql.query("SELECT a, b FROM t WHERE a > :from", { from: 1 }), await sql.run("DELETE FROM t WHERE a > ? RETURNING a", [4]),
        await tried(() => sql.query("SELECT nope"))]`);
    expect(await call()).toEqual([
      { changes: 6, lastInsertRowid: 6, rows: [] },
      "Error: Changed 0 rows instead of 1, so everything was rolled back: UPDATE t SET b = 1",
      [
        { a: 2, b: "1000000000000000000n" },
        { a: 3, b: "bytes 7" },
        { a: 4, b: 1 },
        { a: 5, b: null },
        { a: 6, b: 1 / 3 },
      ],
      { changes: 2, lastInsertRowid: 6, rows: [{ a: 5 }, { a: 6 }] },
      "Error: no such column: nope",
    ]);
  });

  it("loses no update of calls that run at the same time [AX3.kv]", async () => {
    const { call } = await start(`return await data.kv.update("n", async (n = 0) => { await 0; return n + 1; })`);
    const made = await Promise.all(Array.from({ length: 20 }, () => call()));
    expect(made.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("has a folder that exists [AX3.folder]", async () => {
    const { call } = await start(
      `await Deno.writeTextFile(data.path + "/a.txt", "kept"); return [data.path, await Deno.readTextFile(data.path + "/a.txt")]`,
    );
    expect(await call()).toEqual([`${WORKSPACE}/.bascule/data/memo`, "kept"]);
  });

  it("only reads for a tool without the side effect, and in a dry run [AX3.permission] [AX3.dry-run]", async () => {
    const { call } = await start(`return [await data.kv.get("a"), await tried(() => data.kv.set("a", 1))]`);
    expect(await call("look")).toEqual([
      null,
      'NotCapable: Requires write access to "$data", which the tool\'s "sideEffects" do not include (add "write" to them)',
    ]);
    const dry = await call("run", { dryRun: true });
    expect(JSON.stringify(dry)).toContain("A dry run changes nothing in context.data");
  });

  it("is not available while the plugin loads, and its writes must be awaited [AX3.loading] [B4]", async () => {
    const { call } = await start(`void data.kv.set("a", 1); return 1`);
    expect(await call()).toMatchObject({ message: expect.stringContaining("data.write") });
  });

  it("is deleted with the plugin if that is asked for, and else found again [AX3.remove]", async () => {
    const body = `const before = await data.kv.get("a"); await data.kv.set("a", 1); return before`;
    const told: unknown[] = [];
    for (const data of [false, true]) {
      const { platform, host, call } = await start(body);
      told.push(await call());
      await host.remove("memo", { data });
      await host.close();
      const again = await start(body, platform);
      told.push(
        await again.call(),
        platform.recorded.log.filter(({ level }) => level === "error"),
      );
    }
    expect(told).toEqual([null, 1, [], null, null, []]);
  });
});
