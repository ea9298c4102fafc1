/** The GitHub Action, run as a runner does: its script on Node, with inputs and files in variables. */

import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../../scripts/run-command.ts";
import { readJson, readText } from "../support/extension-files.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ACTION = parse(readText("extensions/github-action/action.yml")) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: object;
  readonly runs: { readonly using: string; readonly main: string };
};

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly uses: string; readonly with?: object }[] }>>;
}

interface Run {
  readonly code: number;
  readonly lines: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Files that the action left in the runner's temporary folder. */
  readonly left: readonly string[];
}

/** Runs the action on a repository with these plugins, in `tools/`. */
async function runAction(
  plugins: Readonly<Record<string, Plugin>>,
  inputs: Readonly<Record<string, string>> = {},
): Promise<Run & { readonly workspace: string }> {
  const folder = await temporaryFolder();
  const [workspace, temporary] = [join(folder, "repository"), join(folder, "temp")];
  for (const path of [join(workspace, "tools"), join(workspace, "node_modules"), temporary]) mkdirSync(path, { recursive: true });
  symlinkSync(REPOSITORY, join(workspace, "node_modules/bascule"));
  writeFileSync(join(workspace, "tools/bascule.json"), "{}");
  for (const [name, plugin] of Object.entries(plugins)) writePlugin(join(workspace, "tools/plugins", name), name, plugin);
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  const given = { "working-directory": "tools", ...inputs };
  const env = Object.fromEntries(
    Object.entries(ACTION.inputs).map(([name, { default: value }]) => [
      `INPUT_${name.toUpperCase()}`,
      given[name as keyof typeof given] ?? value,
    ]),
  );
  const { code, output } = await runCommand(process.execPath, [`${REPOSITORY}extensions/github-action/${ACTION.runs.main}`], {
    cwd: workspace,
    env: { ...env, ...files, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: temporary, RUNNER_OS: "Linux" },
    timeoutMs: 60_000,
  });
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const outputs = [...read(files.GITHUB_OUTPUT).matchAll(/^(.+)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]);
  return {
    ...{ code, lines: output.trim() === "" ? [] : output.trim().split("\n"), workspace },
    ...{ outputs: Object.fromEntries(outputs), summary: read(files.GITHUB_STEP_SUMMARY), left: readdirSync(temporary) },
  };
}

interface Plugin {
  readonly main: string;
  readonly test?: string;
}

function writePlugin(folder: string, name: string, { main, test }: Plugin): void {
  const tool = { name, description: "Answers", inputSchema: { type: "object" }, sideEffects: [] };
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ schemaVersion: "1.0", name, version: "1.0.0", description: "Answers", tools: [tool] }),
  );
  writeFileSync(join(folder, "main.ts"), main);
  if (test !== undefined) writeFileSync(join(folder, "main.test.ts"), test);
}

const GOOD: Plugin = { main: "export const good = () => 1;", test: `Deno.test("answers", () => {});` };
/** Tries to give the runner commands through its error's text. */
const HOSTILE: Plugin = {
  main: "export const sly = () => 1;",
  test: `Deno.test("a,b::c\\n::add-mask::x", () => {\n  throw new Error("first\\n::set-output name=ok::true\\n100%");\n});`,
};

describe("the GitHub Action", () => {
  it("is used in the guide with inputs that it has, least permissions and pinned actions [DI4.action-example]", () => {
    const [, text = ""] = /```yaml\n(on:[\s\S]*?)```/.exec(readText("docs/guide/editors.md")) ?? [];
    const { permissions, jobs } = parse(text) as Workflow;
    const steps = jobs["plugins"]?.steps ?? [];
    expect(permissions).toEqual({ contents: "read" });
    expect(steps.map(({ uses }) => uses.replace(/[0-9a-f]{40}$/, "<commit>"))).toEqual([
      "actions/checkout@<commit>",
      "OWNER/bascule/extensions/github-action@COMMIT",
    ]);
    expect(Object.keys(steps[1]?.with ?? {}).filter((name) => !Object.hasOwn(ACTION.inputs, name))).toEqual([]);
  });

  it("runs a script that exists, on the runner's Node, at the version of this repository [DI4.action]", () => {
    expect(ACTION.runs).toEqual({ using: "node24", main: "main.ts" });
    expect(ACTION.inputs["version"]?.default).toBe(readJson("package.json")["version"]);
    expect(Object.keys(ACTION.outputs)).toEqual(["ok", "problems", "failed-tests", "signed"]);
  });

  it("passes on good plugins, and signs them with the key, which it leaves nowhere [DI4.action-sign]", { timeout: 60_000 }, async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const run = await runAction({ good: GOOD }, { sign: "good", key });
    const signer = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64");
    expect(run).toMatchObject({ code: 0, lines: [], left: [], outputs: { ok: "true", problems: "0", "failed-tests": "0" } });
    expect(JSON.parse(run.outputs["signed"] ?? "")).toEqual([{ plugin: "good", digest: expect.stringMatching(/^[0-9a-f]{64}$/), signer }]);
    expect(run.summary).toContain("1 tests passed, 0 failed");
    expect(existsSync(join(run.workspace, "tools/plugins/good/manifest.sig"))).toBe(true);
  });

  it("marks the line of a problem and of a failed test, and signs nothing then [DI4.action-annotations]", { timeout: 60_000 }, async () => {
    const broken: Plugin = { main: "\nexprt const broken = () => 1;" };
    const run = await runAction({ broken, sly: HOSTILE, good: GOOD }, { sign: "good", key: "unused" });
    expect(run).toMatchObject({ code: 1, outputs: { ok: "false", problems: "1", "failed-tests": "1", signed: "[]" } });
    expect(run.lines.map((line) => line.replace(/[0-9a-f-]{36}/, "<token>"))).toEqual([
      expect.stringMatching(/^::error file=tools\/plugins\/broken\/main\.ts,line=2,col=7,title=broken::Expected/),
      "::error file=tools/plugins/sly/main.test.ts,line=1,col=10,title=sly%3A a%2Cb%3A%3Ac%0A%3A%3Aadd-mask%3A%3Ax" +
        "::Error: first%0A::set-output name=ok::true%0A100%25",
      "::stop-commands::<token>",
      "Not signed: good (check and test have to pass first)",
      "::<token>::",
    ]);
  });

  it.each([
    ["a name without a key", { sign: "good" }, 'Cannot sign good: input "key" is empty (pass a secret with a private key)'],
    ["an unknown plugin", { sign: "goood", key: "k" }, 'Unknown plugin "goood"%0ADid you mean good?'],
  ])("says what is wrong with %s [DI4.action-inputs]", { timeout: 60_000 }, async (_what, inputs, message) => {
    expect(await runAction({ good: GOOD }, inputs)).toMatchObject({ code: 1, lines: [`::error title=Bascule::${message}`], left: [] });
  });
});
