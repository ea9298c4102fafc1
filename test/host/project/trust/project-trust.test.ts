import { describe, expect, it } from "vitest";
import { createGrantStore } from "../../../../host/project/grants/grants.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { openProject } from "../../../../host/project/project-file.ts";
import { trustedProject, type TrustedProject } from "../../../../host/project/trust/project-trust.ts";
import { openTrustStore } from "../../../../host/project/trust/trust-store.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";

const CONFIG = "/project/bascule.json";
const GRANTS = "/project/.bascule/grants.json";

function platformWith(file: JsonObject, more: Readonly<Record<string, string>> = {}): MemoryPlatform {
  return createMemoryPlatform({ cwd: "/project", files: { [CONFIG]: JSON.stringify(file), ...more } });
}

async function open(platform: MemoryPlatform): Promise<TrustedProject> {
  return await trustedProject(platform, await openProject(platform, undefined));
}

const names = ({ trust }: TrustedProject): readonly string[] => trust.withheld().map(({ name }) => name);

describe("trustedProject()", () => {
  it("goes without what nobody agreed to, with it once somebody did, and asks again when it is another [K3.trust]", async () => {
    const platform = platformWith({ mcpServers: { a: { command: "x", args: ["1"] } } });
    const project = await open(platform);
    expect([names(project), project.config().mcpServers]).toEqual([["mcpServers.a"], {}]);

    await project.trust.agree(project.trust.withheld());
    expect(await project.refresh()).toEqual({ kind: "changed" });
    expect([names(project), Object.keys(project.config().mcpServers)]).toEqual([[], ["a"]]);
    expect(names(await open(platform))).toEqual([]);

    await platform.files.writeAtomic(CONFIG, JSON.stringify({ mcpServers: { a: { command: "x", args: ["2"] } } }));
    expect(await project.refresh()).toEqual({ kind: "changed" });
    expect(project.config().mcpServers).toEqual({});
    expect(project.trust.withheld()).toMatchObject([{ name: "mcpServers.a", value: { args: ["2"] }, before: { args: ["1"] } }]);
    expect(platform.recorded.log).toMatchObject([{ level: "warn", message: expect.stringContaining("mcpServers.a (bascule trust") }]);
    expect(await project.refresh()).toEqual({ kind: "same" });
  });

  it("hears of a yes that was given in another process [P1.trust]", async () => {
    const platform = platformWith({ trusted: ["words"] });
    const [here, there] = [await open(platform), await open(platform)];
    await there.trust.agree(there.trust.withheld());
    expect(await here.refresh()).toEqual({ kind: "changed" });
    expect(here.config().trusted).toMatchObject([{ name: "words" }]);
    await there.trust.agreeToAll(false);
    expect(await here.refresh()).toEqual({ kind: "changed" });
    expect(here.config().trusted).toEqual([]);
  });

  it("knows of such a yes also where a yes of its own has just read it [P1.trust]", async () => {
    const platform = platformWith({});
    const [here, there] = [await open(platform), await open(platform)];
    const theirs = { name: "theirs", about: "", value: 1 };
    await there.trust.agree([theirs]);
    const [isKnown] = await Promise.all([here.trust.isAgreed(theirs), here.trust.agree([{ name: "ours", about: "", value: 2 }])]);
    expect(isKnown).toBe(true);
    const late = await open(platform);
    await there.trust.agree([{ ...theirs, value: 3 }]);
    const ours = late.trust.agree([{ name: "ours", about: "", value: 4 }]);
    expect(await late.trust.isAgreed({ ...theirs, value: 3 })).toBe(true);
    await ours;
  });

  it("agrees to what was shown, not to what stands there by then [P1.trust]", async () => {
    const platform = platformWith({ mcpServers: { a: { command: "x" } } });
    const project = await open(platform);
    const shown = project.trust.withheld();
    await platform.files.writeAtomic(CONFIG, JSON.stringify({ mcpServers: { a: { command: "evil" } } }));
    await project.trust.agree(shown);
    await project.refresh();
    expect([names(project), project.config().mcpServers]).toEqual([["mcpServers.a"], {}]);
  });

  it("follows links out of the folder: a workspace or plugins that lie elsewhere are asked about [P1.trust]", async () => {
    const platform = platformWith(
      { workspace: "ws", plugins: ["plugins", "more/later", "../next"] },
      { "/home/user/secret": "x", "/project/plugins/x": "" },
    );
    platform.plant("/project/ws", { link: "/home/user" });
    platform.plant("/project/more", { link: "/home" });
    expect(names(await open(platform))).toEqual(["plugins.more/later", "plugins.../next", "workspace"]);
  });

  it("remembers in the person's own folder, for one project's folder only, whatever the checkout brings [P1.trust]", async () => {
    const platform = platformWith({ workspace: "/" });
    const project = await open(platform);
    await project.trust.agreeToAll(true);
    const { file } = await openTrustStore(platform, "/project");
    expect(file.startsWith("/home/user/.config/bascule/projects/")).toBe(true);
    expect((await platform.files.stat(file))?.mode).toBe(0o600);

    // The same checkout elsewhere, and a copy of what was agreed to under the other folder's name.
    const other = await openTrustStore(platform, "/other");
    expect(other.agreed().all).toBe(false);
    await platform.files.writeAtomic(other.file, await platform.files.readText(file));
    await other.refresh();
    expect(other.agreed().all).toBe(false);
    await expect(other.change((before) => before)).rejects.toThrow("it is about another folder");
  });

  it("takes a broken file of the person's for one that says nothing, and does not write over it [P1.trust]", async () => {
    const platform = platformWith({ trusted: ["words"] });
    const { file } = await openTrustStore(platform, "/project");
    await platform.files.makeDirectory(file.slice(0, file.lastIndexOf("/")));
    for (const text of ["{", "[]", '{"version":2,"root":"/project","all":true}', '{"version":1,"root":"/project","agreed":[]}']) {
      await platform.files.writeAtomic(file, text);
      const project = await open(platform);
      expect(names(project)).toEqual(["trusted.words"]);
      await expect(project.trust.agree(project.trust.withheld())).rejects.toThrow("Cannot change");
      expect(await platform.files.readText(file)).toBe(text);
    }
  });
});

