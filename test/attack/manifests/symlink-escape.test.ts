import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodePlatform } from "../../../host/platform/node.ts";
import { readFolder } from "../../../host/plugins/folder/read.ts";
import { manifest, tool } from "../../host/plugins/folder/harness.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

const SECRET = "the host's own secret";
/** As long as the secret, so that a different size cannot reveal the swap. */
const INSIDE = "x".repeat(SECRET.length);

/**
 * Replaces the folder by a link to the outside and restores it, for at most a minute. The folder keeps its inode and times; only
 * its place changes. It swaps as fast as possible, but rests now and then with the honest folder in place, because otherwise the
 * folder could never be read. It runs in a process of its own, because in the test's process it would alternate with the reader.
 */
const SWAP_FOLDERS = `
  const { renameSync } = require("node:fs");
  const [folder, home] = process.argv.slice(-2);
  console.log("begun");
  const rest = new Int32Array(new SharedArrayBuffer(4));
  const end = Date.now() + 60_000;
  for (let swap = 0; Date.now() < end; swap++) {
    if (swap % 50 === 0) Atomics.wait(rest, 0, 0, 10);
    renameSync(folder + "/lib", home + "/parked");
    renameSync(home + "/trap", folder + "/lib");
    renameSync(folder + "/lib", home + "/trap");
    renameSync(home + "/parked", folder + "/lib");
    for (const pause = process.hrtime.bigint() + 200_000n; process.hrtime.bigint() < pause; );
  }
`;

describe("a link that leads out of the plugin's folder", () => {
  it.each([
    ["a module", { "evil/manifest.json": manifest("evil"), "evil/main.ts": { link: "../../secret" } }, "main.ts"],
    ["a module, by an absolute path", { "evil/manifest.json": manifest("evil"), "evil/main.ts": { link: "/etc/hostname" } }, "main.ts"],
    ["the manifest itself", { "evil/manifest.json": { link: "../../secret" }, "evil/main.ts": "" }, "manifest.json"],
    ["another plugin's manifest", { "evil/manifest.json": { link: "../honest/manifest.json" }, "evil/main.ts": "" }, "manifest.json"],
    [
      "a file that no manifest names",
      { "evil/manifest.json": manifest("evil"), "evil/main.ts": "", "evil/data.txt": { link: "../../secret" } },
      "data.txt",
    ],
    ["a folder", { "evil/manifest.json": manifest("evil"), "evil/main.ts": "", "evil/lib": { link: "/etc" } }, "lib"],
    [
      "a link to a link",
      { "evil/manifest.json": manifest("evil"), "evil/main.ts": { link: "hop" }, "evil/hop": { link: "../../secret" } },
      "hop",
    ],
    [
      "a link that leaves the folder, comes back and leaves again",
      { "evil/manifest.json": manifest("evil"), "evil/main.ts": { link: "../evil/../../secret" } },
      "main.ts",
    ],
    [
      "a folder with a longer name that begins alike",
      { "evil/manifest.json": manifest("evil"), "evil/main.ts": { link: "../evilest/main.ts" }, "evilest/main.ts": "" },
      "main.ts",
    ],
  ])("is refused for %s [M4.symlink]", async (_what, entries, named) => {
    expect(await refusalOf({ "../secret": SECRET, ...entries })).toContain(`"${named}" is a link that leaves the plugin's folder`);
  });

  it("is refused in the manifest's text too, as .. and as an absolute path [M4]", async () => {
    const modules = ["../honest/main.ts", "/etc/passwd.ts", "lib/../../x.ts", "..\\x.ts", "file:///x.ts"];
    const text = manifest("evil", { tools: modules.map((module, index) => tool(`run${index}`, { module })) });
    expect(await refusalOf({ "evil/manifest.json": text, "evil/main.ts": "" })).toHaveLength(modules.length);
  });

  it("never exposes the bytes of its target while links and folders are swapped under the reader [M4.race]", async () => {
    const home = await temporaryFolder();
    const folder = join(home, "plugins/evil");
    await plantOnDisk(join(folder, "manifest.json"), "{}");
    await plantOnDisk(join(folder, "lib/a.ts"), INSIDE);
    await plantOnDisk(join(home, "outside/a.ts"), SECRET);
    await symlink(join(home, "outside"), join(home, "trap"));
    const attacker = spawn(process.execPath, ["-e", SWAP_FOLDERS, folder, home]);
    onTestFinished(() => void attacker.kill("SIGKILL"));
    await once(attacker.stdout, "data");

    const platform = createNodePlatform();
    const seen = new Map<string, number>();
    const isMissing = (): boolean => !seen.has(INSIDE) || !seen.has("changing");
    for (let round = 0; round < 1_500 || (isMissing() && attacker.exitCode === null); round++) {
      const state = await readFolder(platform, { root: join(home, "plugins"), rootIndex: 0, folder: "evil" });
      const bytes = state.kind === "read" ? state.files.get("lib/a.ts") : undefined;
      const what = bytes === undefined ? state.kind : new TextDecoder().decode(bytes);
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    expect(attacker.exitCode).toBeNull();
    // The reader saw both the honest folder and the swap.
    expect(seen.get(INSIDE)).toBeGreaterThan(0);
    expect(seen.get("changing")).toBeGreaterThan(0);
    expect([...seen.keys()].filter((what) => ![INSIDE, "changing", "refused", "read"].includes(what))).toEqual([]);
  });

  it("may lead into the plugin's own folder, and a plugin's folder may itself be a link [H9.symlink]", async () => {
    const { statusOf } = await hostileRoot({
      "../elsewhere/manifest.json": manifest("fine"),
      "../elsewhere/code/real.ts": "code",
      "../elsewhere/main.ts": { link: "code/real.ts" },
      fine: { link: "../elsewhere" },
    });
    expect(await statusOf("fine")).toMatchObject({ state: "loaded", name: "fine" });
  });
});
