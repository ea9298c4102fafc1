/** Grants of paths that contain links, and how `why` reports them. */

import { mkdir, realpath, rename, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createCliProject } from "../../doors/cli/run-cli.ts";

const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "peek", version: "1.0.0", description: "Reads files" },
  permissions: { read: true },
  tools: [{ name: "peek", description: "Reads", inputSchema: { type: "object" }, sideEffects: ["read"] }],
};

async function linked(): Promise<{
  readonly project: Awaited<ReturnType<typeof createCliProject>>;
  readonly link: string;
  readonly real: string;
}> {
  const project = await createCliProject({
    "plugins/peek/manifest.json": JSON.stringify(MANIFEST),
    "plugins/peek/main.ts": "export const peek = ({ path }) => Deno.readTextFile(path);",
    "elsewhere/data/a.txt": "found",
    "elsewhere/other/a.txt": "other",
  });
  const folder = await realpath(project.folder);
  await symlink(`${folder}/elsewhere/data`, `${folder}/docs`);
  return { project, link: `${folder}/docs`, real: `${folder}/elsewhere/data` };
}

describe("a grant of a link", () => {
  it("includes the place that the link leads to now, shows it, and does not follow later changes of the link [C3.links] [PA4.links]", async () => {
    const { project, link, real } = await linked();
    await using _closing = project;
    const granted = await project.run(["grant", "peek", "--allow-read=docs", "--json"]);
    expect(JSON.parse(granted.out)).toMatchObject({ grant: { permissions: { read: [link, real] } } });
    const read = async (path: string): Promise<string> => (await project.run(["call", "peek", `path=${path}`])).out.trim();
    expect([await read("docs/a.txt"), await read(`${real}/a.txt`)]).toEqual(["found", "found"]);
    await rename(link, `${link}.old`);
    await symlink(real.replace("data", "other"), link);
    expect(await read("docs/a.txt")).toBe("");
    await rename(link, `${link}.new`);
    await rename(`${link}.old`, link);
    expect((await project.run(["revoke", "peek", "--allow-read=docs"])).code).toBe(0);
    expect([await read("docs/a.txt"), await read(`${real}/a.txt`)]).toEqual(["", ""]);
  });

  it("is refused if a link of the project leads out of it, unless the place is named too [C3.links-out]", async () => {
    const { project } = await linked();
    await using _closing = project;
    await using home = await createCliProject({ "key.txt": "secret" });
    const key = `${await realpath(home.folder)}/key.txt`;
    await symlink(key, `${project.folder}/notes.txt`);
    const read = async (): Promise<string> => (await project.run(["call", "peek", "path=notes.txt"])).out.trim();
    for (const flag of ["--allow-read=notes.txt", "--allow-read=docs,notes.txt"]) {
      const refused = await project.run(["grant", "peek", flag]);
      expect([refused.code === 0, refused.error]).toEqual([
        false,
        expect.stringContaining(`a link in the project leads out of it, to "${key}"`),
      ]);
      expect(refused.error).toContain(`--allow-read=${key}`);
    }
    expect(await read()).toBe("");
    expect((await project.run(["grant", "peek", `--allow-read=notes.txt,${key}`])).code).toBe(0);
    expect(await read()).toBe("secret");
  });

  it("denies the place behind the link as well [C3.links]", async () => {
    const { project, link, real } = await linked();
    await using _closing = project;
    const granted = await project.run(["grant", "peek", "--allow-read=elsewhere", "--deny-read=docs", "--json"]);
    expect(JSON.parse(granted.out)).toMatchObject({ grant: { permissions: { read: { deny: [link, real] } } } });
    expect((await project.run(["call", "peek", "path=elsewhere/data/a.txt"])).code).not.toBe(0);
    expect((await project.run(["call", "peek", "path=elsewhere/other/a.txt"])).out).toContain("other");
  });
});

describe("why, for a path through a link", () => {
  it("reports the result of a call, and where the link leads [P6.links] [PA4.links]", async () => {
    const { project, link, real } = await linked();
    await using _closing = project;
    await mkdir(`${project.folder}/room`);
    await writeFile(`${project.folder}/room/b.txt`, "inside");
    await symlink(`${real}/a.txt`, `${project.folder}/room/out.txt`);
    await project.run(["grant", "peek", "--allow-read=room"]);
    const why = async (path: string): Promise<unknown> => {
      const { out } = await project.run(["why", "peek", `read=${path}`, "--json"]);
      const { tools } = JSON.parse(out) as { readonly tools: readonly { readonly act: unknown }[] };
      return tools[0]?.act;
    };
    expect(await why("room/b.txt")).toMatchObject({ state: "granted" });
    expect(await why("room/out.txt")).toMatchObject({
      ...{ value: `${link.replace("/docs", "")}/room/out.txt`, leadsTo: `${real}/a.txt`, state: "prompt" },
      hint: { plugin: "peek", permissions: { read: ["$workspace/elsewhere/data/a.txt"] } },
    });
    expect((await project.run(["call", "peek", "path=room/out.txt"])).code).not.toBe(0);
    await project.run(["grant", "peek", "--allow-read=elsewhere"]);
    expect(await why("room/out.txt")).toMatchObject({ leadsTo: `${real}/a.txt`, state: "granted" });
    expect((await project.run(["call", "peek", "path=room/out.txt"])).out).toContain("found");
  });
});
