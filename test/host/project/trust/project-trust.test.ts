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
  it("withholds what is not trusted, applies it once it is trusted, and withholds it again when it changes [K3.trust]", async () => {
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

  it("notices trust given in another process [P1.trust]", async () => {
    const platform = platformWith({ trusted: ["words"] });
    const [here, there] = [await open(platform), await open(platform)];
    await there.trust.agree(there.trust.withheld());
    expect(await here.refresh()).toEqual({ kind: "changed" });
    expect(here.config().trusted).toMatchObject([{ name: "words" }]);
    await there.trust.agreeToAll(false);
    expect(await here.refresh()).toEqual({ kind: "changed" });
    expect(here.config().trusted).toEqual([]);
  });

  it("notices such trust even if an own change has just read it [P1.trust]", async () => {
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

  it("trusts what was shown, not what the file contains by then [P1.trust]", async () => {
    const platform = platformWith({ mcpServers: { a: { command: "x" } } });
    const project = await open(platform);
    const shown = project.trust.withheld();
    await platform.files.writeAtomic(CONFIG, JSON.stringify({ mcpServers: { a: { command: "evil" } } }));
    await project.trust.agree(shown);
    await project.refresh();
    expect([names(project), project.config().mcpServers]).toEqual([["mcpServers.a"], {}]);
  });

  it("follows links out of the folder: a workspace or plugins elsewhere need trust [P1.trust]", async () => {
    const platform = platformWith(
      { workspace: "ws", plugins: ["plugins", "more/later", "../next"] },
      { "/home/user/secret": "x", "/project/plugins/x": "" },
    );
    platform.plant("/project/ws", { link: "/home/user" });
    platform.plant("/project/more", { link: "/home" });
    expect(names(await open(platform))).toEqual(["plugins.more/later", "plugins.../next", "workspace"]);
  });

  it("stores trust in the user's own folder, for one project folder only, whatever the checkout contains [P1.trust]", async () => {
    const platform = platformWith({ workspace: "/" });
    const project = await open(platform);
    await project.trust.agreeToAll(true);
    const { file } = await openTrustStore(platform, "/project");
    expect(file.startsWith("/home/user/.config/bascule/projects/")).toBe(true);
    expect((await platform.files.stat(file))?.mode).toBe(0o600);

    // The same checkout elsewhere, with a copy of the trust file of the first folder.
    const other = await openTrustStore(platform, "/other");
    expect(other.agreed().all).toBe(false);
    await platform.files.writeAtomic(other.file, await platform.files.readText(file));
    await other.refresh();
    expect(other.agreed().all).toBe(false);
    await expect(other.change((before) => before)).rejects.toThrow("it belongs to another folder");
  });

  it("treats a broken trust file as empty, and does not overwrite it [P1.trust]", async () => {
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

  it("give nothing before the user trusts them, and cannot be added to [C3.trust]", async () => {
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

  it("given on this machine apply at once in every process, and a checkout cannot replace them [C3.trust]", async () => {
    const platform = platformWith({});
    const first = await createGrantStore(platform, GRANTS, (await open(platform)).trust);
    const second = await createGrantStore(platform, GRANTS, (await open(platform)).trust);
    await first.grant("words", planted.directory, { net: true });
    await second.refresh();
    expect(second.list()).toMatchObject([{ permissions: { net: true } }]);

    await platform.files.writeAtomic(GRANTS, text);
    await second.refresh();
    expect(second.list()).toEqual([]);

    // An older state of the file does not apply after everything was revoked.
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
