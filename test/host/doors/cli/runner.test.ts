import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../../../host/doors/cli/main.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { Platform } from "../../../../host/platform/platform.ts";
import { createRunners } from "../../../../host/platform/processes/runners.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { isGone, numberIn, script } from "../../../support/real-programs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const RUNNER = fileURLToPath(new URL("../../../support/runner.mjs", import.meta.url));
const OWN = "Deno" in globalThis ? ["run", "-A", "--no-lock"] : [];

interface Ran {
  readonly code: number;
  readonly answers: readonly Record<string, unknown>[];
  readonly folder: string;
  readonly errors: string;
}

/** Runs the test runner under `bascule runner` in a temporary folder. */
async function run(
  behaviour: string,
  flags: readonly string[] = [],
  onStart?: (folder: string, platform: { interrupt(): void }) => void,
): Promise<Ran> {
  const folder = await temporaryFolder();
  const memory = memoryPlatform();
  const real = currentPlatform();
  const runners = createRunners({ killAfterMs: 200 });
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, BASCULE_RUNNER_BEHAVIOR: behaviour };
  const platform: Platform = {
    ...real,
    terminal: memory.terminal,
    log: memory.log,
    environment: { ...real.environment, cwd: folder },
    runners: { ...runners, start: (command, options) => runners.start(command, { ...options, env }) },
  };
  await writeFile(`${folder}/bascule.json`, JSON.stringify({ audit: { store: false } }));
  onStart?.(folder, memory);
  const code = await main(["runner", ...flags, "--", process.execPath, ...OWN, RUNNER, `${folder}/answers`], platform);
  const written = await readFile(`${folder}/answers`, "utf8").catch(() => "");
  const answers = written
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, answers, folder, errors: memory.recorded.error() };
}

describe("bascule runner", () => {
  it("answers the calls of the program that it starts [I6.runner]", async () => {
    const { code, answers } = await run("echo");
    expect(answers).toMatchObject([{ op: "tool_response", tool_call_id: "1", ok: true, result: { text: "hello" } }]);
    expect(code).toBe(0);
  });

  it("makes the call from the environment, in a session with the given role [I6.runner]", async () => {
    const denied = await run('tool_call={"tool":"write_file","args":{"path":"x","content":"a=b"}}', ["--read-only", "--role", "reader"]);
    expect(denied.answers).toMatchObject([{ tool_call_id: "1", ok: false, error: "permission_denied" }]);
    const missing = await run('tool_call={"tool":"nothing"}');
    expect(missing.answers).toMatchObject([{ ok: false, error: "tool_not_found" }]);
  });

  it("survives a runner that crashes, and reports its exit code [I6.crash]", async () => {
    const { code, errors } = await run("crash");
    expect(code).toBe(1);
    expect(errors).toContain("ended with exit code 7");
  });

  it("ends an endless runner on interrupt [I6.loop]", async () => {
    let pid = 0;
    const { code, answers } = await run("loop", [], (folder, platform) => {
      void numberIn(`${folder}/answers.pid`).then(async (found) => {
        pid = found;
        const count = async (): Promise<number> => (await readFile(`${folder}/answers`, "utf8").catch(() => "")).split("\n").length;
        await expect.poll(count, { timeout: 15_000 }).toBeGreaterThan(20);
        platform.interrupt();
      });
    });
    expect(code).toBe(0);
    expect(answers.length).toBeGreaterThanOrEqual(20);
    expect(isGone(pid)).toBe(true);
  });

  it("reports a program that cannot be started, and wrong usage [I6.runner]", async () => {
    const platform = memoryPlatform();
    expect(await main(["runner"], platform)).toBe(2);
    expect(await main(["runner", "--stdio", "--", "x"], platform)).toBe(2);
    expect(await main(["runner", "--", "nothing"], platform)).toBe(1);
    expect(platform.recorded.error()).toContain('Cannot start "nothing"');
  });

  it("serves stdin and stdout itself with --stdio, and writes only answers there [I6.stdio]", async () => {
    const platform = memoryPlatform();
    const far = platform.client;
    const answers: unknown[] = [];
    far.onLine((line) => {
      answers.push(JSON.parse(line));
      far.close();
    });
    far.send('{"op":"tool_call","tool_call_id":"1","tool":"echo","args":{"text":"hi"}}');
    expect(await main(["runner", "--stdio"], platform)).toBe(0);
    expect(answers).toMatchObject([{ tool_call_id: "1", ok: true, result: { text: "hi" } }]);
    expect(platform.recorded.out()).toBe("");
  });
});

