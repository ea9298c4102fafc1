import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = 64 * 1024 + 4_096;
const COUNT = 30_000;
const NAMES = Array.from({ length: COUNT }, (_, index) => `a-file-whose-name-is-not-short-${String(index).padStart(6, "0")}.txt`);
const READ = { permissions: { read: ["$workspace"] } };
const MAIN = `
const told = (names) => ({ count: names.length, first: names[0], last: names.at(-1) });
export async function later() { const names = []; for await (const { name } of Deno.readDir("many")) names.push(name); return told(names.sort()); }
export const at_once = () => told([...Deno.readDirSync("many")].map(({ name, isFile }) => isFile ? name : "").sort());
export const listed = async (_args, { workspace }) => told((await workspace.list("many")).map(({ name, kind }) => kind === "file" ? name : "").sort());
export const few = () => [...Deno.readDirSync("few")].map(({ name }) => name).sort();
`;
const TOOLS = ["later", "at_once", "listed", "few"];
const TOLD = { count: COUNT, first: NAMES[0], last: NAMES.at(-1) };

describe("attack: a folder of 30,000 names", { timeout: 60_000 }, () => {
  let host: Host;
  beforeAll(async () => {
    const tools = TOOLS.map((name) => ({ name, description: "Lists", inputSchema: { type: "object" }, sideEffects: ["read"] }));
    const manifest = { schemaVersion: "1.0", name: "lists", version: "1.0.0", description: "Lists", tools, ...READ };
    const platform = memoryPlatformWithWorkers({
      "plugins/lists/manifest.json": JSON.stringify(manifest),
      "plugins/lists/main.ts": MAIN,
      "few/one.txt": "1",
      "few/two.txt": "2",
      ...Object.fromEntries(NAMES.map((name) => [`many/${name}`, ""])),
    });
    const own = hostTool("own", { ...READ, sideEffects: ["read"] }, async (_args, { workspace }) => (await workspace.list("many")).length);
    host = await createHost({ platform, plugins: ["plugins"], grants: { lists: { read: ["$workspace"] } }, tools: [own] });
    await host.call("lists.few");
  });
  afterAll(async () => await host.close());

  it.each(TOOLS.slice(0, 3))("is written in slices, and its JSON is transferred as bytes: %s [LV2.listings]", async (name) => {
    using reads = recordHostReads();
    const result = await host.call(`lists.${name}`);
    expect([result.ok ? result.output : result.error, reads.longest() <= AT_ONCE]).toEqual([TOLD, true]);
  });

  it("is complete for a host tool, and so is a small one for a guest [LV2.listings]", async () => {
    expect(await host.call("own")).toMatchObject({ ok: true, output: COUNT });
    expect(await host.call("lists.few")).toMatchObject({ ok: true, output: ["one.txt", "two.txt"] });
  });
});
