/** The package from `npm pack`, installed in the `node_modules` of a project. */

import { spawnSync } from "node:child_process";
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

const CALL = `const host = await createHost({ config: false });
const result = await host.call("echo", { text: "packed" });
console.log(JSON.stringify(result.output));
await host.close();
`;

beforeAll(async () => {
  mkdirSync(bascule, { recursive: true });
  const { archive = "", output } = await packCheckout(join(folder, "checkout"), user);
  expect(archive, output).toMatch(/\.tgz$/);
  expect(await runCommand("tar", ["xzf", join(user, archive), "--strip-components=1", "-C", bascule])).toEqual({ code: 0, output: "" });
  for (const name of readdirSync(`${REPOSITORY}node_modules`))
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
  ])("names the required runtime on %s, as a library and as a program [I1.runtime]", { timeout: 60_000 }, async (name, change) => {
    writeFileSync(join(user, "other.cjs"), change);
    const runs = await Promise.all(
      ["app.mjs", "app.cjs", "node_modules/bascule/bin/bascule.mjs"].map((file) => inUser("node", ["--require", "./other.cjs", file])),
    );
    const said = `bascule needs Node 24 or newer, or Deno 2.9 or newer; this is ${name}`;
    expect(runs.map(({ code, output }) => [code, output.includes(said), output.includes("SyntaxError")])).toEqual(
      Array(3).fill([1, true, false]),
    );
  });

  it("loads entry files that a runtime of 2022 can parse [I1.runtime]", () => {
    const { exports } = JSON.parse(readFileSync(join(bascule, "package.json"), "utf8")) as {
      readonly exports: { readonly ".": { readonly require: string; readonly default: string } };
    };
    const first = [exports["."].require, exports["."].default, "bin/bascule.mjs", "bin/runtime.cjs"];
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
  });

  it.each<readonly [where: string, options: object]>([
    ["without the DOM's", { lib: ["ES2023"], types: ["node"] }],
    ["beside the DOM's", { lib: ["ES2023", "DOM"], types: ["node"] }],
    [
      "of ES2022, resolved as bundlers do",
      { target: "ES2022", lib: ["ES2022"], types: ["node"], module: "esnext", moduleResolution: "bundler" },
    ],
  ])("has types that pass a full check, %s [I1.consumer]", { timeout: 120_000 }, async (_where, options) => {
    writeFileSync(
      join(user, "app.ts"),
      `import { createHost, type Host } from "bascule";
export const host: Host = await createHost({ plugins: ["./plugins"] });
const result = await host.call("word_count", { path: "README.md" });
if (result.ok) console.log(result.output);
else console.error(result.error.code, result.error.message);
await host[Symbol.asyncDispose]();
`,
    );
    const compilerOptions = { target: "ES2023", module: "nodenext", strict: true, skipLibCheck: false, noEmit: true, ...options };
    writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
    writeFileSync(join(user, "package.json"), `{ "name": "user", "private": true, "type": "module" }`);
    expect(await inUser("tsc", ["-p", "."])).toEqual({ code: 0, output: "" });
  });
});

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
