import { existsSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "../host/doors/cli/run-cli.ts";
import { blocksBelow, missingLines, sessionSteps, shellWords } from "../support/readme.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** Plugins whose README shows calls with their output. */
const SHOWN = ["data", "math", "plot"];

describe.each(SHOWN)("the README of plugin %s", (plugin) => {
  let project: CliProject;

  beforeAll(async () => {
    project = await createCliProject();
    await cp(`${REPOSITORY}plugins`, join(project.folder, "plugins"), { recursive: true });
  });

  afterAll(() => project[Symbol.asyncDispose]());

  const text = readFileSync(`${REPOSITORY}plugins/${plugin}/README.md`, "utf8");
  const steps = blocksBelow(text, `# ${plugin}`)
    .filter((block) => block.language === "console")
    .flatMap((block) => commandsOf(block.text));

  it.each(steps.map((step) => [step.command.split("\n")[0] ?? "", step] as const))(
    "shows the output of %s [G3.readme]",
    { timeout: 60_000 },
    async (_command, step) => {
      const [program, ...args] = shellWords(step.command);
      expect(program).toBe("bascule");
      const { out, error } = await project.run(args);
      const output = error + out;
      expect({ missing: missingLines(output, step.output), output }).toEqual({ missing: [], output });
    },
  );

  it("names every tool, and links to existing files", () => {
    const { tools } = JSON.parse(readFileSync(`${REPOSITORY}plugins/${plugin}/manifest.json`, "utf8")) as {
      readonly tools: readonly { readonly name: string }[];
    };
    for (const { name } of tools)
      expect({ name, isNamed: new RegExp(`^\\| [^|]*\`${name}\``, "mu").test(text) }).toMatchObject({ isNamed: true });
    expect(steps.length).toBeGreaterThan(2);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/gu)].map((match) => match[1] ?? "");
    expect(links.filter((link) => !existsSync(`${REPOSITORY}plugins/${plugin}/${link}`))).toEqual([]);
  });
});

/** Splits a session into steps; a command with an open quote continues on the next lines. */
function commandsOf(block: string): readonly { readonly command: string; readonly output: readonly string[] }[] {
  return sessionSteps(block).map(({ command, output }) => {
    const lines = [command];
    const rest = [...output];
    while (lines.join("\n").split("'").length % 2 === 0) lines.push(rest.shift() ?? "'");
    return { command: lines.join("\n"), output: rest };
  });
}
