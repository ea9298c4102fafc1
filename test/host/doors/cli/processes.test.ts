import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CommandOutcome, runCommand } from "../../../../scripts/run-command.ts";
import { REPOSITORY } from "../../../support/source-files.ts";
import { createCliProject } from "./run-cli.ts";

const BIN = `${REPOSITORY}bin/bascule.mjs`;
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

function bascule(cwd: string, ...args: readonly string[]): Promise<CommandOutcome> {
  return runCommand(process.execPath, [BIN, ...args], { cwd, timeoutMs: 30_000 });
}

/** Starts `bascule dev` in a separate process. Resolves when it serves. */
function startDev(cwd: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BIN, "dev"], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("Press Ctrl-C")) resolve(child);
    });
    child.once("exit", () => reject(new Error(`dev ended: ${printed}`)));
  });
}

describe("two processes", () => {
  it("connect through the project's socket: one answers a call of the other [I2.two-processes]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    await bascule(project.folder, "init", "demo");
    const dev = await startDev(project.folder);
    const ended = new Promise((resolve) => dev.once("exit", (code, signal) => resolve({ code, signal })));

    expect(await bascule(project.folder, "grant", "demo", "--allow-read=.")).toMatchObject({ code: 0 });
    const { code, output } = await bascule(project.folder, "call", "demo_peek", "path=README.md");
    expect(code).toBe(0);
    expect(output).toContain("(using the host running in this folder)\n");
    expect(output).toContain('"# Title"');

    // Avoid `dev.kill`: on Deno it reports the signal as the exit reason, however the process ends.
    process.kill(dev.pid ?? 0, "SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await readdir(join(project.folder, ".bascule"))).not.toContain("host.sock");
  });

  it("ignore the stale socket of a killed process [I2.stale]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    await bascule(project.folder, "init", "demo");
    await kill(await startDev(project.folder));
    expect(await readdir(join(project.folder, ".bascule"))).toContain("host.sock");

    const { code, output } = await bascule(project.folder, "list");
    expect({ code, said: output.includes("using the host running") }).toEqual({ code: 0, said: false });
    const dev = await startDev(project.folder);
    expect((await bascule(project.folder, "list")).output).toContain("using the host running");
    // Before its folder is removed.
    await kill(dev);
  });

  it("exits after a large answer is fully written, and fails if it cannot be written [X6.file]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({
      "plugins/big/manifest.json": JSON.stringify({
        schemaVersion: "1.0",
        name: "big",
        version: "1.0.0",
        description: "Answers much",
        tools: [{ name: "much", description: "Answers much", inputSchema: { type: "object" }, sideEffects: [] }],
      }),
      "plugins/big/main.ts": "export const much = () => '0123456789'.repeat(100_000);",
    });
    const { code, output } = await bascule(project.folder, "call", "much");
    expect({ code, isWhole: output === `${"0123456789".repeat(100_000)}\n` }).toEqual({ code: 0, isWhole: true });
    if (process.platform !== "linux") return;
    const line = [process.execPath, BIN, "call", "much"].map((word) => `'${word}'`).join(" ");
    const full = await runCommand("sh", ["-c", `${line} > /dev/full`], { cwd: project.folder, timeoutMs: 30_000 });
    expect(full).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^Cannot write to standard output: .*[Nn]o space left on device.*\n$/),
    });
  });

  it("show advice with the command that started them [I2.advice]", async () => {
    await using project = await createCliProject();
    const { code, output } = await bascule(project.folder, "lsit");
    expect({ code, output }).toEqual({
      code: 2,
      output: `error Unknown command "lsit"\n  Did you mean ${"Deno" in globalThis ? "deno run -A" : "node"} ${BIN} list?\n`,
    });
  });

  it("run on Deno too [I2.deno]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    const deno = (...args: readonly string[]): Promise<CommandOutcome> =>
      runCommand("deno", ["run", "-A", BIN, ...args], { cwd: project.folder, timeoutMs: 30_000 });
    expect(await deno("init", "demo")).toMatchObject({ code: 0 });
    expect(await deno("call", "demo_peek", "path=README.md", "--allow-read=.")).toMatchObject({
      code: 0,
      output: expect.stringContaining('"# Title"'),
    });
  });
});

describe("a program without other work", () => {
  it("can close its host while a call still waits for confirmation [T5.waiting]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({
      "app.mjs": `import { createHost } from ${JSON.stringify(`${REPOSITORY}host/mod.ts`)};
const host = await createHost({ config: false, workspace: "." });
const waiting = host.call("write_file", { path: "x", content: "1" }, { confirm: () => new Promise(() => {}) });
await new Promise((resolve) => setTimeout(resolve, 50));
await host.close();
console.log((await waiting).error?.code);
`,
    });
    const run = "Deno" in globalThis ? ["run", "-A", `--config=${REPOSITORY}deno.json`] : [];
    const { code, output } = await runCommand(process.execPath, [...run, "app.mjs"], { cwd: project.folder, timeoutMs: 30_000 });
    expect(output).toContain("cancelled");
    expect(code).toBe(0);
  });
});
