import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { manifest } from "../plugins/folder/harness.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const TOOLS = ["reads", "writes"].map((name) => ({
  ...{ name, description: "Does", sideEffects: ["read", "write"] },
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}));
const CONFIG = { confirmation: { default: { write: "auto" } } };
const ALL = { read: ["$workspace"], write: ["$workspace"] };
const MAIN = `
const tried = async (act) => { try { return await act(); } catch (error) { return error.name; } };
export const reads = ({ path }) => tried(() => Deno.readTextFile(path));
export const writes = ({ path }) => tried(async () => { await Deno.writeTextFile(path, "{}"); return "written"; });`;

/** Creates a project behind a link, which contains a link that leads out of it. */
async function linked(): Promise<{ readonly home: string; readonly real: string; readonly link: string }> {
  const home = await temporaryFolder();
  const [real, link] = [join(home, "real/project"), join(home, "link")];
  await mkdir(join(real, "plugins/files"), { recursive: true });
  await writeFile(join(real, "bascule.json"), JSON.stringify(CONFIG));
  await writeFile(join(real, "a.txt"), "inside");
  await writeFile(join(home, "secret.txt"), "outside");
  await writeFile(join(real, "plugins/files/manifest.json"), manifest("files", { permissions: ALL, tools: TOOLS }));
  await writeFile(join(real, "plugins/files/main.ts"), `// ${home}\n${MAIN}`);
  await symlink(real, link);
  await symlink(home, join(real, "out"));
  return { home, real, link };
}

async function outputs(host: Host, calls: readonly (readonly [tool: string, path: string])[]): Promise<readonly unknown[]> {
  return await Promise.all(
    calls.map(async ([tool, path]) => {
      const result = await host.call(tool, { path });
      return result.ok ? result.output : result.error.code;
    }),
  );
}

describe("a project that is opened through a link", () => {
  const ways: readonly (readonly [string, (link: string) => HostOptions])[] = [
    ["its file", (link) => ({ config: join(link, "bascule.json") })],
    ["its workspace", (link) => ({ config: join(link, "../real/project/bascule.json"), workspace: link, plugins: join(link, "plugins") })],
  ];
  it.each(ways)("accepts its own absolute paths in that spelling, by %s, and no others [PA4.links] [C3.links]", async (_way, optionsOf) => {
    const { home, real, link } = await linked();
    await using host = await createHost({ ...optionsOf(link), grants: { files: ALL } });
    expect(
      await outputs(host, [
        ["reads", join(real, "a.txt")],
        ["reads", join(link, "a.txt")],
        ["reads", join(link, "out/secret.txt")],
        ["reads", `${link}/../secret.txt`],
        ["reads", `${link}2/a.txt`],
        ["writes", join(link, "new.txt")],
        ["writes", join(link, "plugins/files/main.ts")],
        ["writes", join(link, "bascule.json")],
      ]),
    ).toEqual(["inside", "inside", ...Array.from({ length: 3 }, () => "NotCapable"), "written", "NotCapable", "NotCapable"]);

    const { files, slices } = currentPlatform();
    const operations = createOperations({ host, files, slices, session: host.session(), about: { version: "0", pid: 1 } });
    const states = [join(link, "a.txt"), join(home, "secret.txt")].map(async (value) => {
      const { tools } = await operations.why({ name: "files.reads", act: { kind: "read", value } });
      return tools[0]?.act?.state;
    });
    expect(await Promise.all(states)).toEqual(["granted", "denied"]);
  });

  it("applies a denial in either spelling [PA4.links] [P6.deny]", async () => {
    const { real, link } = await linked();
    for (const denied of [join(link, "a.txt"), join(real, "a.txt"), "$workspace/a.txt"]) {
      const grants = { files: { ...ALL, read: { allow: ["$workspace"], deny: [denied] } } };
      await using host = await createHost({ config: join(link, "bascule.json"), grants });
      const paths = [join(link, "a.txt"), join(real, "a.txt"), "a.txt"];
      expect(
        await outputs(
          host,
          [...paths, "bascule.json"].map((path) => ["reads", path] as const),
        ),
      ).toEqual([...paths.map(() => "NotCapable"), JSON.stringify(CONFIG)]);
    }
  });

  it("accepts the spelling of a session that names its workspace by a link [PA4.links]", async () => {
    const { real, link } = await linked();
    await using host = await createHost({ config: join(real, "bascule.json"), grants: { files: ALL } });
    const session = host.session({ workspace: link });
    const result = await host.call("files.reads", { path: join(link, "a.txt") }, { session });
    expect(result).toMatchObject({ ok: true, output: "inside" });
    expect(await outputs(host, [["reads", join(link, "a.txt")]])).toEqual(["NotCapable"]);
  });
});
