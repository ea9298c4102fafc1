/** The program that `bin/bascule.mjs` starts in a checkout: a bundle if it matches the sources, otherwise the sources. */

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandOutcome, runCommand } from "../../scripts/run-command.ts";
import { REPOSITORY } from "../support/source-files.ts";

const PARTS = ["bin", "host", "manifests", "sandbox", "scripts", "package.json"];
const SOURCES = "host/doors/cli/start.ts";
const BUNDLE = /^dist\/builds\/[0-9a-f]{16}\/start\.js$/;
const RECORD = "dist/builds/current.json";
const VERSION_FILE = "host/primitives/version.ts";

const folders: string[] = [];
/** Path of a copy of this checkout, bundled as `npm ci` does. */
let bundled = "";

beforeAll(async () => {
  bundled = newFolder();
  for (const name of PARTS) cpSync(REPOSITORY + name, join(bundled, name), { recursive: true });
  symlinkSync(realpathSync(`${REPOSITORY}node_modules`), join(bundled, "node_modules"));
  expect(await prepare(bundled)).toEqual({ code: 0, output: "" });
}, 60_000);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("the program of a checkout", () => {
  it.each<readonly [where: string, runtime: string, ...words: string[]]>([
    ["a thread, on Node", "node", "inside_sum"],
    ["a process, on Node", "node", "inside_sum", "--isolation=process"],
    ["a trusted plugin's process, on Node", "node", "trusted_sum"],
    ["a process, on Deno", "deno", "inside_sum", "--isolation=process"],
  ])("is the bundle from `npm ci`, also in %s [I2.bundle]", { timeout: 60_000 }, async (_where, runtime, ...words) => {
    expect(await programOf(bundled)).toMatch(BUNDLE);
    const cwd = projectWithTools();
    const bascule = (...line: string[]): Promise<CommandOutcome> => {
      const args = [...(runtime === "deno" ? ["run", "-A"] : []), join(bundled, "bin/bascule.mjs"), ...line];
      return runCommand(runtime, args, { cwd, env: { XDG_CONFIG_HOME: join(cwd, ".config") } });
    };
    if (words[0] === "trusted_sum") await bascule("trust", "--yes");
    const { code, output } = await bascule("call", ...words, "a:=2", "b:=3", "--json");
    expect({ code, ...pick(output) }).toEqual({ code: 0, route: words[0] === "inside_sum" ? "wasm" : "host", output: 5 });
  });

  it("is the sources after an edit, even if the file's size and time are unchanged [I2.edit]", { timeout: 60_000 }, async () => {
    const checkout = copyOf(bundled);
    const path = join(checkout, VERSION_FILE);
    const [before, { atime, mtime }] = [readFileSync(path, "utf8"), statSync(path)];
    writeFileSync(path, before.replace(/"\d/, '"8'));
    utimesSync(path, atime, mtime);
    expect(statSync(path).size).toBe(before.length);
    expect(await versionOf(checkout)).toMatch(/^8\./);
    writeFileSync(path, before);
    expect(await programOf(checkout)).toMatch(BUNDLE);
    expect(await versionOf(checkout)).toMatch(/^0\./);
  });

  it("is the new bundle after edited sources are bundled [I2.rebuild]", { timeout: 60_000 }, async () => {
    const checkout = copyOf(bundled);
    const first = await programOf(checkout);
    appendFileSync(join(checkout, "host/primitives/version.ts"), `globalThis.console.log("edited");\n`);
    expect(await programOf(checkout)).toBe(SOURCES);
    await prepare(checkout);
    const second = await programOf(checkout);
    expect(second).toMatch(BUNDLE);
    expect(second).not.toBe(first);
    expect(await versionOf(checkout)).toMatch(/^edited\n0\./);
    // Running processes of the first bundle still load files from it.
    expect(statSync(join(checkout, first)).isFile()).toBe(true);
  });

  it.each<readonly [string, (checkout: string) => void]>([
    ["a source file is missing", (checkout) => unlinkSync(join(checkout, "host/doors/http/server.ts"))],
    [
      "a source file is a folder",
      (checkout) => {
        unlinkSync(join(checkout, "host/doors/http/server.ts"));
        mkdirSync(join(checkout, "host/doors/http/server.ts"));
      },
    ],
    ["package.json is edited", (checkout) => appendFileSync(join(checkout, "package.json"), "\n")],
    [
      "the record is truncated",
      (checkout) => writeFileSync(join(checkout, RECORD), readFileSync(join(checkout, RECORD), "utf8").slice(0, 500)),
    ],
    ["the record has another format", (checkout) => edit(join(checkout, RECORD), `"format":2`, `"format":1`)],
    ["the record lacks members", (checkout) => writeFileSync(join(checkout, RECORD), `{ "format": 2 }`)],
    ["the bundle is missing", (checkout) => rmSync(join(checkout, "dist/builds", onlyBuild(checkout)), { recursive: true })],
    ["no bundle exists", (checkout) => rmSync(join(checkout, "dist"), { recursive: true })],
  ])("is the sources if %s [I2.unlike]", async (_what, change) => {
    const checkout = copyOf(bundled);
    change(checkout);
    expect(await programOf(checkout)).toBe(SOURCES);
  });

  it("is the bundle in a full copy of the checkout with other file times [I2.copy]", async () => {
    const checkout = copyOf(bundled);
    const path = join(checkout, VERSION_FILE);
    utimesSync(path, new Date(0), new Date(0));
    appendFileSync(join(checkout, "README.md"), "not a source");
    expect(await programOf(checkout)).toMatch(BUNDLE);
  });

  it("can be bundled by several processes at once [I2.race]", { timeout: 60_000 }, async () => {
    const checkout = copyOf(bundled);
    rmSync(join(checkout, "dist"), { recursive: true });
    expect(await Promise.all([prepare(checkout), prepare(checkout)])).toEqual(Array(2).fill({ code: 0, output: "" }));
    expect(await programOf(checkout)).toMatch(BUNDLE);
    expect(new Set(readdirSync(join(checkout, "dist/builds")))).toEqual(new Set([onlyBuild(checkout), "current.json"]));
  });

  it("is the sources if the bundler is not installed, and the install still succeeds [I2.absent]", async () => {
    const checkout = newFolder();
    for (const name of ["bin", "scripts"]) cpSync(REPOSITORY + name, join(checkout, name), { recursive: true });
    mkdirSync(join(checkout, dirname(SOURCES)), { recursive: true });
    cpSync(REPOSITORY + SOURCES, join(checkout, SOURCES));
    const { code, output } = await prepare(checkout);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^bascule: not bundled, .*Cannot find package 'rolldown'/) });
    expect(await programOf(checkout)).toBe(SOURCES);
  });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bascule-program-")));
  folders.push(folder);
  return folder;
}

