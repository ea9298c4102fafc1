import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../support/source-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LENGTH = 3_000_000;

/** Writes a large result, marks in a file that it continues, and ends as a command does. */
const PROGRAM = `
import { writeFileSync } from "node:fs";
import { createTerminal } from ${JSON.stringify(`${REPOSITORY}host/platform/terminal.ts`)};
const terminal = createTerminal();
terminal.out("x".repeat(${LENGTH}) + "\\n");
for (let note = 0; note < 20_000; note++) terminal.error("note ".repeat(20) + "\\n");
setImmediate(async () => {
  writeFileSync(process.argv[2], "on");
  await terminal.flush();
  process.exit(3);
});
`;

/** Asks twice, each time after a file appears, and prints both answers. */
const ASKING = `
import { existsSync } from "node:fs";
import { createTerminal } from ${JSON.stringify(`${REPOSITORY}host/platform/terminal.ts`)};
const terminal = createTerminal();
const appears = async (path) => {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
};
console.log("started");
await appears(process.argv[2]);
const first = await terminal.ask("First? ", new AbortController().signal);
console.log("between");
await appears(process.argv[3]);
const second = await terminal.ask("Second? ", new AbortController().signal);
console.log("answers " + JSON.stringify([first, second]));
process.exit(0);
`;

const DENO_FLAGS = "Deno" in globalThis ? ["run", "-A", `--config=${REPOSITORY}deno.json`] : [];

async function start(stdout: "pipe" | number, stderr: "pipe" | "ignore") {
  const folder = await temporaryFolder();
  const [program, mark] = [join(folder, "program.ts"), join(folder, "mark")];
  await writeFile(program, PROGRAM);
  const child = spawn(process.execPath, [...DENO_FLAGS, program, mark], { stdio: ["ignore", stdout, stderr] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, ended, goesOn: async () => await expect.poll(() => existsSync(mark), { timeout: 50_000 }).toBe(true) };
}

describe("createTerminal()", () => {
  it("writes a complete result for a late reader and continues meanwhile [LV1.streams]", async () => {
    const { child, ended, goesOn } = await start("pipe", "ignore");
    await goesOn();
    let length = 0;
    child.stdout?.on("data", (chunk: Uint8Array) => (length += chunk.length));
    expect(await ended).toBe(3);
    expect(length).toBe(LENGTH + 1);
  });

  it("does not wait for a parent that never reads standard error [LV1.streams]", async () => {
    const path = join(await temporaryFolder(), "result");
    const file = await open(path, "w");
    const { ended, goesOn } = await start(file.fd, "pipe");
    await goesOn();
    expect(await ended).toBe(3);
    await file.close();
    expect((await readFile(path)).length).toBe(LENGTH + 1);
  });

  it("does not take what was typed before a prompt as its answer [E5.typed-before]", async () => {
    const folder = await temporaryFolder();
    const [program, first, second] = [join(folder, "program.ts"), join(folder, "first"), join(folder, "second")];
    await writeFile(program, ASKING);
    const command = [process.execPath, ...DENO_FLAGS, program, first, second].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qefc", command, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
    let shown = "";
    child.stdout.on("data", (chunk: Uint8Array) => (shown += new TextDecoder().decode(chunk)));
    const shows = async (text: string): Promise<void> => await expect.poll(() => shown, { timeout: 50_000 }).toContain(text);
    await shows("started");
    // The terminal's echo shows that it holds the text.
    child.stdin.write("always\nye");
    await shows("always\r\nye");
    await writeFile(first, "");
    await shows("First? ");
    child.stdin.write("no\n");
    await shows("between");
    child.stdin.write("yes\nyes\n");
    await shows("yes\r\nyes");
    await writeFile(second, "");
    await shows("Second? ");
    child.stdin.write("n\n");
    await shows("answers");
    expect(shown.split("answers ")[1]?.split("\r\n")[0]).toBe('["no","n"]');
  });
});
