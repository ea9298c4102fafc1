import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "words",
  version: "1.0.0",
  description: "Counts words",
  settingsSchema: { type: "object", properties: { limit: { type: "integer", default: 10, description: "The most" } } },
  tools: [{ name: "show", description: "Shows", inputSchema: { type: "object" }, sideEffects: [] }],
};

let project: CliProject;
beforeAll(async () => {
  project = await createCliProject({
    "bascule.json": "{}",
    "plugins/words/manifest.json": JSON.stringify(MANIFEST),
    "plugins/words/main.ts": "export const show = (_args: unknown, context: { settings: unknown }) => context.settings;",
  });
});
afterAll(() => project[Symbol.asyncDispose]());

describe("bascule settings", () => {
  it("shows settings, sets them by type, and unsets them [G1.cli] [I2]", async () => {
    expect((await project.run(["settings", "words"])).out).toContain("limit    10  (default, integer) The most");
    expect((await project.run(["settings", "words", "limit", "3"])).out).toContain("Set limit of words");
    expect(JSON.parse(await readFile(join(project.folder, ".bascule/settings/words.json"), "utf8"))).toEqual({ config: { limit: 3 } });
    expect((await project.run(["settings", "words", "limit"])).out).toBe("3\n");
    expect(JSON.parse((await project.run(["call", "show", "--json"])).out)).toMatchObject({ output: { limit: 3 } });
    const unset = await project.run(["settings", "words", "limit", "--unset", "--json"]);
    expect(JSON.parse(unset.out)).toMatchObject({
      ok: true,
      settings: { config: { limit: 10 }, fields: [{ key: "limit", isSet: false }] },
    });
  });

  it("suggests the nearest name for mistakes, and changes nothing [G1.cli]", async () => {
    expect(await project.run(["settings", "words", "limt", "3"])).toMatchObject({
      code: 2,
      error: expect.stringContaining('Did you mean "limit"?'),
    });
    expect(await project.run(["settings", "wrods"])).toMatchObject({ code: 3, error: expect.stringContaining('Did you mean "words"?') });
    expect(await project.run(["settings", "words", "limit", "many"])).toMatchObject({
      code: 2,
      error: expect.stringContaining('Setting "limit" must be a whole number, not "many"'),
    });
  });

  it("changes settings in the running host through the socket [G1.cli] [I2.socket]", async () => {
    const dev = project.start(["dev"]);
    await dev.waitFor("words");
    const set = await project.run(["settings", "words", "tools.show.enabled", "false"]);
    expect(set).toMatchObject({ code: 0, error: expect.stringContaining("using the host running in this folder") });
    expect(await project.run(["call", "show"])).toMatchObject({
      code: 5,
      error: expect.stringContaining("disabled in the plugin's settings"),
    });
    dev.interrupt();
    await dev.ended;
  });
});
