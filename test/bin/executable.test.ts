/** The single executable (`npm run dist`), on a machine without Node: `PATH` names an empty folder. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeExecutable } from "../../scripts/make-executable.ts";
import { bundleOf } from "../support/bundles.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ON_LINUX = process.platform === "linux";
const root = realpathSync(mkdtempSync(join(tmpdir(), "bascule-executable-")));
const program = join(root, "opt/bin/bascule");
/** The whole environment, except where a test adds to it. */
const ENV = { HOME: join(root, "home"), TMPDIR: join(root, "tmp"), PATH: join(root, "empty"), NO_COLOR: "1" };
const DENO = realpathSync(`${REPOSITORY}node_modules/deno/deno`);
const UNPACKED = join(ENV.HOME, ".cache/bascule/unpacked");

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

interface Project {
  readonly folder: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  write(path: string, text: string | Uint8Array): Promise<void>;
}

beforeAll(async () => {
  await makeExecutable(program);
  for (const folder of [ENV.HOME, ENV.TMPDIR, ENV.PATH]) mkdirSync(folder, { mode: 0o700 });
}, 180_000);
afterAll(() => {
  // No process leaves a file behind, in the temporary folder or beside the executable.
  const left = { tmp: readdirSync(ENV.TMPDIR), beside: readdirSync(dirname(program)).toSorted() };
  rmSync(root, { recursive: true, force: true });
  expect(left).toEqual({ tmp: [], beside: ["bascule", "bascule-licenses.txt"] });
});

