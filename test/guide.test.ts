import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../scripts/run-command.ts";
import { type CliProject, createCliProject } from "./host/doors/cli/run-cli.ts";
import { allBlocks, missingLines, type SessionStep, sessionSteps, shellWords } from "./support/readme.ts";
import { REPOSITORY } from "./support/source-files.ts";

const PAGES = [
  "docs/tour.md",
  ...readdirSync(`${REPOSITORY}docs/guide`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/guide/${name}`),
  "extensions/claude-code/skills/bascule-plugin/SKILL.md",
];
/** Time in which an edit has to be served; only a broken reload reaches it. */
const DEADLINE_MS = 15_000;
/** Ports in the pages; replaced by free ports when the pages are run. */
const PORTS = ["7420", "8080"];
const BIN = `${REPOSITORY}bin/bascule.mjs`;
/** Commands that only a reader needs: they install packages that the checkout has. */
const NOT_RUN = /^npm (?:install|ci)\b/;
/** A promised line that a reader answers: `Allow it? […] y`. */
const ANSWERED = /^(.*(?:…|\])) (\w+)$/;
const GOES_ON = /^(?:bascule (?:dev|serve)|node server\.mjs)\b/;

interface Terminal {
  readonly project: CliProject;
  readonly servers: ChildProcess[];
  readonly env: Record<string, string>;
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

describe("the guide", () => {
  it("has a page for each task", () => {
    expect(PAGES.length).toBeGreaterThan(9);
  });

  it.each(PAGES)("%s works as written [I7.guide] [DI4.skill]", { timeout: 120_000 }, async (page) => {
    const text = await withFreePorts(readFileSync(REPOSITORY + page, "utf8"));
    await using project = await createCliProject({ "README.md": "# Title\n\nSome words.\n" }, { isOwn: false });
    installInto(project.folder);
    const servers: ChildProcess[] = [];
    try {
      for (const { language, text: block } of allBlocks(text)) {
        const [, file] = /^\w+ (\S+)$/.exec(language) ?? [];
        if (file !== undefined) await project.write(file, `${block}\n`);
        if (language !== "console") continue;
        // A code block is a terminal: variables that it exports hold for its own commands only.
        const terminal: Terminal = { project, servers, env: {} };
        for (const step of sessionSteps(block)) expect(await follow(step, terminal)).toEqual([]);
      }
    } finally {
      for (const child of servers) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        child.kill();
        await gone;
      }
    }
  });
});

/** The checkout's packages, and the checkout itself as the package that a reader would install. */
function installInto(folder: string): void {
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(`${REPOSITORY}node_modules`)) symlinkSync(`${REPOSITORY}node_modules/${name}`, join(packages, name));
  symlinkSync(REPOSITORY, join(packages, "bascule"));
  // An MCP client passes only HOME and PATH of its environment to a server; this gives it the test's settings through them.
  const home = homeIn(folder);
  mkdirSync(home);
  symlinkSync(process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), join(home, ".config"));
  symlinkSync(join(homedir(), ".cache"), join(home, ".cache"));
}

function homeIn(folder: string): string {
  return join(folder, "node_modules", ".home");
}

/** @returns the promised lines that are missing. */
async function follow({ command: written, output: promised }: SessionStep, terminal: Terminal): Promise<readonly string[]> {
  const answers = promised.flatMap((line) => ANSWERED.exec(line)?.[2] ?? []);
  const output = promised.map((line) => line.replace(ANSWERED, "$1…"));
  const step = { command: written.replace(/^npx bascule /, "bascule "), output };
  if (NOT_RUN.test(step.command)) return [];
  const [, name, value = ""] = /^export (\w+)=(\S+)$/.exec(step.command) ?? [];
  if (name !== undefined) {
    terminal.env[name] = value;
    return [];
  }
  if (GOES_ON.test(step.command)) return await begin(step, terminal);
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const { code, output } = await run(step.command, terminal, answers);
    // A command without promised output has to succeed.
    const missing = step.output.length === 0 && code !== 0 ? [`exit code 0, not ${code}`] : missingLines(output, step.output);
    if (missing.length === 0) return [];
    // Repeats a command whose output is not there yet shortly after an edit, as a reader would.
    const mayRepeat = /^bascule (?:call|list|info|grants|why|settings|audit) /.test(`${step.command} `);
    if (!mayRepeat || Date.now() > deadline) return [`$ ${step.command}`, ...missing.map((line) => `missing: ${line}`), "got:", output];
  }
}

/** @param answers of the reader at the terminal; without any, the command has no terminal to ask on */
async function run(command: string, { project, env }: Terminal, answers: readonly string[]): Promise<Ran> {
  const [program, ...args] = command.includes("|") ? [] : shellWords(command);
  if (program === "bascule") {
    const { code, out, error } = await project.run(args, { env, ...(answers.length > 0 && { answers }) });
    // The reader's Enter ends the line of a question, which ends in `[y/N]` or `[n]o`.
    return { code, output: answers.length > 0 ? (error + out).replaceAll(/(\]o?) (?=\S)/g, "$1\n") : error + out };
  }
  const node =
    program === "node" ? [process.execPath, ...(process.versions["deno"] === undefined ? [] : ["run", "-A"]), ...args] : undefined;
  const [file = "", ...rest] = node ?? ["bash", "-c", `bascule() { "${process.execPath}" ${BIN} "$@"; }\n${command}`];
  return await runCommand(file, rest, { cwd: project.folder, env: { HOME: homeIn(project.folder), ...env }, timeoutMs: DEADLINE_MS });
}

async function begin({ command, output }: SessionStep, { project, servers, env }: Terminal): Promise<readonly string[]> {
  const [program, ...args] = shellWords(command);
  if (program === "bascule") {
    const started = project.start(args, { env });
    await started.waitFor(args[0] === "dev" ? "Press Ctrl-C" : "http://127.0.0.1:");
    return missingLines(started.printed(), output);
  }
  const deno = process.versions["deno"] === undefined ? [] : ["run", "-A"];
  const child = spawn(process.execPath, [...deno, ...args], { cwd: project.folder, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(child);
  const printed = await new Promise<string>((resolve) => child.stdout?.once("data", (bytes: Buffer) => resolve(bytes.toString())));
  return missingLines(printed, output);
}

async function withFreePorts(text: string): Promise<string> {
  let changed = text;
  for (const port of PORTS) if (text.includes(port)) changed = changed.replaceAll(port, String(await freePort()));
  return changed;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
