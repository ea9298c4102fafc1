import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { blocksBelow, missingLines, sessionSteps } from "../support/readme.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** Plugins whose README shows calls with their answers. */
const SHOWN = ["data", "math", "plot"];

/** The commands run on what the tests run on. */
const RUN_ARGUMENTS = "Deno" in globalThis ? "run -A" : "";

describe.each(SHOWN)("the README of plugin %s", (plugin) => {
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-plugin-readme-")));
    await cp(`${REPOSITORY}plugins`, join(folder, "plugins"), { recursive: true });
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const text = readFileSync(`${REPOSITORY}plugins/${plugin}/README.md`, "utf8");
  const steps = blocksBelow(text, `# ${plugin}`)
    .filter((block) => block.language === "console")
    .flatMap((block) => commandsOf(block.text));

  it.each(steps.map((step) => [step.command.split("\n")[0] ?? "", step] as const))(
    "shows what %s answers [G3.readme]",
    { timeout: 60_000 },
    async (_command, step) => {
      const script = `shopt -s expand_aliases\nalias bascule="${process.execPath} ${RUN_ARGUMENTS} ${REPOSITORY}bin/bascule.mjs"\n${step.command}`;
      const { output } = await runCommand("bash", ["-c", script], { cwd: folder, timeoutMs: 50_000 });
      expect({ missing: missingLines(output, step.output), output }).toEqual({ missing: [], output });
    },
  );

  it("names every tool, and links to what is there", () => {
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

/** The steps of a session; a command whose quotes are open goes on in the next lines. */
function commandsOf(block: string): readonly { readonly command: string; readonly output: readonly string[] }[] {
  return sessionSteps(block).map(({ command, output }) => {
    const lines = [command];
    const rest = [...output];
    while (lines.join("\n").split("'").length % 2 === 0) lines.push(rest.shift() ?? "'");
    return { command: lines.join("\n"), output: rest };
  });
}