describe("the executable", () => {
  it(
    "sets up a plugin, denies its call and answers it once granted, in a thread and in a process [DI2.one-file]",
    { timeout: 120_000 },
    async () => {
      const { run, write } = await emptyProject();
      const { version } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, "utf8")) as { readonly version: string };
      expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, error: "" });
      expect(await run(["init", "demo"])).toMatchObject({ code: 0, error: "" });
      await write("README.md", "# Title\n");
      const call = ["call", "demo_peek", "path=README.md"];
      expect(await run(call)).toEqual({ code: 4, out: "", error: expect.stringContaining("bascule grant demo --allow-read=README.md") });
      expect(await run(["grant", "demo", "--allow-read=README.md"])).toMatchObject({ code: 0 });
      const answer = { code: 0, out: '{\n  "first": [\n    "# Title"\n  ],\n  "total": 1\n}\n', error: "" };
      expect(await run(call)).toEqual(answer);
      expect(await run([...call, "--isolation=process"])).toEqual(answer);
      expect(await run(["add", "builtin:words", "--yes"])).toMatchObject({ code: 0 });
      expect(await run(["call", "words.outline", "path=README.md", "--allow-read"])).toMatchObject({
        code: 0,
        out: expect.stringContaining("Title"),
      });
      expect(await run(["test", "demo"])).toMatchObject({ code: 0, out: expect.stringMatching(/^ok \| \d+ passed \| 0 failed/m) });
      expect(await run(["doctor"])).toMatchObject({ code: 0, out: expect.stringContaining(program) });
    },
  );

  it("keeps a plugin's SQLite database, in a process of its own [DI2.data]", { timeout: 60_000 }, async () => {
    const { run } = await emptyProject();
    await run(["init", "notes", "--template=data"]);
    await run(["grant", "notes", "--allow-read=$data", "--allow-write=$data"]);
    await run(["call", "notes_keep", "topic=milk", "text=two bottles"]);
    expect(await run(["call", "notes_memos", "--json"])).toMatchObject({ code: 0, out: expect.stringContaining("two bottles") });
  });

  it("serves an MCP client, and an edit while it does [DI2.mcp]", { timeout: 60_000 }, async () => {
    const project = await emptyProject();
    const code = (answer: string): string => `export const says = () => "${answer}";`;
    await writePlugin(project, "demo", code("before"));
    const transport = new StdioClientTransport({
      command: program,
      args: ["mcp", "--project", project.folder],
      env: ENV,
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    try {
      const says = async (): Promise<unknown> => (await client.callTool({ name: "demo__demo_says", arguments: {} })).content;
      expect(await says()).toEqual([{ type: "text", text: "before" }]);
      await project.write("plugins/demo/main.ts", code("after"));
      await expect.poll(says).toEqual([{ type: "text", text: "after" }]);
    } finally {
      await client.close();
    }
  });

  it("serves edits under `dev`, HTTP and a log under `serve`, and ends at SIGTERM [DI2.serve]", { timeout: 90_000 }, async () => {
    const project = await emptyProject();
    await writePlugin(project, "demo", 'export const says = () => "one";');
    const dev = await start(project, ["dev"], "Press Ctrl-C");
    const says = async (): Promise<string> => (await project.run(["call", "demo_says"])).out;
    expect(await says()).toBe("one\n");
    await project.write("plugins/demo/main.ts", 'export const says = () => "two";');
    await expect.poll(says).toBe("two\n");
    expect(await stop(dev)).toEqual({ code: 0, signal: null });

    const serve = await start(project, ["serve", "--port=0", "--json"], "http://127.0.0.1:");
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(serve.printed()) ?? [];
    const health = await fetch(`${address}/healthz`);
    const page = await fetch(address, { headers: { accept: "text/html" } });
    expect([health.status, page.status, (await page.text()).includes("<title>")]).toEqual([200, 200, true]);
    expect(await project.run(["doctor", "--host"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^serves 1 plugin, \d+ tools {2}process \d+\n$/),
    });
    await rm(join(project.folder, ".bascule/call.token"));
    await expect.poll(serve.printed).toMatch(/^\{"level":40,.*The \\"call\\" token is no longer valid/m);
    expect(await stop(serve)).toEqual({ code: 0, signal: null });
    expect(await project.run(["doctor", "--host"])).toEqual({
      code: 5,
      out: "",
      error: `error No host serves this project\n  ${program} serve starts one\n`,
    });
  });

  it("has its packages inside: the network's and the decoders' [DI2.packages]", { timeout: 60_000 }, async () => {
    const server = createServer((_request, response) => response.end(Buffer.from([0x93, 0xfa, 0x96, 0x7b])));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    try {
      const project = await emptyProject();
      const { port } = server.address() as AddressInfo;
      const code = `export async function says() {
  const response = await fetch("http://127.0.0.1:${port}/");
  return new TextDecoder("shift_jis").decode(await response.arrayBuffer());
}`;
      await writePlugin(project, "demo", code, { net: [`127.0.0.1:${port}`] });
      await project.write("bascule.json", '{ "confirmation": { "perTool": { "demo.demo_says": "auto" } } }');
      await project.run(["trust", "--yes"]);
      await project.run(["grant", "demo", `--allow-net=127.0.0.1:${port}`]);
      const { code: exit, out, error } = await project.run(["call", "demo_says", "--json"]);
      expect([exit, (JSON.parse(out) as { readonly output: unknown }).output, error]).toEqual([0, "日本", ""]);
    } finally {
      server.close();
    }
  });

  it("runs an MCP bundle for Node by itself [DI2.bundle]", { timeout: 60_000 }, async () => {
    const project = await emptyProject();
    await project.write("echo.mcpb", bundleOf(undefined, [{ name: "echo", inputSchema: { type: "object" } }]));
    expect(await project.run(["add", "echo.mcpb", "--yes", "--unconfined"])).toMatchObject({ code: 0 });
    expect(await project.run(["mcp-servers"])).toMatchObject({ code: 0, out: expect.stringContaining("mcp__demo-tools.echo  offered") });
  });

  it(
    "runs trusted plugins natively: on Deno if it is there, else it says so; unconfined by itself [DI2.native]",
    { timeout: 90_000 },
    async () => {
      const project = await emptyProject();
      await writePlugin(project, "demo", 'import { runtime } from "./runtime.ts"; export const says = () => runtime;');
      await project.write(
        "plugins/demo/runtime.ts",
        'export const runtime: string = "Deno" in globalThis && Deno.version.v8 ? "native" : "";',
      );
      const settings = async (trusted: unknown): Promise<void> => {
        await project.write("bascule.json", JSON.stringify({ trusted: [trusted], policy: { rules: [{ plugin: "demo", route: "host" }] } }));
        expect(await project.run(["trust", "--yes"])).toMatchObject({ code: 0 });
      };
      await settings("demo");
      expect(await project.run(["call", "demo_says"])).toMatchObject({ code: 5, error: expect.stringContaining("Deno was not found") });
      expect(await project.run(["call", "demo_says"], { BASCULE_DENO: DENO })).toEqual({ code: 0, out: "native\n", error: "" });
      await settings({ name: "demo", unconfined: true });
      expect(await project.run(["call", "demo_says"])).toMatchObject({ code: 0 });
    },
  );

  it("confines its sandbox by Deno too, from files that only the user can change [DI2.unpacked]", { timeout: 60_000 }, async () => {
    const project = await emptyProject();
    await writePlugin(project, "demo", 'export const says = () => "in a process";');
    const call = ["call", "demo_says", "--isolation=process"];
    expect(await project.run(call, { BASCULE_DENO: DENO })).toEqual({ code: 0, out: "in a process\n", error: "" });
    const names = readdirSync(UNPACKED, { recursive: true, encoding: "utf8" });
    const open = ["", ...names].filter((name) => (statSync(join(UNPACKED, name)).mode & 0o077) !== 0);
    expect({ some: names.length > 20, open }).toEqual({ some: true, open: [] });
  });

  it.runIf(ON_LINUX)("advises the command as it was typed: a path, or a name on the PATH [DI2.name]", async () => {
    const { folder, run } = await emptyProject();
    const advice = async (typed: string, env = {}): Promise<string> =>
      await new Promise((resolve) =>
        execFile("/bin/sh", ["-c", `exec ${typed} nothing`], { cwd: folder, env: { ...ENV, ...env } }, (_cause, _out, error) =>
          resolve(error),
        ),
      );
    symlinkSync(program, join(folder, "my bascule"));
    expect(await advice("'./my bascule'")).toContain("\n  './my bascule' --help lists the commands");
    expect(await advice("bascule", { PATH: dirname(program) })).toContain("\n  bascule --help lists the commands");
    expect(await run(["nothing"])).toMatchObject({ code: 2, error: expect.stringContaining(`\n  ${program} --help lists the commands`) });
  });

  it("says what it does not have: esbuild, for `vendor` and `pack` [DI2.without]", { timeout: 60_000 }, async () => {
    const project = await emptyProject();
    await writePlugin(project, "demo", 'import { noop } from "npm:left"; export const says = () => noop;');
    await project.write("node_modules/left/package.json", '{ "name": "left", "version": "1.0.0", "main": "index.js", "license": "MIT" }');
    await project.write("node_modules/left/index.js", "exports.noop = 1;");
    const advice = expect.stringContaining("npx --package=bascule --package=esbuild bascule");
    expect(await project.run(["pack", "demo"])).toEqual({ code: 1, out: "", error: advice });
    expect(await project.run(["vendor", "demo"])).toEqual({ code: 1, out: advice, error: "" });
  });
});

describe("files around the executable", () => {
  it(
    "are not run: packages beside it, in the project and in NODE_PATH, and options of Node in its arguments [DI2.planted]",
    { timeout: 60_000 },
    async () => {
      const project = await emptyProject();
      const ran = join(root, "ran");
      const plant = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`;
      await writePlugin(project, "demo", 'export const says = () => "own";');
      const places = [dirname(dirname(program)), root, project.folder, join(root, "paths"), join(ENV.HOME, ".node_modules")];
      for (const place of places) {
        for (const name of ["pino", "esbuild", "acorn", "amaro"]) {
          const folder = place.endsWith("s") ? join(place, name) : join(place, "node_modules", name);
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, "index.js"), plant);
        }
      }
      writeFileSync(join(root, "plant.cjs"), plant);
      const env = {
        NODE_PATH: join(root, "paths"),
        NODE_COMPILE_CACHE: join(root, "paths"),
      };
      expect(await project.run(["call", "demo_says"], env)).toEqual({ code: 0, out: "own\n", error: "" });
      // Node takes no options from the arguments, which may be words of others.
      const word = `--node-options=--require=${join(root, "plant.cjs")}`;
      for (const words of [[word, "list"], ["list", word], [word]])
        expect([words, (await project.run(words, env)).code]).toEqual([words, 2]);
      expect(await project.run(["call", "demo_says", "--", word], env)).toMatchObject({ code: 0, out: "own\n" });
      expect(await project.run(["pack", "demo"], env)).toMatchObject({ code: 1 });
      for (const place of places) rmSync(place.endsWith("s") ? place : join(place, "node_modules"), { recursive: true, force: true });
      expect(readdirSync(root)).not.toContain("ran");
    },
  );

  it("in its cache are replaced if they differ [DI2.planted]", { timeout: 60_000 }, async () => {
    const project = await emptyProject();
    await writePlugin(project, "demo", 'export const says = () => "own";');
    const call = (): Promise<Ended> => project.run(["call", "demo_says", "--isolation=process"], { BASCULE_DENO: DENO });
    expect(await call()).toMatchObject({ code: 0 });
    const [name = ""] = readdirSync(UNPACKED).filter((found) => found.startsWith("program-"));
    const entry = join(UNPACKED, name, "process-main.js");
    const own = await readFile(entry);
    await writeFile(entry, "throw new Error('planted');");
    expect([await call(), await readFile(entry)]).toEqual([{ code: 0, out: "own\n", error: "" }, own]);
  });

  it.runIf(ON_LINUX)(
    "are never unpacked where other users can write, and nothing compiled is read from there [DI2.own-cache]",
    { timeout: 60_000 },
    async () => {
      const project = await emptyProject();
      const cache = join(root, "shared");
      await mkdir(cache);
      await chmod(cache, 0o777);
      const env = { XDG_CACHE_HOME: cache };
      expect(await project.run(["init", "demo", "--template=text"], env)).toEqual({
        code: 1,
        out: "",
        error: expect.stringMatching(/other users can write to "[^"]*\/shared" \(set XDG_CACHE_HOME to a folder of your own\)/),
      });
      await writePlugin(project, "own", 'export const says = () => "own";');
      expect(await project.run(["call", "own_says"], env)).toMatchObject({ code: 0 });
      expect([readdirSync(join(cache, "bascule/unpacked")), readdirSync(join(cache, "bascule/compile"))]).toEqual([[], []]);
    },
  );
});

/** Creates a project folder in which the executable runs, and nothing else is. */
async function emptyProject(): Promise<Project> {
  const folder = await temporaryFolder();
  return {
    folder,
    run: (args, env = {}) =>
      new Promise((resolve) => {
        execFile(program, args, { cwd: folder, env: { ...ENV, ...env }, timeout: 45_000 }, (cause, out, error) => {
          resolve({ code: cause === null ? 0 : Number(cause.code ?? -1), out, error });
        });
      }),
    async write(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
  };
}

async function writePlugin(project: Project, name: string, code: string, permissions?: object): Promise<void> {
  const tool = {
    name: "says",
    description: "Says it",
    inputSchema: { type: "object" },
    sideEffects: permissions === undefined ? [] : ["network"],
  };
  const manifest = {
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: "Says",
    tools: [{ ...tool, name: `${name}_says`, export: "says" }],
    permissions,
  };
  await project.write(`plugins/${name}/main.ts`, code);
  await project.write(`plugins/${name}/manifest.json`, JSON.stringify(manifest));
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

/** Starts a command, and waits until it prints a text. */
function start(project: Project, args: readonly string[], text: string): Promise<Started> {
  const child = spawn(program, args, { cwd: project.folder, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => {
        printed += piece;
        if (printed.includes(text)) resolve({ child, printed: () => printed });
      });
    child.once("exit", () => reject(new Error(`It ended: ${printed}`)));
  });
}

function stop({ child }: Started): Promise<unknown> {
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  child.kill("SIGTERM");
  return ended;
}
