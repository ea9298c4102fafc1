/** The package from `npm pack`, installed in the `node_modules` of a project. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parse } from "acorn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandOutcome, runCommand } from "../../scripts/run-command.ts";
import { packCheckout } from "../../scripts/steps/package.ts";
import { REPOSITORY } from "../support/source-files.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bascule-package-")));
const user = join(folder, "user");
const bascule = join(user, "node_modules/bascule");
/** Path of the packed archive. */
let packed = "";

const CALL = `const host = await createHost({ config: false });
const result = await host.call("echo", { text: "packed" });
console.log(JSON.stringify(result.output));
await host.close();
`;

beforeAll(async () => {
  mkdirSync(bascule, { recursive: true });
  const { archive = "", output } = await packCheckout(join(folder, "checkout"), user);
  expect(archive, output).toMatch(/\.tgz$/);
  packed = join(user, archive);
  expect(await runCommand("tar", ["xzf", packed, "--strip-components=1", "-C", bascule])).toEqual({ code: 0, output: "" });
  for (const name of readdirSync(`${REPOSITORY}node_modules`).filter((name) => !name.startsWith(".")))
    symlinkSync(realpathSync(`${REPOSITORY}node_modules/${name}`), join(user, "node_modules", name));
  writeFileSync(join(user, "package.json"), `{ "name": "user", "private": true }`);
  writeFileSync(join(user, "app.mjs"), `import { createHost } from "bascule";\n${CALL}`);
  writeFileSync(join(user, "app.cjs"), `const { createHost } = require("bascule");\n(async () => {\n${CALL}})();\n`);
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the package", () => {
  it.each([
    ["node", "app.mjs"],
    ["node", "app.cjs"],
    ["deno", "app.mjs"],
  ])("works as a library on %s, in %s [I1.package]", { timeout: 60_000 }, async (runtime, file) => {
    expect(await inUser(runtime, [...(runtime === "deno" ? ["run", "-A"] : []), file])).toEqual({
      code: 0,
      output: expect.stringMatching(/"packed"/),
    });
  });

  it.each([
    ["Node 22.23.3", `Object.defineProperty(process.versions, "node", { value: "22.23.3" })`],
    ["Bun 1.4.5", `Object.defineProperty(process.versions, "bun", { value: "1.4.5" })`],
    ["Deno 2.8.1", `globalThis.Deno = { version: { deno: "2.8.1" } }`],
  ])(
    "names the required runtime on %s, as a library and as a program [I1.runtime, DI1.runtime]",
    { timeout: 60_000 },
    async (name, change) => {
      writeFileSync(join(user, "other.cjs"), change);
      const runs = await Promise.all(
        ["app.mjs", "app.cjs", "node_modules/bascule/bin/bascule.mjs"].map((file) => inUser("node", ["--require", "./other.cjs", file])),
      );
      const advice = `Install Node 24 from https://nodejs.org, or run it once with another:
  npx --package=node@24 --package=bascule bascule
  deno run -A npm:bascule
`;
      expect(runs[2]?.output).toBe(`bascule needs Node 24 or newer, or Deno 2.9 or newer; this is ${name}\n${advice}`);
      const said = `bascule needs Node 24 or newer, or Deno 2.9 or newer; this is ${name}`;
      expect(runs.map(({ code, output }) => [code, output.includes(said), output.includes("SyntaxError")])).toEqual(
        Array(3).fill([1, true, false]),
      );
    },
  );

  it("loads entry files that a runtime of 2022 can parse [I1.runtime]", () => {
    const { exports } = JSON.parse(readFileSync(join(bascule, "package.json"), "utf8")) as {
      readonly exports: { readonly ".": Readonly<Record<"require" | "default", { readonly default: string }>> };
    };
    const first = [exports["."].require.default, exports["."].default.default, "bin/bascule.mjs", "bin/runtime.cjs"];
    for (const file of first) {
      const text = readFileSync(join(bascule, file), "utf8");
      // Statically imported files are parsed before any code runs.
      expect(Array.from(text.matchAll(/^(?:import|export) .*from "(\.[^"]+)"/gm), ([, path = ""]) => path.replace(/^.*\//, ""))).toEqual(
        file.endsWith(".mjs") ? ["runtime.cjs"] : [],
      );
      expect(() =>
        parse(text, { ecmaVersion: 2022, allowHashBang: true, sourceType: file.endsWith(".cjs") ? "script" : "module" }),
      ).not.toThrow();
    }
  });

  const old = olderNode();
  it.runIf(old !== undefined)("names the required runtime on an older Node of this machine [I1.runtime]", { timeout: 60_000 }, async () => {
    for (const file of ["app.mjs", "app.cjs"]) {
      const { code, output } = await inUser(old ?? "", [file]);
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringMatching(/Error: bascule needs Node 24 or newer, or Deno 2\.9 or newer; this is Node \d/),
      });
    }
    expect(await inUser(old ?? "", ["node_modules/bascule/bin/bascule.mjs", "init"])).toEqual({
      code: 1,
      output: expect.stringMatching(/^bascule needs Node 24 or newer, or Deno 2\.9 or newer; this is Node \d[\d.]*\n/),
    });
  });

  it.each<readonly [where: string, options: object]>([
    ["without the DOM's", { lib: ["ES2023"], types: ["node"] }],
    ["beside the DOM's", { lib: ["ES2023", "DOM"], types: ["node"] }],
    ["resolved as Node 16 does", { lib: ["ES2023"], types: ["node"], module: "node16", moduleResolution: "node16" }],
    [
      "of ES2022, resolved as bundlers do",
      { target: "ES2022", lib: ["ES2022"], types: ["node"], module: "esnext", moduleResolution: "bundler" },
    ],
  ])("has types that pass a full check, %s [I1.consumer, DI1.types]", { timeout: 120_000 }, async (_where, options) => {
    expect(await compiled("app.ts", CONSUMER, options)).toEqual({ code: 0, output: "" });
  });

  it.each(["node16", "nodenext"])("has types for `require`, resolved as %s does [DI1.require]", { timeout: 120_000 }, async (module) => {
    const options = { lib: ["ES2023"], types: ["node"], module, moduleResolution: module };
    const whole = `import { createHost, type Host, ToolError } from "bascule";
export async function start(): Promise<Host> {
  return await createHost({ plugins: ["./plugins"] });
}
export const codeOf = (error: unknown): string => (error instanceof ToolError ? error.code : "");
export const caught: ToolError | undefined = undefined;
`;
    expect(await compiled("app.cts", whole, options)).toEqual({ code: 0, output: "" });
    expect((await compiled("app.cts", whole.replace("plugins:", "plugin:"), options)).output).toContain("'plugin' does not exist in type");
  });

  const check = (archive: string): Promise<CommandOutcome> => runCommand("node", ["scripts/check-package.ts", archive, bascule]);

  it("passes publint and are-the-types-wrong, and is at most 12 MB unpacked [DI1.tools, DI1.size]", { timeout: 120_000 }, async () => {
    expect(await check(packed)).toEqual({ code: 0, output: "" });
  });

  it("is refused if it is larger, or an entry has no types, or is missing [DI1.tools, DI1.size]", { timeout: 120_000 }, async () => {
    const broken = join(folder, "broken");
    mkdirSync(join(broken, "package"), { recursive: true });
    const exports = { ".": "./gone.mjs", "./package.json": "./package.json" };
    writeFileSync(join(broken, "package/package.json"), JSON.stringify({ name: "broken", version: "1.0.0", type: "module", exports }));
    writeFileSync(join(bascule, "large.bin"), new Uint8Array(12 * 1024 * 1024));
    expect(await runCommand("tar", ["czf", "broken.tgz", "package"], { cwd: broken })).toEqual({ code: 0, output: "" });
    const { code, output } = await check(join(broken, "broken.tgz"));
    rmSync(join(bascule, "large.bin"));
    expect([code, ...output.trimEnd().split("\n")]).toEqual([
      1,
      'publint: pkg.exports["."] is ./gone.mjs but the file does not exist.',
      "are-the-types-wrong: the package has no types",
      expect.stringMatching(/^The package has \d+ bytes unpacked, more than 12582912$/),
    ]);
  });

  it("starts a project in an empty folder, and serves it, without a checkout [DI1.commands]", { timeout: 240_000 }, async () => {
    const project = join(user, "fresh");
    mkdirSync(project);
    const bin = join(user, "node_modules/.bin/bascule");
    // As npm links it.
    mkdirSync(join(bin, ".."), { recursive: true });
    symlinkSync(join(bascule, "bin/bascule.mjs"), bin);
    const npx = async (...args: readonly string[]): Promise<CommandOutcome> => {
      const env = { XDG_CONFIG_HOME: join(user, ".config"), NO_COLOR: "1" };
      return await runCommand("node", [bin, ...args], { cwd: project, env, timeoutMs: 60_000 });
    };
    const shows = (code: number, text: string): CommandOutcome => ({ code, output: expect.stringContaining(text) as string });
    expect(await npx()).toEqual(shows(0, "  npx bascule init       start here with two plugins, math and words\n"));
    expect(await npx("init")).toEqual(shows(0, "Wrote plugins/math/ and plugins/words/\n"));
    expect(await npx("call", "calculate", "expression=sqrt(2) * 10")).toEqual(shows(0, `"result": 14.14`));
    const denied = await npx("call", "word_count", "path=plugins/words/README.md");
    expect(denied).toEqual(shows(4, "  To allow it  npx bascule grant words --allow-read=plugins/words/README.md\n"));
    // MCP clients start the file of the package.
    const started = await runCommand("node", [join(bascule, "bin/bascule.mjs"), "frob"], { cwd: project });
    expect(started).toEqual(shows(2, "npx bascule --help"));
    expect(await npx("grant", "words", "--allow-read=plugins/words/README.md")).toMatchObject({ code: 0 });
    expect(await npx("call", "word_count", "path=plugins/words/README.md")).toEqual(shows(0, `"lines": `));
    expect(await npx("init", "demo")).toEqual(shows(0, "Wrote plugins/demo/\n"));
    expect(await npx("test", "demo")).toEqual(shows(0, "ok | 4 passed"));
    expect(await npx("add", "builtin:plot")).toEqual(shows(0, "Added plot 1.0.0 to plugins/plot: plot_braille"));
    expect((await npx("list", "--json")).output).toContain(`"demo_peek"`);
    for (const served of ["dev", "serve", "mcp"]) expect(await firstOutput(bin, [served], project)).toMatch(FIRST_OUTPUT[served] ?? /^$/u);
  });

  it("has the sources of vendored packages once in each plugin, and nowhere else [DI1.once]", () => {
    const files = readdirSync(bascule, { recursive: true, encoding: "utf8" }).filter((name) => /\.[cm]?[jt]s$/u.test(name));
    const vendored = files.filter((name) => name.includes("/vendor/") && name.endsWith(".js"));
    const texts = new Map(files.map((name) => [name, readFileSync(join(bascule, name), "utf8")]));
    expect(vendored.length).toBeGreaterThan(3);
    for (const name of vendored) {
      const middle = longestLineOf(texts.get(name) ?? "");
      const places = files.filter((other) => texts.get(other)?.includes(middle) === true).map((other) => other.split("/", 2).join("/"));
      expect(places).toEqual([...new Set(places)]);
      expect(places.filter((place) => !/^(?:plugins|templates)\//u.test(place))).toEqual([]);
    }
  });

  it("has the metadata that a registry shows, and no commands that only a checkout has [DI1.metadata]", () => {
    const { scripts, devDependencies, publishConfig, license, description, engines, main, types } = JSON.parse(
      readFileSync(join(bascule, "package.json"), "utf8"),
    ) as Readonly<Record<string, unknown>>;
    expect({ scripts, devDependencies, publishConfig, license, description, engines, main, types }).toEqual({
      scripts: undefined,
      devDependencies: undefined,
      publishConfig: { access: "public", provenance: true },
      license: "MIT",
      description: expect.stringMatching(/^A plugin host /),
      engines: { node: ">=24" },
      main: "./dist/program/library.cjs",
      types: "./dist/types/host/mod.d.cts",
    });
    expect(readdirSync(bascule)).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  });
});