describe("createRunners()", () => {
  it.skipIf(process.platform !== "linux")(
    "closes the connection of a killed runner, even if another process holds its pipes [I6.killed]",
    async () => {
      const folder = await temporaryFolder();
      const path = await script(
        folder,
        "runner",
        `setsid sh -c 'echo $$ >apart; exec sleep 600' & while [ ! -s apart ]; do sleep 0.02; done; echo $$ >pid; cat >/dev/null`,
      );
      const { connection, ended } = await createRunners().start([path], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
      const closed = new Promise<void>((resolve) => connection.onClose(resolve));
      connection.onLine(() => undefined);
      process.kill(await numberIn(`${folder}/pid`), "SIGKILL");
      expect(await ended).toEqual({ signal: "SIGKILL" });
      await closed;
      // This process left the runner's group, so the test must end it.
      process.kill(await numberIn(`${folder}/apart`), "SIGKILL");
    },
  );

  it("ends the connection of a runner that sends an endless line or does not read [I6.huge]", async () => {
    const folder = await temporaryFolder();
    const env = { PATH: "/usr/bin:/bin" };
    const huge = await createRunners({ killAfterMs: 200 }).start([await script(folder, "huge", "exec cat /dev/zero")], {
      cwd: folder,
      env,
    });
    huge.connection.onLine(() => expect.unreachable("no line ends"));
    await new Promise<void>((resolve) => huge.connection.onClose(resolve));
    huge.stop();
    await huge.ended;
    const deaf = await createRunners({ killAfterMs: 200 }).start([await script(folder, "deaf", "exec sleep 600")], { cwd: folder, env });
    deaf.connection.onLine(() => undefined);
    const closed = new Promise<void>((resolve) => deaf.connection.onClose(resolve));
    for (let n = 0; n < 70; n += 1) deaf.connection.send("x".repeat(1_000_000));
    await closed;
    deaf.stop();
    await deaf.ended;
  });

  it.each(["input", "SIGTERM"])(
    "is standard input and output of a real process with --stdio, until its %s ends it [I6.stdio]",
    async (how) => {
      const folder = await temporaryFolder();
      await writeFile(`${folder}/bascule.json`, JSON.stringify({ audit: { store: false } }));
      const program = fileURLToPath(new URL("../../../../bin/bascule.mjs", import.meta.url));
      const child = spawn(process.execPath, [...OWN, program, "runner", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
      let out = "";
      child.stdout.on("data", (chunk: Uint8Array) => (out += new TextDecoder().decode(chunk)));
      const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
      child.stdin.write('{"op":"tool_call","tool_call_id":"1","tool":"echo","args":{"text":"hi"}}\nnonsense\n');
      await expect.poll(() => out.split("\n").length, { timeout: 15_000 }).toBe(3);
      // One is told that its input is over, the other to end.
      if (how === "input") child.stdin.end();
      else child.kill("SIGTERM");
      // Deno's own answer to the signal may come first.
      expect(how === "input" ? [0] : [0, null]).toContain(await ended);
      const lines = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
      expect(lines).toHaveLength(2);
      expect(lines).toContainEqual(expect.objectContaining({ tool_call_id: "1", ok: true, result: { text: "hi" } }));
      expect(lines).toContainEqual(expect.objectContaining({ tool_call_id: null, ok: false, error: "invalid_args" }));
    },
  );
});
