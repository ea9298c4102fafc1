import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtempDisposable, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";
import { REPOSITORY } from "../../../scripts/run-command.ts";
import { isGone } from "../../support/real-programs.ts";

const PROGRAM = fileURLToPath(new URL("busy-program.ts", import.meta.url));
const RUNTIMES = [
  ["Node", "node", []],
  ["Deno", "deno", ["run", "-A", `--config=${REPOSITORY}deno.json`]],
] as const;
const STARTED = [
  "an MCP server",
  "a trusted plugin",
  "a trusted plugin that is not confined",
  "a program of a trusted plugin's call",
  "a process that runs guests",
  "git, which fetches a plugin",
  "deno, which looks for a package",
  "esbuild, which makes a module",
];

// Descendants of a process are read from /proc.
describe.skipIf(process.platform !== "linux" || "Deno" in globalThis)("a host that is killed", () => {
  it.concurrent.for(RUNTIMES.flatMap(([runtime, command, args]) => STARTED.map((name) => ({ name, runtime, command, args }))))(
    "leaves nothing running: $name, on $runtime [T5.killed]",
    { timeout: 120_000 },
    async ({ name, command, args }, { expect }) => {
      // A folder of this test only: tests that run at the same time must not see the killed processes.
      await using place = await mkdtempDisposable(join(tmpdir(), "bascule-killed-"));
      const folder = await realpath(place.path);
      const host = spawn(command, [...args, PROGRAM, name, folder], {
        cwd: folder,
        env: { ...process.env, PATH: `${REPOSITORY}node_modules/.bin${delimiter}${process.env["PATH"] ?? ""}` },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const stream of [host.stdout, host.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
      const hasBegun = (): boolean => existsSync(join(folder, "begun"));
      await expect.poll(() => hasBegun() || host.exitCode !== null, { timeout: 60_000 }).toBe(true);
      expect(said).toBe("");
      const started = below(host.pid ?? 0);
      expect(started.length).toBeGreaterThan(0);
      host.kill("SIGKILL");
      await expect.poll(() => started.filter((pid) => !isGone(pid)), { timeout: 20_000 }).toEqual([]);
    },
  );
});

/** Returns the processes that this one started, and their descendants. */
function below(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...below(child)]);
}

function childrenOf(pid: number): readonly number[] {
  try {
    // Any of its threads may have started it.
    const lists = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"));
    return lists.flatMap((list) => list.trim().split(" ").filter(Boolean).map(Number));
  } catch {
    // The process has just ended.
    return [];
  }
}
