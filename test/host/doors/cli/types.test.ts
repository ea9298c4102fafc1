import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTypesKeeper } from "../../../../host/doors/cli/keep-types.ts";
import { createOutput } from "../../../../host/doors/cli/output.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { FileError, type Platform } from "../../../../host/platform/platform.ts";
import { GLOBALS_FILE, TYPES_FILE } from "../../../../host/plugins/types/plugin-types.ts";
import { createCliProject, type CliProject } from "./run-cli.ts";

const DEMO = "plugins/demo";

async function projectWithDemo(): Promise<CliProject> {
  const project = await createCliProject({ "README.md": "# Title\n" });
  await project.run(["init", "demo"]);
  return project;
}

function read(project: CliProject, file: string): Promise<string> {
  return readFile(join(project.folder, DEMO, file), "utf8");
}

/** Replaces the permissions in the manifest. */
async function ask(project: CliProject, permissions: object): Promise<void> {
  const manifest = JSON.parse(await read(project, "manifest.json")) as object;
  await project.write(`${DEMO}/manifest.json`, JSON.stringify({ ...manifest, permissions }, undefined, 2));
}

describe("bascule types", () => {
  it("writes outdated files, and a tsconfig.json only if it is missing, and reports them [M8.cli]", async () => {
    await using project = await projectWithDemo();
    await rm(join(project.folder, DEMO, TYPES_FILE));
    await project.write(`${DEMO}/tsconfig.json`, "{}");
    expect(await project.run(["types"])).toEqual({
      code: 0,
      error: "",
      out: `good demo  ${DEMO}\n  ${TYPES_FILE} written\n\n1 plugin good, 0 bad\n`,
    });
    expect(await read(project, "tsconfig.json")).toBe("{}");
    await rm(join(project.folder, DEMO, "tsconfig.json"));
    expect((await project.run(["types", "demo"])).out).toContain("  tsconfig.json written\n");
    const before = (await stat(join(project.folder, DEMO, TYPES_FILE))).mtimeMs;
    expect((await project.run(["types", DEMO])).out).toBe(`good demo  ${DEMO}\n\n1 plugin good, 0 bad\n`);
    expect((await stat(join(project.folder, DEMO, TYPES_FILE))).mtimeMs).toBe(before);
  });

  it("does not need the plugin's code to exist or to load [M8.cli]", async () => {
    await using project = await projectWithDemo();
    await rm(join(project.folder, DEMO, "main.ts"));
    await ask(project, { write: true });
    expect(await project.run(["types"])).toMatchObject({ code: 0 });
    expect(await read(project, GLOBALS_FILE)).toContain("function writeTextFile(");
    expect(await read(project, GLOBALS_FILE)).not.toContain("function readTextFile(");
  });

  it("writes nothing with --check, and exits with 1 if a file is stale or missing [M8.check] [I2.exit-codes]", async () => {
    await using project = await projectWithDemo();
    expect(await project.run(["types", "--check"])).toMatchObject({ code: 0, error: "" });
    await ask(project, { read: true, env: ["HOME"] });
    await rm(join(project.folder, DEMO, TYPES_FILE));
    const stale = await read(project, GLOBALS_FILE);
    const { code, out } = await project.run(["types", "--check", "--json"]);
    expect({ code, ...(JSON.parse(out) as object) }).toEqual({
      code: 1,
      ok: false,
      plugins: [
        {
          plugin: "demo",
          directory: join(project.folder, DEMO),
          files: [
            { file: TYPES_FILE, state: "missing" },
            { file: GLOBALS_FILE, state: "stale" },
          ],
        },
      ],
    });
    expect(await read(project, GLOBALS_FILE)).toBe(stale);
  });

  it("prints the files of one plugin with --stdout, and writes nothing [M8.stdout]", async () => {
    await using project = await projectWithDemo();
    const [types, globals] = [await read(project, TYPES_FILE), await read(project, GLOBALS_FILE)];
    await rm(join(project.folder, DEMO, TYPES_FILE));
    expect(await project.run(["types", "--stdout"])).toEqual({
      code: 0,
      error: "",
      out: `// ${TYPES_FILE}\n${types}\n// ${GLOBALS_FILE}\n${globals}\n`,
    });
    await expect(read(project, TYPES_FILE)).rejects.toMatchObject({ code: "ENOENT" });
    await project.run(["init", "second"]);
    expect(await project.run(["types", "--stdout"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("bascule types demo --stdout"),
    });
    expect(await project.run(["types", "--stdout", "--check"])).toMatchObject({ code: 2 });
  });

  it("does not overwrite foreign files, and reports invalid manifests and unknown names [M8.foreign] [I2.exit-codes]", async () => {
    await using project = await projectWithDemo();
    await project.write(`${DEMO}/${TYPES_FILE}`, "export type Mine = 1;\n");
    await project.write("plugins/wrong/manifest.json", "{}");
    const { code, out } = await project.run(["types"]);
    expect(code).toBe(1);
    expect(out).toContain(`bad  demo  ${DEMO}\n  ${TYPES_FILE} is not a generated file, so it is not overwritten (rename it)\n`);
    expect(out).toContain("bad  wrong  plugins/wrong\n  error ");
    expect(out).toContain("\n0 plugins good, 2 bad\n");
    expect(await read(project, TYPES_FILE)).toBe("export type Mine = 1;\n");
    expect(await project.run(["types", "missing"])).toEqual({
      code: 3,
      out: "",
      error: 'error Unknown plugin "missing"\n  Choose from demo, wrong\n',
    });
  });
});

describe("bascule dev", () => {
  it("writes the types on start and on every change of a manifest, also for a held or failed version [M8.dev] [I7.types]", async () => {
    await using project = await projectWithDemo();
    await rm(join(project.folder, DEMO, TYPES_FILE));
    const dev = project.start(["dev"]);
    await dev.waitFor(`types    demo  ${TYPES_FILE}\n`);
    expect(await read(project, TYPES_FILE)).toContain("DemoPeekArgs");
    // Wider permissions wait to be accepted, but the author gets the types for them at once.
    await ask(project, { read: true, write: true });
    await dev.waitFor(`types    demo  ${TYPES_FILE}, ${GLOBALS_FILE}\n`);
    expect(await read(project, GLOBALS_FILE)).toContain("function writeTextFile(");
    await project.write(`${DEMO}/main.ts`, "const = 1;\n");
    await ask(project, {});
    await waitUntil(async () => !(await read(project, GLOBALS_FILE)).includes("function readTextFile("));
  });

  it("does not reload a plugin because of its own writes [M8.no-loop] [M11.declarations]", async () => {
    await using project = await projectWithDemo();
    const digest = await digestOf(project);
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    await rm(join(project.folder, DEMO, GLOBALS_FILE));
    await project.write(`${DEMO}/${TYPES_FILE}`, "");
    await project.write(`${DEMO}/own.d.ts`, "export type Own = 1;\n");
    expect(await project.run(["reload"])).toMatchObject({ code: 0 });
    // Make another change: when it is seen, all earlier ones have been seen.
    await project.run(["init", "second"]);
    await dev.waitFor("loaded   second");
    expect(dev.printed()).not.toContain("reloaded");
    expect(await digestOf(project)).toBe(digest);
  });

  it("reports once that a folder cannot be written, and continues [M8.read-only]", async () => {
    await using project = await projectWithDemo();
    const folder = join(project.folder, DEMO);
    await rm(join(folder, TYPES_FILE));
    const platform = currentPlatform({ log: { level: "error" } });
    const refuse = (): Promise<never> => Promise.reject(new FileError("permission_denied", "Permission denied by the operating system"));
    const readOnly: Platform = { ...platform, guarded: { ...platform.guarded, writeBytes: refuse } };
    const keep = keeper(readOnly);
    expect(await keep("demo", folder)).toEqual(["note     Cannot write the types of demo: Permission denied by the operating system"]);
    expect(await keep("demo", folder)).toEqual([]);
  });

  it("reports once that a user's file is in the way, and writes the other file [M8.foreign]", async () => {
    await using project = await projectWithDemo();
    const folder = join(project.folder, DEMO);
    await rm(join(folder, GLOBALS_FILE));
    await project.write(`${DEMO}/${TYPES_FILE}`, "export type Mine = 1;\n");
    const keep = keeper(currentPlatform({ log: { level: "error" } }));
    expect(await keep("demo", folder)).toEqual([
      `types    demo  ${GLOBALS_FILE}`,
      `note     demo has its own "${TYPES_FILE}": not overwritten (rename it to get types)`,
    ]);
    expect(await keep("demo", folder)).toEqual([]);
    expect(await read(project, TYPES_FILE)).toBe("export type Mine = 1;\n");
  });

  it("reports nothing about a deleted folder [M8.dev]", async () => {
    const keep = keeper(currentPlatform({ log: { level: "error" } }));
    expect(await keep("demo", "/nowhere/at/all")).toEqual([]);
  });
});

/** Creates a keeper that returns the printed lines without the time. */
function keeper(platform: Platform): (plugin: string, folder: string) => Promise<readonly string[]> {
  const said: string[] = [];
  const output = createOutput(platform, { json: false, color: false, program: "bascule" });
  const keep = createTypesKeeper(platform, { ...output, line: (text = "") => void said.push(text.slice("00:00:00 ".length)) });
  return async (plugin, folder) => {
    await keep(plugin, folder);
    return said.splice(0);
  };
}

async function digestOf(project: CliProject): Promise<unknown> {
  const { out } = await project.run(["info", "demo", "--json"]);
  return (JSON.parse(out) as { readonly plugin: { readonly digest: unknown } }).plugin.digest;
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 15_000;
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error("The condition did not hold in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
