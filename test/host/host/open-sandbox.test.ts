import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";
import { createIsolation } from "../../../host/platform/isolation/isolation.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const MANIFEST = JSON.stringify({
  schemaVersion: "1.0",
  name: "words",
  version: "1.0.0",
  description: "Counts words",
  permissions: { read: ["$workspace"] },
  tools: [
    {
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      sideEffects: ["read"],
    },
    { name: "names", description: "Counts names", inputSchema: { type: "object" }, sideEffects: ["read"] },
  ],
});
const MAIN = `
export async function count({ path }) { return (await Deno.readTextFile(path)).split(' ').length; }
export async function names() { return [[...Deno.readDirSync("many")].length, (await Array.fromAsync(Deno.readDir("many"))).length]; }
`;
const MANY = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`many/${index}.txt`, ""]));

const isolation = createIsolation();
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

/** Starts a host whose plugin counts words; counts the sandboxes that asked for processes. */
async function start(project: object, options: HostOptions = {}): Promise<{ readonly host: Host; readonly prepared: () => number }> {
  const files = { "plugins/words/manifest.json": MANIFEST, "plugins/words/main.ts": MAIN, "a.txt": "one two three", ...MANY };
  let prepared = 0;
  const platform: Platform = {
    ...memoryPlatformWithWorkers({ ...files, "bascule.json": JSON.stringify(project) }),
    isolation: {
      ...isolation,
      prepareProcesses() {
        prepared++;
        return isolation.prepareProcesses();
      },
    },
  };
  const host = await createHost({ platform, ...options });
  hosts.push(host);
  await host.grant("words", { read: ["$workspace"] });
  return { host, prepared: () => prepared };
}

// On a busy machine, processes take seconds to start.
describe("the sandbox of a host", { timeout: 120_000 }, () => {
  it("runs in a process if bascule.json says so, with the grants of the host [B1.process] [P1.isolation]", async () => {
    const { host, prepared } = await start({ isolation: "process" });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ ok: true, output: 3, route: "wasm" });
    expect(await host.call("count", { path: "/etc/passwd" })).toMatchObject({ ok: false });
    expect(prepared()).toBe(1);
  });

  it("transfers a folder with many names as bytes to its process [LV2.listings]", async () => {
    const { host } = await start({ isolation: "process" });
    expect(await host.call("names", {})).toMatchObject({ ok: true, output: [3_000, 3_000] });
  });

  it("runs in a process if the embedding program says so, whatever bascule.json says [B1.process] [I1.isolation]", async () => {
    const { host, prepared } = await start({ isolation: "thread" }, { isolation: "process" });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ ok: true, output: 3 });
    expect(prepared()).toBe(1);
  });

  it("runs in threads by default, also if plugins run alone [B1.isolation]", async () => {
    for (const project of [{}, { isolation: ["words"] }, { isolation: { alone: ["words"] } }]) {
      const { host, prepared } = await start(project);
      expect(await host.call("count", { path: "a.txt" })).toMatchObject({ ok: true, output: 3 });
      expect(prepared()).toBe(0);
    }
  });

  it("warns if Node's permissions alone confine the process [B1.process-node]", async () => {
    const platform = memoryPlatformWithWorkers({ "bascule.json": '{ "isolation": "process" }', "plugins/x.txt": "" });
    const found = {
      runtime: "node",
      version: "24",
      program: "",
      system: "none",
      noNewPrivileges: false,
      inForce: [],
      leavesOpen: ["files"],
    } as const;
    const host = await createHost({
      platform: { ...platform, isolation: { ...platform.isolation, inspect: () => Promise.resolve(found) } },
    });
    hosts.push(host);
    const told = platform.recorded.log.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(told).toEqual(["The sandbox's process leaves open files"]);
  });

  it("refuses an unknown isolation [I1.isolation]", async () => {
    // The types do not allow this.
    const wrong = "container" as "process";
    await expect(start({}, { isolation: wrong })).rejects.toThrow('"isolation" is not "thread" or "process", or an object');
  });
});
