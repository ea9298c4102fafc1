/** The start of a command: which files and modules it loads before it answers. */

import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleInto } from "../../scripts/bundle-program.ts";
import { type CommandOutcome, runCommand } from "../../scripts/run-command.ts";
import { REPOSITORY } from "../support/source-files.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bascule-client-")));
/** The package as it is installed. */
const installed = join(folder, "node_modules/bascule");
const bin = join(installed, "bin/bascule.mjs");
const served = join(folder, "served");
const alone = join(folder, "alone");
const NOTE_LOADED = pathToFileURL(`${REPOSITORY}test/support/note-loaded.mjs`).href;

/** Modules of Node that only a host needs. */
const HOST_ONLY = ["child_process", "crypto", "dgram", "http", "readline", "sqlite", "worker_threads", "zlib"];
const CLIENT_FILES = [
  ...["bin/bascule.mjs", "bin/program.mjs", "bin/runtime.cjs"],
  ...["dist/program/client-*.js", "dist/program/main.js", "dist/program/start.js"],
];
const SERVED_NOTE = "(using the host running in this folder)\n";

let host: ChildProcess | undefined;

beforeAll(async () => {
  mkdirSync(join(installed, "dist"), { recursive: true });
  for (const name of ["bin", "package.json"]) cpSync(REPOSITORY + name, join(installed, name), { recursive: true });
  for (const name of readdirSync(`${REPOSITORY}node_modules`).filter((name) => !name.startsWith(".")))
    symlinkSync(realpathSync(`${REPOSITORY}node_modules/${name}`), join(folder, "node_modules", name));
  await bundleInto(join(installed, "dist/program"));
  writeFileSync(join(folder, "package.json"), `{ "name": "user", "private": true }`);
  for (const project of [served, alone]) writeProject(project);
  host = await startDev();
}, 120_000);
afterAll(async () => {
  if (host !== undefined && host.exitCode === null) {
    const gone = new Promise((resolve) => host?.once("exit", resolve));
    host.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

// Only Node can note what it loads.
describe.skipIf("Deno" in globalThis)("a command that a running host answers", () => {
  it.each([
    ["call", ["call", "client_sum", "a:=2", "b:=3"], `${SERVED_NOTE}5\n`],
    ["call with JSON", ["call", "client_sum", '{"a":2,"b":3}'], `${SERVED_NOTE}5\n`],
    ["list", ["list", "client"], expect.stringMatching(/client 1\.0\.0 /)],
  ] as const)("loads one file of the bundle, and no module that only a host needs: %s [DI5.client]", async (_name, words, output) => {
    const { loaded, ...outcome } = await loadedBy(served, words);
    expect(outcome).toEqual({ code: 0, output });
    expect(loaded).toEqual({ files: CLIENT_FILES, workers: 0, builtin: [] });
  });

  it("loads the rest if the call fails, and says the same [DI5.client]", async () => {
    const { loaded, ...outcome } = await loadedBy(served, ["call", "client_sim"]);
    expect(outcome).toEqual({ code: 3, output: expect.stringMatching(/^\(using .*\n(?:.*\n)*.*client_sum/) });
    expect(loaded.builtin).toEqual([]);
  });
});

describe("the files of the bundle", () => {
  it("take Node's modules without an import, which would load all that these export [DI5.client]", () => {
    const program = join(installed, "dist/program");
    const importing = readdirSync(program).filter((name) => /^import .+ from "node:/m.test(readFileSync(join(program, name), "utf8")));
    expect(importing).toEqual([]);
  });
});

describe("a command without a running host", () => {
  it.each(["node", "deno"])("gives the same answer on %s [DI5.client]", { timeout: 60_000 }, async (runtime) => {
    const args = [...(runtime === "deno" ? ["run", "-A"] : []), bin, "call", "client_sum", "a:=2", "b:=3"];
    expect(await runCommand(runtime, args, { cwd: alone })).toEqual({ code: 0, output: "5\n" });
    expect(await runCommand(runtime, args, { cwd: served })).toEqual({ code: 0, output: `${SERVED_NOTE}5\n` });
  });
});

describe.skipIf("Deno" in globalThis)("the workers of a command without a running host", () => {
  it("are one for a call, and none for a list of plugins whose images are in the cache [DI5.workers]", { timeout: 60_000 }, async () => {
    // The first command makes the images.
    expect(await runCommand("node", [bin, "list"], { cwd: alone })).toMatchObject({ code: 0 });
    const list = await loadedBy(alone, ["list", "client"]);
    expect({ code: list.code, output: list.output, workers: list.loaded.workers }).toEqual({
      code: 0,
      output: expect.stringMatching(/^client 1\.0\.0 /),
      workers: 0,
    });
    const call = await loadedBy(alone, ["call", "client_sum", "a:=2", "b:=3"]);
    expect({ code: call.code, output: call.output, workers: call.loaded.workers }).toEqual({ code: 0, output: "5\n", workers: 1 });
  });
});

describe.skipIf("Deno" in globalThis || process.platform === "win32")("the cache of compiled code", () => {
  it.each([
    ["the user only", { mode: 0o700 }, true],
    ["the group", { mode: 0o720 }, false],
    ["all", { mode: 0o702 }, false],
    ["all, in the folder above", { mode: 0o700, above: 0o777 }, false],
    ["all, in the folder above, where they can rename only what they own", { mode: 0o700, above: 0o1777 }, true],
    ...(process.getuid?.() === 0 ? [["another user, who owns the folder above", { mode: 0o700, owner: 12_345 }, false] as const] : []),
  ] as const)("is used only if no other user can write it: writable for %s [DI5.cache]", async (_who, given, isUsed) => {
    const { mode, above = 0o755, owner = process.getuid?.() ?? 0 } = { above: undefined, owner: undefined, ...given };
    const cache = mkdtempSync(join(folder, "cache-"));
    const compiled = join(cache, "bascule/compile");
    mkdirSync(compiled, { recursive: true });
    chmodSync(compiled, mode);
    chmodSync(join(cache, "bascule"), above);
    chownSync(join(cache, "bascule"), owner, process.getgid?.() ?? 0);
    // The test runner sets these variables.
    const start = ["-u", "NODE_DISABLE_COMPILE_CACHE", "-u", "NODE_COMPILE_CACHE", "node", bin, "--version"];
    expect(await runCommand("env", start, { cwd: alone, env: { XDG_CACHE_HOME: cache } })).toMatchObject({ code: 0 });
    expect(readdirSync(compiled).length > 0).toBe(isUsed);
  });
});

interface Loaded {
  /** Paths in the package, with a star in place of the contents' hash. */
  readonly files: readonly string[];
  /** Threads that the process started. */
  readonly workers: number;
  readonly builtin: readonly string[];
}

async function loadedBy(cwd: string, words: readonly string[]): Promise<CommandOutcome & { readonly loaded: Loaded }> {
  const note = join(folder, "loaded.json");
  const outcome = await runCommand("node", ["--import", NOTE_LOADED, bin, ...words], { cwd, env: { NOTE_LOADED: note } });
  const { files, workers, builtin } = JSON.parse(readFileSync(note, "utf8")) as Loaded;
  const paths = files.map((url) =>
    fileURLToPath(url)
      .slice(installed.length + 1)
      .replace(/-[\w-]{8}\.js$/, "-*.js"),
  );
  return { ...outcome, loaded: { files: paths.toSorted(), workers, builtin: HOST_ONLY.filter((name) => builtin.includes(name)) } };
}

/** Creates a project with a plugin that only this test has, so that its image is not in the user's cache. */
function writeProject(project: string): void {
  const plugin = join(project, "plugins/client");
  mkdirSync(plugin, { recursive: true });
  const tool = { name: "client_sum", export: "sum", description: "Adds", inputSchema: { type: "object" }, sideEffects: [] };
  const manifest = { schemaVersion: "1.0", name: "client", version: "1.0.0", description: "Adds", tools: [tool] };
  writeFileSync(join(plugin, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(plugin, "main.ts"), `// ${folder}\nexport const sum = ({ a, b }: { a: number; b: number }): number => a + b;\n`);
  writeFileSync(join(project, "bascule.json"), "{}");
}

function startDev(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["Deno" in globalThis ? "run" : "", "Deno" in globalThis ? "-A" : "", bin, "dev"].filter(Boolean), {
    cwd: served,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("Press Ctrl-C")) resolve(child);
    });
    child.once("exit", () => reject(new Error(`dev ended: ${printed}`)));
  });
}