function copyOf(checkout: string): string {
  const folder = newFolder();
  cpSync(checkout, folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

/** Runs the script that npm runs after an install. */
function prepare(checkout: string): Promise<CommandOutcome> {
  return runCommand("node", ["scripts/prepare.mjs"], { cwd: checkout, env: { npm_command: "ci" } });
}

/** Returns the program that `bin/bascule.mjs` starts, relative to the checkout. */
async function programOf(checkout: string): Promise<string> {
  const { findProgram } = (await import(pathToFileURL(join(checkout, "bin/program.mjs")).href)) as {
    readonly findProgram: (root: string) => Promise<string | undefined>;
  };
  return ((await findProgram(`${checkout}/`)) ?? "").slice(checkout.length + 1);
}

async function versionOf(checkout: string): Promise<string> {
  return (await runCommand("node", [join(checkout, "bin/bascule.mjs"), "--version"], { cwd: checkout })).output;
}

function onlyBuild(checkout: string): string {
  const found = readdirSync(join(checkout, "dist/builds")).filter((name) => name !== "current.json");
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

/** Creates a project with the plugins `inside`, which runs in the sandbox, and `trusted`, which does not. */
function projectWithTools(): string {
  const folder = newFolder();
  for (const name of ["inside", "trusted"]) {
    const plugin = join(folder, "plugins", name);
    mkdirSync(plugin, { recursive: true });
    const tool = { name: `${name}_sum`, export: "sum", description: "Adds", inputSchema: { type: "object" }, sideEffects: [] };
    writeFileSync(
      join(plugin, "manifest.json"),
      JSON.stringify({ schemaVersion: "1.0", name, version: "1.0.0", description: "Adds", tools: [tool] }),
    );
    writeFileSync(join(plugin, "main.ts"), "export const sum = ({ a, b }: { a: number; b: number }): number => a + b;\n");
  }
  const rules = [{ plugin: "trusted", route: "host" }];
  writeFileSync(join(folder, "bascule.json"), JSON.stringify({ trusted: ["trusted"], policy: { rules } }));
  return folder;
}

function pick(text: string): { readonly route: unknown; readonly output: unknown } {
  const { route, output } = JSON.parse(text.slice(text.indexOf("{"))) as { readonly route?: unknown; readonly output?: unknown };
  return { route, output };
}

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}
