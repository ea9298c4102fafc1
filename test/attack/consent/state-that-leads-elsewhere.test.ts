/** A project that comes with its own `.bascule/`, whose folders are links to other places. */

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import type { Log } from "../../../host/platform/platform.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  ...{ name: "notes", version: "1.0.0", description: "Notes" },
  tools: [{ name: "note", description: "Notes", inputSchema: { type: "object" }, sideEffects: [] }],
};

describe.runIf(process.platform !== "win32")("kept versions", () => {
  it.each([
    ["the plugin's folder", ".bascule/versions/notes", "victim"],
    ["the folder of all", ".bascule/versions", "."],
  ])("delete nothing if %s is a link [H10.links]", async (_what, link, target) => {
    const [project, other] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(other, "victim", "letters"), { recursive: true });
    await mkdir(join(other, "notes"));
    for (const file of ["victim/diary", "victim/letters/one", "notes/mine"]) await writeFile(join(other, file), "dear");
    await mkdir(join(project, "plugins", "notes"), { recursive: true });
    await mkdir(join(project, link, ".."), { recursive: true });
    await writeFile(join(project, "bascule.json"), JSON.stringify({ audit: { store: false } }));
    await writeFile(join(project, "plugins", "notes", "manifest.json"), JSON.stringify(MANIFEST));
    await writeFile(join(project, "plugins", "notes", "main.ts"), "export const note = () => 1;");
    await symlink(join(other, target), join(project, link));
    const said: string[] = [];
    const log: Log = { write: (_level, _message, fields) => void said.push(JSON.stringify(fields)), child: () => log };
    const options = { config: join(project, "bascule.json"), plugins: [join(project, "plugins")], logger: log };
    const host = await createHost({ platform: currentPlatform(), ...options });
    expect((await host.call("note")).ok).toBe(true);
    await host.close();
    expect(said.join("\n")).toContain("is a link, so no version is kept or deleted there");
    await using next = await createHost({ platform: currentPlatform(), ...options });
    await expect(next.remove("notes")).rejects.toThrow("is a link");
    expect(await readdir(join(other, "victim"))).toEqual(["diary", "letters"]);
    expect(await readdir(join(other, "victim", "letters"))).toEqual(["one"]);
    expect(await readdir(join(other, "notes"))).toEqual(["mine"]);
  });
});

describe.runIf(process.platform !== "win32")("state that is a link", () => {
  it.each([
    ["all of it", ".bascule", "shown"],
    ["one folder", ".bascule/mcp-logins", "shown"],
    ["one file", ".bascule/grants.json", "shown/grants.json"],
  ])("is not open to tools: %s [C1.state-links]", async (_what, link, target) => {
    const project = await temporaryFolder();
    await mkdir(join(project, "shown", "data", "notes"), { recursive: true });
    await mkdir(join(project, link, ".."), { recursive: true });
    for (const file of ["shown/grants.json", "shown/data/notes/mine", "open.txt"]) await writeFile(join(project, file), "{}");
    await writeFile(join(project, "bascule.json"), JSON.stringify({ audit: { store: false } }));
    await symlink(join(project, target), join(project, link));
    const logger: Log = { write: () => {}, child: () => logger };
    await using host = await createHost({ platform: currentPlatform(), config: join(project, "bascule.json"), plugins: [], logger });
    const request = { confirm: () => Promise.resolve(true) };
    expect((await host.call("read_file", { path: "open.txt" }, request)).ok).toBe(true);
    for (const [tool, args] of [
      ["read_file", {}],
      ["write_file", { content: "{}" }],
    ] as const) {
      const result = await host.call(tool, { path: "shown/grants.json", ...args }, request);
      expect([result.ok, JSON.stringify(result)], tool).toEqual([false, expect.stringContaining("host state")]);
    }
  });

  it.each([".bascule", ".bascule/mcp-logins", ".bascule/grants.json"])(
    "is refused if its target does not exist yet: %s [C1.state-links]",
    async (link) => {
      const project = await temporaryFolder();
      await mkdir(join(project, link, ".."), { recursive: true });
      await writeFile(join(project, "bascule.json"), JSON.stringify({ audit: { store: false } }));
      await symlink(join(project, "later"), join(project, link));
      const options = { platform: currentPlatform(), config: join(project, "bascule.json"), plugins: [] };
      await expect(createHost(options)).rejects.toThrow(`"${join(project, link)}" is a broken link (delete it)`);
    },
  );
});
