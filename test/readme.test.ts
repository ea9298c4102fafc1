import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "../scripts/run-command.ts";
import { blocksBelow, docExamples, missingLines, type SessionStep, sessionSteps } from "./support/readme.ts";
import { REPOSITORY, sourceFiles } from "./support/source-files.ts";

const README = readFileSync(`${REPOSITORY}README.md`, "utf8");
/** Time in which an edit has to be served; only a broken reload reaches it. */
const DEADLINE_MS = 15_000;
/** Timeout of a command on a busy machine. */
const PATIENCE_MS = 60_000;

const folders: string[] = [];
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGINT")) await gone;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A project inside the checkout, so that `import "bascule"` means this checkout; git ignores `.cache`. */
function createProject(): string {
  mkdirSync(`${REPOSITORY}.cache`, { recursive: true });
  const folder = mkdtempSync(`${REPOSITORY}.cache/readme-`);
  folders.push(folder);
  cpSync(`${REPOSITORY}plugins`, join(folder, "plugins"), { recursive: true });
  cpSync(`${REPOSITORY}README.md`, join(folder, "README.md"));
  symlinkSync(`${REPOSITORY}bin`, join(folder, "bin"));
  return folder;
}

describe("the library example of the README", () => {
  const [example] = blocksBelow(README, "## As a library").filter((block) => block.language === "ts");

  it.each([
    ["Node", process.execPath, []],
    ["Deno", "deno", ["run", "-A", "--config", `${REPOSITORY}deno.json`]],
  ])("runs on %s [I1.example]", { timeout: 90_000 }, async (_name, command, args) => {
    const folder = createProject();
    writeFileSync(join(folder, "example.ts"), example?.text ?? "throw new Error('the README has no example')");
    const { code, output } = await runCommand(command, [...args, "example.ts"], { cwd: folder, timeoutMs: 60_000 });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/words: \d+/) });
  });
});

describe("the library example of the README, as types", () => {
  it("passes the library's types [I1.types]", { timeout: 60_000 }, async () => {
    const folder = createProject();
    const [example] = blocksBelow(README, "## As a library").filter((block) => block.language === "ts");
    writeFileSync(join(folder, "example.ts"), example?.text ?? "throw new Error('the README has no example')");
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", include: ["example.ts", "../../sandbox/webassembly.d.ts"], exclude: [] }),
    );
    const { output } = await runCommand("tsc", ["--noEmit", "-p", "."], { cwd: folder });
    expect(output).toBe("");
  });
});

describe("the examples in doc comments", () => {
  const examples = sourceFiles(["manifests", "sandbox", "host"]).flatMap((file) =>
    docExamples(file.text).map((text, index): [string, string] => [`${file.path} ${index + 1}`, text]),
  );

  it.each(examples)("%s runs", { timeout: 60_000 }, async (_name, text) => {
    const folder = createProject();
    writeFileSync(join(folder, "example.ts"), text);
    const { code, output } = await runCommand(process.execPath, ["example.ts"], { cwd: folder });
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  });

  it("are found", () => {
    expect(examples.length).toBeGreaterThan(0);
  });
});

describe("the walk-through of the README", () => {
  it("works as written [I2.walkthrough]", { timeout: 120_000 }, async () => {
    const folder = createProject();
    const steps = blocksBelow(README, "## Walkthrough")
      .filter((block) => block.language === "console")
      .flatMap((block) => sessionSteps(block.text));
    expect(steps.length).toBeGreaterThan(8);
    for (const step of steps) {
      if (step.command === "npm start") startHost(folder);
      else expect(await follow(step, folder)).toEqual([]);
    }
  });

  function startHost(folder: string): void {
    running.push(spawn(process.execPath, ["bin/bascule.mjs", "dev"], { cwd: folder, stdio: "ignore" }));
  }

  /** Runs a command as the reader would: repeats it if its output is not there yet shortly after an edit. */
  async function follow(step: SessionStep, folder: string): Promise<readonly string[]> {
    const script = `shopt -s expand_aliases\nalias bascule="node bin/bascule.mjs"\n${step.command}`;
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const { output } = await runCommand("bash", ["-c", script], { cwd: folder, timeoutMs: PATIENCE_MS });
      const missing = missingLines(output, step.output);
      if (missing.length === 0) return [];
      const mayRepeat = /^bascule (call|list|info|grants|why) /.test(`${step.command} `);
      if (!mayRepeat || Date.now() > deadline) return [`$ ${step.command}`, ...missing.map((line) => `missing: ${line}`), "got:", output];
    }
  }
});

describe("missingLines()", () => {
  it("checks the promised lines in order, with … for anything", () => {
    expect(missingLines("a 12 b\nother\nc", ["a … b", "c"])).toEqual([]);
    expect(missingLines("c\na 12 b", ["a … b", "c"])).toEqual(["c"]);
    expect(missingLines("a.b", ["axb"])).toEqual(["axb"]);
  });
});
