import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../../host/doors/cli/arguments.ts";
import { RUN_OPTIONS } from "../../../../host/doors/cli/permission-flags.ts";
import { permissionsOfRun } from "../../../../host/doors/cli/permission-set.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { type CliProject, createCliProject } from "./run-cli.ts";

const DENO_JSON = `{
  // As in a real deno.json, with comments and a trailing comma.
  "tasks": { "dev": "deno run -P main.ts // no comment" },
  "permissions": {
    "default": { "read": ["./", "/etc/hosts"], "env": ["APP_*"], },
    "api": {
      "net": { "allow": ["api.example.com:443"], "deny": ["10.0.0.0/8"] },
      "read": { "allow": ["data", "$workspace/x"], "deny": ["data/secret"], "ignore": [".env"] },
      "write": false,
      "run": ["git", "./build.sh"]
    },
    "everything": { "all": true, "net": false },
    "wrong": { "reed": true }
  }
}`;

async function ofRun(project: CliProject, folder: string, ...flags: readonly string[]): Promise<unknown> {
  const platform = currentPlatform({ log: { level: "error" } });
  const parsed = parseArguments(flags, RUN_OPTIONS);
  if (!parsed.ok) throw new Error(parsed.message);
  const environment = { ...platform.environment, cwd: `${project.folder}${folder}` };
  return permissionsOfRun(parsed.options, { ...platform, environment });
}

describe("permissionsOfRun()", () => {
  it("reads a set of the nearest deno.json, with paths relative to that file [C3.set] [PA1.paste]", async () => {
    await using project = await createCliProject({ "deno.json": DENO_JSON, "sub/x.txt": "" });
    const { folder } = project;
    expect(await ofRun(project, "/sub", "-P")).toEqual({ read: { allow: [folder, "/etc/hosts"] }, env: { allow: ["APP_*"] } });
    const api = {
      net: { allow: ["api.example.com:443"], deny: ["10.0.0.0/8"] },
      read: { allow: [`${folder}/data`, "$workspace/x"], deny: [`${folder}/data/secret`], ignore: [`${folder}/.env`] },
      write: { allow: false },
      run: { allow: ["git", `${folder}/build.sh`] },
    };
    expect(await ofRun(project, "", "-P=api")).toEqual(api);
    expect(await ofRun(project, "", "--permission-set=api", "--allow-read=other", "--deny-net")).toEqual({
      ...api,
      read: { ...api.read, allow: [`${folder}/other`] },
      net: { allow: ["api.example.com:443"], deny: true },
    });
    expect(await ofRun(project, "", "-P=everything")).toMatchObject({ read: { allow: true }, ffi: { allow: true }, net: { allow: false } });
  });

  it("lists the available sets for an unknown name [C3.set]", async () => {
    await using project = await createCliProject({ "deno.jsonc": DENO_JSON });
    await expect(ofRun(project, "", "-P=nothing")).rejects.toThrow('Unknown permission set "nothing"');
    await expect(ofRun(project, "", "-P=toString")).rejects.toMatchObject({ hints: ["Choose from default, api, everything, wrong"] });
    await expect(ofRun(project, "", "-P=wrong")).rejects.toThrow('Invalid permission set "wrong"');
    await using broken = await createCliProject({ "deno.json": "{" });
    await expect(ofRun(broken, "", "-P")).rejects.toThrow("Cannot read");
  });

  it("grants a set to the plugins of a run, within their manifests [C3.set]", async () => {
    await using project = await createCliProject({
      "deno.json": JSON.stringify({ permissions: { docs: { read: { allow: ["docs"], deny: ["docs/private.md"] } } } }),
      "docs/a.md": "one two",
      "docs/private.md": "secret",
      "README.md": "three",
    });
    await project.run(["init", "demo"]);
    const call = (path: string, ...flags: readonly string[]): Promise<{ code: number }> =>
      project.run(["call", "demo_peek", `path=${path}`, ...flags]);
    expect(
      [
        (await call("docs/a.md")).code,
        (await call("docs/a.md", "-P=docs")).code,
        (await call("docs/private.md", "-P=docs")).code,
        (await call("README.md", "-P=docs")).code,
        (await call("README.md", "-P=docs", "-R=README.md")).code,
      ].map((code) => code === 0),
    ).toEqual([false, true, false, false, true]);
  });
});
