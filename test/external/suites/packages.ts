/**
 * npm packages as plugins use them: programs (`programs/`) with their imports vendored as `bascule vendor` does it. Every
 * exported function is a test: it passes if it returns the same in the sandbox as on Node.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { vendorPlugin } from "../../../host/plugins/vendoring/vendor-plugin.ts";
import { REPOSITORY } from "../../support/source-files.ts";
import { RESULT_MARK, type ScriptCase, type Suite } from "../suite.ts";

export const PACKAGES: Suite = {
  name: "packages",
  variable: "BASCULE_PACKAGES",
  advice: "a folder with a copy of test/external/programs/package.json, where `npm install --ignore-scripts` was run",
  async findCases(root) {
    const names = (await readdir(PROGRAMS)).filter((name) => name.endsWith(".js")).sort();
    const cases: ScriptCase[] = [];
    for (const name of names) cases.push(await toCase(await realpath(root), name));
    return cases;
  },
};

const PROGRAMS = `${REPOSITORY}test/external/programs`;
const RESULTS = `${REPOSITORY}test/external/programs/results/results-of.js`;

/** Loads one program with its imports from `root`. */
export async function toCase(root: string, name: string): Promise<ScriptCase> {
  const program = await readFile(join(PROGRAMS, name), "utf8");
  const imports = await importsOf(program, root);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-packages-")));
  try {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const common = { "program.js": program, "results.js": await readFile(RESULTS, "utf8") };
    for (const [path, text] of Object.entries(common)) await writeFile(join(folder, path), text);
    const vendored = await vendor(folder, imports, program);
    const files =
      typeof vendored === "string"
        ? { "main.js": `throw new Error(${JSON.stringify(`It cannot be vendored: ${vendored}`)});` }
        : { "main.js": MAIN, ...common, ...vendored, "expected.json": await runOnNode(folder) };
    const digest = createHash("sha256").update(program).update(JSON.stringify(imports)).digest("hex").slice(0, 12);
    return {
      ...{ kind: "script", id: name.replace(/\.js$/, ""), digest },
      files: { ...files, "manifest.json": JSON.stringify({ imports }) },
      readFile: () => Promise.resolve(undefined),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The imports as a manifest would have them, with the installed versions. */
async function importsOf(program: string, root: string): Promise<Readonly<Record<string, string>>> {
  const imports: Record<string, string> = {};
  for (const [, specifier = ""] of program.matchAll(/^import [^;]*?"([^"]+)";$/gm)) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
    const facts: unknown = JSON.parse(await readFile(join(root, "node_modules", name, "package.json"), "utf8"));
    const version: unknown = typeof facts === "object" && facts !== null ? Reflect.get(facts, "version") : undefined;
    imports[specifier] = `npm:${name}@${String(version)}${specifier.slice(name.length)}`;
  }
  return imports;
}

/** Files by path, or the reason for a failure. */
async function vendor(
  directory: string,
  imports: Readonly<Record<string, string>>,
  program: string,
): Promise<Readonly<Record<string, string>> | string> {
  await mkdir(join(directory, "plugin"));
  const plugin = join(directory, "plugin");
  const sources = new Map([["program.js", new TextEncoder().encode(program)]]);
  const outcome = await vendorPlugin({
    platform: currentPlatform({ log: { level: "error" } }),
    plugin: "program",
    directory: plugin,
    imports,
    sources,
  });
  if (!outcome.ok) return outcome.message;
  const code = [...outcome.files.filter((path) => path.endsWith(".js")), "vendor/vendor.json"];
  return Object.fromEntries(await Promise.all(code.map(async (path) => [path, await readFile(join(plugin, path), "utf8")] as const)));
}

/** In its own process, because packages change globals. */
async function runOnNode(folder: string): Promise<string> {
  const code = `import * as program from "./program.js"; import { resultsOf } from "./results.js";
process.stdout.write(JSON.stringify(await resultsOf(program)));`;
  await writeFile(join(folder, "on-node.mjs"), code);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const env = { ...process.env, TZ: "UTC", LANG: "en_US.UTF-8", NODE_ENV: "production" };
  const { stdout } = await promisify(execFile)(process.execPath, ["on-node.mjs"], { cwd: folder, env, timeout: 60_000 });
  return stdout;
}

const MAIN = `import * as program from "./program.js";
import { resultsOf } from "./results.js";
import expected from "./expected.json" with { type: "json" };
export async function run() {
  const results = await resultsOf(program);
  for (const [name, wanted] of Object.entries(expected)) {
    const passed = results[name] === wanted;
    const message = passed ? undefined : results[name] + "\\n  on Node: " + wanted;
    console.log(${JSON.stringify(RESULT_MARK)} + JSON.stringify([name, passed, message]));
  }
}
`;