const FIRST_OUTPUT: Readonly<Record<string, RegExp>> = {
  dev: /bascule 0\.1\.0 .*4 plugins/su,
  serve: /http:\/\/127\.0\.0\.1:\d+/u,
  mcp: /"serverInfo":\{"name":"bascule"/u,
};

/** Starts a command that serves, asks it as an MCP client does, and ends it when it has answered. */
async function firstOutput(bin: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, XDG_CONFIG_HOME: join(user, ".config"), NO_COLOR: "1" };
  const child = spawn("node", [bin, ...args, ...(args[0] === "serve" ? ["--port=0"] : [])], { cwd, env, stdio: "pipe" });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  if (args[0] === "mcp") child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  let output = "";
  const { promise, resolve } = Promise.withResolvers<undefined>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (FIRST_OUTPUT[args[0] ?? ""]?.test(output) === true) resolve(undefined);
    });
  child.once("exit", () => resolve(undefined));
  await promise;
  if (child.exitCode === null && child.kill("SIGINT")) await new Promise((end) => child.once("exit", end));
  return output;
}

const CONSUMER = `import { createHost, type Host } from "bascule";
export const host: Host = await createHost({ plugins: ["./plugins"] });
const result = await host.call("word_count", { path: "README.md" });
if (result.ok) console.log(result.output);
else console.error(result.error.code, result.error.message);
await host[Symbol.asyncDispose]();
`;

/** Compiles one file of the user, with every declaration file that it reaches. */
async function compiled(file: string, text: string, options: object): Promise<CommandOutcome> {
  writeFileSync(join(user, file), text);
  const compilerOptions = { target: "ES2023", module: "nodenext", strict: true, skipLibCheck: false, noEmit: true, ...options };
  writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  writeFileSync(join(user, "package.json"), `{ "name": "user", "private": true, "type": "module" }`);
  return await inUser("tsc", ["-p", "."]);
}

/** Returns a line that only copies of the file have. */
function longestLineOf(text: string): string {
  return text.split("\n").reduce((longest, line) => (line.length > longest.length ? line : longest), "");
}

function inUser(command: string, args: readonly string[]): Promise<CommandOutcome> {
  return runCommand(command, args, { cwd: user, timeoutMs: 60_000 });
}

/** Returns a `node` in PATH that is too old for bascule, if there is one. */
function olderNode(): string | undefined {
  const found = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "node"));
  return found.find((path) => {
    const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24;
  });
}
