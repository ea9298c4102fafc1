import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { bashScript } from "../../../../host/doors/cli/completions/bash.ts";
import { fishScript } from "../../../../host/doors/cli/completions/fish.ts";
import { completedCommand } from "../../../../host/doors/cli/completions/words.ts";
import { zshScript } from "../../../../host/doors/cli/completions/zsh.ts";
import { allCommands } from "../../../../host/doors/cli/commands/mod.ts";
import { createCliProject, type CliProject } from "./run-cli.ts";

const BIN = fileURLToPath(new URL("../../../../bin/bascule.mjs", import.meta.url));
const PROGRAM = [process.execPath, ...(process.versions["deno"] === undefined ? [] : ["run", "-A"]), BIN];
const commands = (await allCommands()).map(completedCommand);

/** Creates a project with a plugin whose code never returns if it runs. */
async function projectWithPlugins(): Promise<CliProject> {
  const project = await createCliProject({ "README.md": "# Title\n" });
  await project.run(["init", "demo"]);
  await project.run(["init", "other"]);
  await project.write("plugins/demo/main.ts", "for (;;);\n");
  // A plugin with a broken manifest is named after its folder.
  await project.write("plugins/x$(touch hacked) y/manifest.json", "{");
  return project;
}

/** Completes the last word of each command line in one bash, as Tab does. */
function completeInBash(folder: string, lines: readonly (readonly string[])[]): readonly string[] {
  const tries = lines.map((words) => `try ${words.map((word) => `'${word}'`).join(" ")}`);
  const script = [
    bashScript(commands, PROGRAM),
    'compopt() { echo -n "$* "; }',
    'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _bascule; echo "${COMPREPLY[*]}"; }',
    ...tries,
  ].join("\n");
  const { stdout, stderr, status } = spawnSync("bash", ["--norc"], { cwd: folder, input: script, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").slice(0, lines.length);
}

describe("bascule completions", () => {
  it("completes commands, options, their values, plugins and tools in bash, without running a plugin's code [I2.completions]", async () => {
    await using project = await projectWithPlugins();
    expect(
      completeInBash(project.folder, [
        ["bascule", "ser"],
        ["bascule", "grant", ""],
        ["bascule", "call", "demo"],
        ["bascule", "call", "demo_peek", "pa"],
        ["bascule", "call", "--ti"],
        ["bascule", "call", "--dry"],
        ["bascule", "call", "--isolation", "=", "p"],
        ["bascule", "call", "--isolation", "="],
        ["bascule", "call", "--seed", "x", "other"],
        ["bascule", "call", "--seed", "=", "x", "other"],
        ["bascule", "export", "openai-"],
        ["bascule", "completions", ""],
        ["bascule", "add", "plug"],
        ["bascule", "frobnicate", ""],
      ]),
    ).toEqual([
      "serve",
      "demo other",
      "demo_peek",
      "",
      "--timeout= --time=",
      "--dry-run",
      "process",
      "thread process",
      "other_peek",
      "other_peek",
      "openai-responses",
      "bash zsh fish",
      "-o default ",
      "",
    ]);
  });

  it("lists names from the running host, or from the folders if no host runs or answers [I2.completions-names]", async () => {
    await using project = await projectWithPlugins();
    const names = async (kind: string): Promise<string> => (await project.run(["completions", `--names=${kind}`])).out;
    expect(await names("plugin")).toBe("demo\nother\n");
    expect(await names("any")).toBe("demo\ndemo_peek\nother\nother_peek\n");
    await project.write("plugins/demo/main.ts", "export const demo_peek = () => ({ first: [], total: 0 });\n");
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    expect(await names("plugin")).toBe("demo\nother\n");
    expect((await names("tool")).split("\n")).toEqual(expect.arrayContaining(["demo_peek", "other_peek", "read_file"]));
    dev.interrupt();
    await dev.ended;
    const silent = createServer();
    await new Promise<void>((resolve) => void silent.listen(`${project.folder}/.bascule/host.sock`, resolve));
    expect(await names("plugin")).toBe("demo\nother\n");
    silent.close();
  });

  it("explains where the script goes, lists the shells, and suggests the nearest one [I2.completions-help]", async () => {
    await using project = await createCliProject();
    expect((await project.run(["completions", "--help"])).out).toContain('eval "$(bascule completions bash)"');
    expect(await project.run(["completions"])).toMatchObject({ code: 2, error: expect.stringContaining("completions bash") });
    expect(await project.run(["completions", "zh"])).toMatchObject({ code: 2, error: expect.stringContaining("Did you mean zsh?") });
    expect((await project.run(["completions", "fish"])).out).toContain("complete -c bascule -n __bascule_begins -a serve ");
    await mkdir(`${project.folder}/empty`);
    expect(await project.run(["completions", "--names=plugin"])).toEqual({ code: 0, out: "", error: "" });
  });

  it.each([
    ["bash", bashScript],
    ["zsh", zshScript],
    ["fish", fishScript],
  ])("generates a script that %s can parse, with every command and option [I2.completions-scripts]", (shell, script) => {
    const text = script(commands, ["it's", "bascule"]);
    for (const { name, options } of commands) {
      expect(text).toContain(name);
      for (const option of options) expect(text).toMatch(new RegExp(`(?:--|-l )${option.name}\\b`, "u"));
    }
    // Skip shells that are not installed.
    if (isThere(shell)) execFileSync(shell, ["-n"], { input: text });
  });
});

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}
