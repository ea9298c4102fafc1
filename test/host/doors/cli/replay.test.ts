import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../../host/doors/cli/main.ts";
import type { Platform } from "../../../../host/platform/platform.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";
import { type CliProject, createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "dice",
  version: "1.0.0",
  description: "Rolls",
  permissions: { read: ["$workspace"] },
  tools: [
    {
      name: "roll",
      description: "Rolls",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      sideEffects: ["read"],
      requires: [{ capability: "read", arg: "path" }],
    },
  ],
};
const MAIN = `export async function roll({ path = "a.txt" }, { workspacePath, progress }) {
  progress("rolling");
  await new Promise((resolve) => setTimeout(resolve, 1));
  const names = ["b.txt", path];
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(name).catch((error) => error.message)));
  return { texts, sides: Math.random(), id: crypto.randomUUID(), at: new Date(), workspacePath };
}`;
const FILES = { "plugins/dice/manifest.json": JSON.stringify(MANIFEST), "plugins/dice/main.ts": MAIN, "a.txt": "one" };

describe("bascule replay", { timeout: 120_000 }, () => {
  let project: CliProject;
  let callId: string;
  const calls = (): string => join(project.folder, ".bascule/calls");
  beforeAll(async () => {
    project = await createCliProject(FILES);
    const { code, out, error } = await project.run(["call", "roll", "path=a.txt", "--allow-read", "--record", "--json"]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    callId = JSON.parse(out).callId;
  }, 120_000);
  afterAll(async () => await project[Symbol.asyncDispose]());

  it("returns equal results for equal --seed and --time, and different ones otherwise [B6.flags]", async () => {
    const roll = async (...flags: readonly string[]): Promise<string> =>
      (await project.run(["call", "roll", "--allow-read", ...flags])).out;
    const seeded = await roll("--seed", "one", "--time", "2030-01-01T00:00:00Z");
    expect(seeded).toContain('"at": "2030-01-01T00:00:00.00');
    expect(await roll("--seed", "one", "--time", "1893456000000")).toBe(seeded);
    expect(await roll()).not.toBe(seeded);
    const wrong = await project.run(["call", "roll", "--time", "tomorrow"]);
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining("2026-01-31T12:00:00Z") });
    expect((await project.run(["call", "roll", "--time", "2030-01-01T00:00"])).code).toBe(2);
  });

  it("replays a recorded call from files that only their owner can read [B8.cli] [I2.replay]", async () => {
    expect(await project.run(["replay", callId])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^same dice\.roll [0-9a-f]{12}\n\{"texts":\[/),
    });
    const json = JSON.parse((await project.run(["replay", callId, "--json"])).out);
    expect(json).toMatchObject({ ok: true, callId, tool: "dice.roll", kind: "same" });
    const names = await readdir(calls(), { recursive: true, withFileTypes: true });
    for (const entry of names.filter((name) => name.isFile()))
      expect((await stat(join(entry.parentPath, entry.name))).mode & 0o777).toBe(0o600);
  });

  it("refuses a changed recording, and explains what it cannot find or use [B8.exit]", async () => {
    const [name = ""] = (await readdir(calls())).filter((entry) => entry.includes(callId));
    const text = await readFile(join(calls(), name), "utf8");
    await writeFile(join(calls(), name), text.replace("rolling", "falling"));
    expect(await project.run(["replay", callId])).toMatchObject({
      code: 1,
      error: expect.stringContaining("changed after it was written"),
    });
    await writeFile(join(calls(), name), text);
    expect(await project.run(["replay", "no-such-call"])).toMatchObject({
      code: 3,
      error: expect.stringContaining('Recording of call "no-such-call" not found'),
    });
    await rename(join(calls(), "plugins"), join(project.folder, "kept"));
    expect((await project.run(["replay", callId])).code).toBe(0);
    await project.write("plugins/dice/main.ts", MAIN.replace("b.txt", "c.txt"));
    const gone = await project.run(["replay", callId]);
    expect(gone).toMatchObject({
      code: 5,
      error: expect.stringContaining('of "dice" is not available: its files were not kept, and its folder now has digest'),
    });
    await rename(join(project.folder, "kept"), join(calls(), "plugins"));
    expect((await project.run(["replay", callId])).code).toBe(0);
    await project.write("plugins/dice/main.ts", MAIN);
  });

  it("reports that it ran the recorded code, even if the plugin's code has changed [B8.version]", async () => {
    await project.write("plugins/dice/main.ts", MAIN.replace("b.txt", "c.txt"));
    const { code, out, error } = await project.run(["replay", callId]);
    const digest = out.slice("same dice.roll ".length).slice(0, 12);
    expect({ code, error }).toEqual({
      code: 0,
      error: `Replayed the recorded code ${digest}, not the current code
  bascule replay ${callId} --export-case <file> writes a case, which bascule test runs on the current code\n`,
    });
    await project.write("plugins/dice/main.ts", MAIN);
  });

  it("exports a case that `bascule test` runs without side effects [B8.case] [I7.answers]", async () => {
    const file = "plugins/dice/cases/roll.json";
    expect(await project.run(["replay", callId, "--export-case", file])).toMatchObject({
      code: 0,
      error: expect.stringContaining("Wrote the case"),
    });
    await rm(join(project.folder, "a.txt"));
    expect(await project.run(["test", "dice"])).toMatchObject({ code: 0, out: expect.stringContaining("1 passed | 0 failed") });
    await project.write("plugins/dice/main.ts", MAIN.replace("b.txt", "c.txt"));
    const failed = await project.run(["test", "dice"]);
    expect(failed).toMatchObject({
      code: 1,
      out: expect.stringContaining(`The case has no answer for fs.readFile {"path":"c.txt"}`),
    });
    await project.write("plugins/dice/main.ts", MAIN);
    await project.run(["replay", callId, "--export-case", file]);
    expect(JSON.parse(await readFile(join(project.folder, file), "utf8"))).toHaveLength(2);
    await project.write("a.txt", "one");
    const notCases = await project.run(["replay", callId, "--export-case", "plugins/dice/manifest.json"]);
    expect(notCases).toMatchObject({ code: 1, error: expect.stringContaining("Cannot add to the file") });
  });

  it("performs no act: it works on a platform that refuses every act [B8.untouched]", async () => {
    const platform = memoryPlatformWithWorkers({ ...FILES, "b.txt": "two" });
    expect(await main(["call", "roll", "--allow-read", "--record"], platform)).toBe(0);
    const [recorded] = (await platform.files.list("/workspace/.bascule/calls")).filter(({ kind }) => kind === "file");
    const id = recorded?.name.split(".")[1] ?? "";
    const acts: string[] = [];
    const refusing = <T extends object>(power: T, what: string, allowed: readonly string[] = []): T =>
      new Proxy(power, {
        get(target, name, receiver) {
          if (allowed.includes(String(name))) return Reflect.get(target, name, receiver) as unknown;
          return () => {
            acts.push(`${what}.${String(name)}`);
            throw new Error(`${what}.${String(name)} is an act`);
          };
        },
      });
    const still: Platform = {
      ...platform,
      guarded: refusing(platform.guarded, "guarded"),
      network: refusing(platform.network, "network"),
      files: refusing(platform.files, "files", ["list", "readBytes", "readText", "stat"]),
      sockets: refusing(platform.sockets, "sockets"),
      watcher: refusing(platform.watcher, "watcher"),
    };
    const before = platform.recorded.out().length;
    expect([await main(["replay", id], still), acts]).toEqual([0, []]);
    expect(platform.recorded.out().slice(before)).toMatch(/^same dice\.roll/);
  });
});
