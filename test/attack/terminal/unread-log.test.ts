import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../../support/source-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LINES = 5_000;
const MANIFEST = {
  schemaVersion: "1.0",
  name: "flood",
  version: "1.0.0",
  description: "Floods",
  tools: ["logs", "sing"].map((name) => ({ name, description: "Floods", inputSchema: { type: "object" }, sideEffects: [] })),
};
const MAIN = `
export function logs({ lines }) { for (let line = 0; line < lines; line++) console.error("x"); return "done"; }
export const sing = () => "alive";
`;
/** Bytes of one line in the host's log, with ids of the usual length. */
const WRITTEN_BYTES = 330;
/** Maximum lines per call: those within its limit, and one about the dropped lines. */
const KEPT = Math.floor((256 * 1024) / 257) + 1;

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
});

/** @param stderr target of the program's log; a "pipe" stays unread until the test reads it */
async function startFlood(isolation: "none" | "process", stderr: "pipe" | number, through: readonly string[] = []) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "plugins", "flood"), { recursive: true });
  await writeFile(join(folder, "plugins", "flood", "manifest.json"), JSON.stringify(MANIFEST));
  await writeFile(join(folder, "plugins", "flood", "main.ts"), MAIN);
  const report = join(folder, "report.json");
  const run = "Deno" in globalThis ? ["run", "-A", `--config=${REPOSITORY}deno.json`] : [];
  const program = [process.execPath, ...run, `${REPOSITORY}test/support/log-flood.ts`, folder, report, isolation, String(LINES)];
  const [file = "", ...args] = [...through, ...program];
  const child = spawn(file, args, { stdio: ["ignore", "ignore", stderr] });
  children.push(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const reported = async (): Promise<unknown> => {
    await expect.poll(() => existsSync(report), { timeout: 50_000 }).toBe(true);
    await expect.poll(() => readFile(report, "utf8"), { timeout: 5_000 }).toMatch(/\}$/);
    return JSON.parse(await readFile(report, "utf8"));
  };
  return { child, ended, reported };
}

const ALL_DONE = {
  flood: ["done", "done", "done"],
  logBytes: [LINES * 257, LINES * 257, LINES * 257],
  canary: "alive",
  hadTurns: true,
};

function guestLines(written: string): { readonly plain: number; readonly dropped: readonly string[] } {
  const texts = written
    .split("\n")
    .filter((line) => line.includes('"guest"'))
    .map((line) => (JSON.parse(line) as { readonly text: string }).text);
  return { plain: texts.filter((text) => text === "x").length, dropped: texts.filter((text) => text !== "x") };
}

describe.each(["none", "process"] as const)("attack: a plugin floods its log, isolation %s", { timeout: 90_000 }, (isolation) => {
  it("ends calls and answers others if the log is never read [LV1.logs]", async () => {
    const { ended, reported } = await startFlood(isolation, "pipe");
    expect(await reported()).toEqual(ALL_DONE);
    expect(await ended).toBe(0);
  });

  it("limits the lines that a program reads, and reports the number of dropped lines [LV1.logs]", async () => {
    const { child, ended, reported } = await startFlood(isolation, "pipe");
    let written = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (written += text));
    expect(await reported()).toEqual(ALL_DONE);
    expect(await ended).toBe(0);
    const { plain, dropped } = guestLines(written);
    expect(written.length).toBeLessThanOrEqual(3 * KEPT * WRITTEN_BYTES);
    for (const text of dropped) expect(text).toMatch(/^5,000 lines, [345],[0-9]{3} dropped$/);
    const missing = dropped.map((text) => Number(/lines, ([0-9,]+) dropped/.exec(text)?.[1]?.replaceAll(",", "")));
    expect(plain + missing.reduce((sum, count) => sum + count, 0)).toBe(dropped.length * LINES);
  });

  it("limits the growth of a log file [LV1.logs]", async () => {
    const path = join(await temporaryFolder(), "log");
    const file = await open(path, "a");
    const { ended, reported } = await startFlood(isolation, file.fd);
    expect(await reported()).toEqual(ALL_DONE);
    expect(await ended).toBe(0);
    await file.close();
    const { plain, dropped } = guestLines(await readFile(path, "utf8"));
    expect(plain).toBeLessThanOrEqual(3 * KEPT);
    expect(dropped).toHaveLength(3);
  });
});

/** Python script that runs a program on a terminal that is never read. */
const ON_A_TERMINAL = `import os, subprocess, sys
mine, theirs = os.openpty()
sys.exit(subprocess.call(sys.argv[1:], stdin=theirs, stderr=theirs))`;

it.skipIf(process.platform === "win32")(
  "attack: a plugin floods the log on a terminal that is stopped [LV1.logs]",
  { timeout: 90_000 },
  async () => {
    const { ended, reported } = await startFlood("none", "pipe", ["python3", "-c", ON_A_TERMINAL]);
    expect(await reported()).toEqual(ALL_DONE);
    expect(await ended).toBe(0);
  },
);
