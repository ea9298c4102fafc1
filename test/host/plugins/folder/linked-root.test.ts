import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../../../host/doors/host-operations.ts";
import { createHost, type Host } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { realDirectoryOf } from "../../../../host/plugins/folder/mod.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { manifest, pluginFiles } from "./harness.ts";

const ALL = { read: ["$workspace"], write: ["$workspace"] };
const DEADLINE = { timeout: 15_000, interval: 10 };

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

describe("a plugin root that is a link", () => {
  it("is followed to its present target: events report edits there, and a new target is noticed [H9.replacedRoot]", async () => {
    const home = await temporaryFolder();
    const [one, two, root] = [join(home, "one"), join(home, "two"), join(home, "plugins")];
    await write(one, pluginFiles("a", "export const a_run = () => 'one';"));
    await write(two, pluginFiles("a", "export const a_run = () => 'two';"));
    await symlink(one, root);
    await using host = await createHost({ plugins: root, workspace: home, config: false, watch: true, loadsAtOnce: () => false });
    const directories = (): readonly (string | undefined)[] => host.plugins().map((plugin) => realDirectoryOf(plugin));
    expect([host.places.pluginRoots, directories()]).toEqual([[root], [join(one, "a")]]);

    await symlink(two, join(home, "next"));
    await rename(join(home, "next"), root);
    await expect.poll(directories, DEADLINE).toEqual([join(two, "a")]);

    const before = host.plugins()[0]?.digest;
    await writeFile(join(two, "a/main.ts"), "export const a_run = () => 'three';");
    await expect.poll(() => host.plugins()[0]?.digest !== before, DEADLINE).toBe(true);
  });
});

describe("a link on the way to a plugin root or to a plugin", () => {
  it.each(["plugin", "root"])(
    "cannot be changed by a plugin that may write next to it: a chain of links as %s [PA4.links] [H9] [P6.layers]",
    async (what) => {
      const home = await temporaryFolder();
      const real = join(home, "elsewhere/plugins");
      const tools = [{ name: "moves", description: "Moves", sideEffects: ["read", "write"], inputSchema: { type: "object" } }];
      const main = `// ${home}\nconst tried = (from) => Deno.rename(from, from + ".old").then(() => "moved", (error) => error.name);\n`;
      await write(home, { "work/other/a.txt": "", "bascule.json": JSON.stringify({ confirmation: { default: { write: "auto" } } }) });
      await write(real, {
        "mover/manifest.json": manifest("mover", { permissions: ALL, tools }),
        "mover/main.ts": `${main}export const moves = () => Promise.all(["mid", "other"].map(tried));`,
      });
      await symlink(what === "root" ? real : join(real, "mover"), join(home, "work/mid"));
      if (what === "plugin") await mkdir(join(home, "plugins"));
      await symlink(join(home, "work/mid"), join(home, what === "root" ? "plugins" : "plugins/mover"));
      const grants = { mover: ALL };
      await using host = await createHost({ config: join(home, "bascule.json"), workspace: join(home, "work"), grants });
      expect(await host.call("moves", {})).toMatchObject({ ok: true, output: ["NotCapable", "moved"] });
      expect(host.why("moves")?.layers.filter(({ layer }) => layer === "plugin sources")).toEqual([
        { layer: "plugin sources", permissions: { write: { deny: [join(home, "plugins"), ...(what === "root" ? [real] : [])] } } },
      ]);
    },
  );
});

describe("a plugin that is a link in its root, or whose root is one", () => {
  it.each(["plugin", "root"])("has its grants, and is shown with them: a link as %s [C3.links] [H9]", async (what) => {
    const home = await temporaryFolder();
    const real = join(home, "elsewhere/plugins");
    await write(home, { "bascule.json": "{}", "work/a.txt": "hello" });
    await write(real, reader());
    if (what === "root") await symlink(real, join(home, "plugins"));
    else {
      await mkdir(join(home, "plugins"));
      await symlink(join(real, "reader"), join(home, "plugins/reader"));
    }
    const options = { config: join(home, "bascule.json"), workspace: join(home, "work") };
    const called = async (host: Host): Promise<unknown> => {
      const result = await host.call("read_it", {});
      return result.ok ? result.output : result.error.code;
    };
    const seen: unknown[] = [];
    {
      await using host = await createHost(options);
      seen.push(await called(host));
      await host.grant("reader", { read: ["$workspace"] });
      seen.push(await called(host));
    }
    await using host = await createHost(options);
    seen.push(await called(host));
    const { files, slices } = currentPlatform();
    const operations = createOperations({ host, files, slices, session: host.session(), about: { version: "0", pid: 1 } });
    const view = (await operations.list()).find(({ name }) => name === "reader");
    const { grants } = await operations.grants();
    expect([seen, view?.granted, grants.map(({ directory, inUse }) => ({ directory, inUse }))]).toEqual([
      ["tool_failed", "hello", "hello"],
      { read: ["$workspace"] },
      [{ directory: join(real, "reader"), inUse: true }],
    ]);
  });
});

function reader(): Readonly<Record<string, string>> {
  const tools = [{ name: "read_it", description: "Reads", sideEffects: ["read"], inputSchema: { type: "object" } }];
  return {
    "reader/manifest.json": manifest("reader", { permissions: { read: ["$workspace"] }, tools }),
    "reader/main.ts": "export const read_it = () => Deno.readTextFile('a.txt');",
  };
}
