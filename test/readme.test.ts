import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "../scripts/run-command.ts";
import { blocksBelow, docExamples, missingLines, sessionSteps } from "./support/readme.ts";
import { REPOSITORY, sourceFiles } from "./support/source-files.ts";

const README = readFileSync(`${REPOSITORY}README.md`, "utf8");
/** Timeout of a command on a busy machine. */
const PATIENCE_MS = 60_000;

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder inside the checkout, so that `import "bascule"` means this checkout; git ignores `.cache`. */
function createFolder(): string {
  mkdirSync(`${REPOSITORY}.cache`, { recursive: true });
  const folder = mkdtempSync(`${REPOSITORY}.cache/readme-`);
  folders.push(folder);
  return folder;
}

function createProject(): string {
  const folder = createFolder();
  cpSync(`${REPOSITORY}plugins`, join(folder, "plugins"), { recursive: true });
  cpSync(`${REPOSITORY}README.md`, join(folder, "README.md"));
  symlinkSync(`${REPOSITORY}bin`, join(folder, "bin"));
  return folder;
}

describe("the library example of the README", () => {
  const [example] = blocksBelow(README, "## Three examples").filter((block) => block.language === "ts");

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
    const [example] = blocksBelow(README, "## Three examples").filter((block) => block.language === "ts");
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

describe("the README", () => {
  const lines = README.split("\n");

  it("begins with a line that sets up and runs, and one that runs the tests [DI1.readme]", () => {
    expect(blocksBelow(README, "# bascule")[0]?.text.split("\n")).toEqual([
      expect.stringMatching(/^npm ci && npm start {4}# sets up, and serves/u),
      expect.stringMatching(/^npm test {15}# runs all tests$/u),
    ]);
    expect(lines.findIndex((line) => line.startsWith("npm ci"))).toBeLessThan(8);
  });

  it("fits two screens [DI1.readme]", () => {
    expect(lines.length).toBeLessThanOrEqual(100);
  });

  it("has terminal examples that work as written in an empty folder [DI1.readme, I2.walkthrough]", { timeout: 120_000 }, async () => {
    const folder = createFolder();
    // As npm links the program of an installed package.
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(`${REPOSITORY}bin/bascule.mjs`, join(folder, "node_modules/.bin/bascule"));
    const blocks = blocksBelow(README, "## Three examples").filter((block) => block.language === "console");
    const steps = blocks.flatMap((block) => sessionSteps(block.text));
    expect(steps.length).toBeGreaterThan(5);
    for (const { command, output: promised } of steps) {
      const script = command.replace(/^npx bascule /u, `"${process.execPath}" node_modules/.bin/bascule `);
      const { output } = await runCommand("bash", ["-c", script], { cwd: folder, timeoutMs: PATIENCE_MS });
      expect({ command, missing: missingLines(output, promised), output }).toEqual({ command, missing: [], output });
    }
  });
});

describe("missingLines()", () => {
  it("checks the promised lines in order, with … for anything", () => {
    expect(missingLines("a 12 b\nother\nc", ["a … b", "c"])).toEqual([]);
    expect(missingLines("c\na 12 b", ["a … b", "c"])).toEqual(["c"]);
    expect(missingLines("a.b", ["axb"])).toEqual(["axb"]);
  });
});
