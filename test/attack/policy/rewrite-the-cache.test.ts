import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
const CODE = `export const put = ({ path }) => Deno.writeTextFile(path, "mine");`;
const CONFIG = JSON.stringify({ plugins: ["plugins"], workspace: ".", confirmation: { perTool: { put: "auto" } } });

const { XDG_CACHE_HOME: before } = process.env;
let folder = "";

/** A project whose workspace contains the machine's caches, as a home folder does. */
beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, "plugins", "writer"), { recursive: true });
  await writeFile(join(folder, "plugins", "writer", "manifest.json"), JSON.stringify(MANIFEST));
  await writeFile(join(folder, "plugins", "writer", "main.js"), CODE);
  await writeFile(join(folder, "bascule.json"), CONFIG);
});

afterEach(() => {
  if (before === undefined) delete process.env["XDG_CACHE_HOME"];
  else process.env["XDG_CACHE_HOME"] = before;
});

/** Returns the outcome of writing `path`, with a grant for the whole project. */
async function put(path: string): Promise<string> {
  await using host = await createHost({ config: join(folder, "bascule.json"), grants: { writer: { write: [folder] } }, logger: SILENT });
  const result = await host.call("put", { path });
  return result.ok ? "written" : result.error.message;
}

describe("attack: a plugin that may write a home folder rewrites what the next start runs", () => {
  it("cannot write compiled code or images in the cache [C2]", async () => {
    process.env["XDG_CACHE_HOME"] = join(folder, "cache");
    await mkdir(join(folder, "cache", "bascule", "compile"), { recursive: true });
    await writeFile(join(folder, "cache", "bascule", "compile", "code"), "ours");
    expect(await put("cache/bascule/compile/code")).toContain("which the host state layer denies");
    expect(await put("cache/bascule/images/new")).toContain("which the host state layer denies");
    expect(await put("cache/other")).toBe("written");
    expect(await readFile(join(folder, "cache", "bascule", "compile", "code"), "utf8")).toBe("ours");
  });

  it("cannot write it if the cache is reached through a link and does not exist yet [C2]", async () => {
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "linked"));
    process.env["XDG_CACHE_HOME"] = join(folder, "linked");
    expect(await put("real/bascule/code")).toContain("which the host state layer denies");
    expect(await put("linked/bascule/code")).toContain('Requires write access to "linked/bascule/code"');
  });

  it("cannot move it into the workspace through a relative name [C2]", async () => {
    process.env["XDG_CACHE_HOME"] = "cache";
    const home = await createHost({ config: join(folder, "bascule.json"), logger: SILENT });
    await home.close();
    const [state] = home.places.protect;
    expect(state?.paths.every(({ path }) => path.startsWith("/") && !path.includes("/cache/"))).toBe(true);
  });
});
