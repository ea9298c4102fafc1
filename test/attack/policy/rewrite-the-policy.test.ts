import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost, type Log } from "../../../host/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

const MANIFEST = {
  schemaVersion: "1.0",
  name: "writer",
  version: "1.0.0",
  description: "Writes any file of the workspace",
  main: "main.js",
  permissions: { write: ["$workspace"] },
  tools: [{ name: "put", description: "Writes a file", inputSchema: { type: "object" }, sideEffects: ["write"] }],
};
const CODE = `export const put = ({ path }) => Deno.writeTextFile(path, '{ "policy": {} }');`;
const POLICY = JSON.stringify({ plugins: ["plugins"], workspace: ".", confirmation: { perTool: { put: "auto" } } });

/** Creates a project whose policy is in `file`, with a plugin that may write the whole workspace. */
async function projectWith(file: string): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "plugins", "writer"), { recursive: true });
  await writeFile(join(folder, "plugins", "writer", "manifest.json"), JSON.stringify(MANIFEST));
  await writeFile(join(folder, "plugins", "writer", "main.js"), CODE);
  await writeFile(join(folder, file), POLICY);
  return folder;
}

describe("attack: a plugin that may write the workspace rewrites the policy", () => {
  it("cannot write the file that --config names [C2, P1]", async () => {
    const folder = await projectWith("policy.json");
    await using host = await createHost({ config: join(folder, "policy.json"), grants: { writer: { write: [folder] } }, logger: SILENT });
    const result = await host.call("put", { path: "policy.json" });
    expect(result.ok ? "" : result.error.message).toContain('Requires write access to "policy.json", which the host state layer denies');
    expect(await readFile(join(folder, "policy.json"), "utf8")).toBe(POLICY);
    expect(await host.call("put", { path: "other.json" })).toMatchObject({ ok: true, filesModified: ["other.json"] });
  });

  it("cannot write it through a link, nor the link's target [C2, P1]", async () => {
    const folder = await projectWith("real.json");
    await symlink("real.json", join(folder, "linked.json"));
    await using host = await createHost({ config: join(folder, "linked.json"), grants: { writer: { write: [folder] } }, logger: SILENT });
    for (const path of ["real.json", "linked.json"]) expect(await host.call("put", { path })).toMatchObject({ ok: false });
    expect(await readFile(join(folder, "real.json"), "utf8")).toBe(POLICY);
  });
});