describe("grants of a checkout", () => {
  const planted = { plugin: "words", directory: "/project/plugins/words", permissions: { read: true }, changedAt: "" };
  const text = JSON.stringify({ version: 1, grants: [planted] });

  it("give nothing before a person agreed to them, and are not added to [C3.trust]", async () => {
    const platform = platformWith({}, { [GRANTS]: text });
    const { trust } = await open(platform);
    const grants = await createGrantStore(platform, GRANTS, trust);
    expect(grants.list()).toEqual([]);
    expect(grants.problems()).toMatchObject([{ message: expect.stringContaining("not given on this machine") }]);
    await expect(grants.grant("words", planted.directory, { net: true })).rejects.toThrow("not given on this machine");

    await trust.agree(trust.withheld());
    await grants.refresh();
    expect(grants.list()).toMatchObject([planted]);
  });

  it("that were given here count at once, in every process, and a later checkout's do not take their place [C3.trust]", async () => {
    const platform = platformWith({});
    const first = await createGrantStore(platform, GRANTS, (await open(platform)).trust);
    const second = await createGrantStore(platform, GRANTS, (await open(platform)).trust);
    await first.grant("words", planted.directory, { net: true });
    await second.refresh();
    expect(second.list()).toMatchObject([{ permissions: { net: true } }]);

    await platform.files.writeAtomic(GRANTS, text);
    await second.refresh();
    expect(second.list()).toEqual([]);

    // Nor does an older state of it, once everything was taken back.
    await platform.files.writeAtomic(GRANTS, JSON.stringify({ version: 1, grants: [] }));
    await first.refresh();
    await first.grant("words", planted.directory, { net: true });
    const given = await platform.files.readText(GRANTS);
    await first.revoke("words");
    await platform.files.writeAtomic(GRANTS, given);
    await first.refresh();
    expect(first.list()).toEqual([]);
  });
});
