import { describe, expect, it } from "vitest";
import { createServerProcesses } from "../../../../host/platform/processes/server-processes.ts";

const SECONDS = { timeout: 60_000 };
const EVAL = "Deno" in globalThis ? "eval" : "--eval";

interface Ended {
  readonly how: string;
  readonly lastWords: string;
}

/** Starts a program of JavaScript code and reports its end. */
function start(code: string): {
  readonly running: ReturnType<ReturnType<typeof createServerProcesses>["start"]>;
  readonly ended: Promise<Ended>;
} {
  const ended = Promise.withResolvers<Ended>();
  const running = createServerProcesses().start({
    command: process.execPath,
    args: [EVAL, code],
    cwd: "/",
    env: {},
    maxLineBytes: 1_000,
    onLine: () => {},
    onEnd: (how, lastWords) => ended.resolve({ how, lastWords }),
  });
  return { running, ended: ended.promise };
}

describe("createServerProcesses()", () => {
  it("bounds the unsent data for a program that does not read [K3.back-pressure]", SECONDS, async () => {
    const { running, ended } = start("setInterval(() => {}, 1000)");
    const line = "x".repeat(1024 * 1024);
    let taken = 0;
    while (running.send(line) && taken < 100) taken += 1;
    expect(taken).toBeGreaterThan(10);
    expect(taken).toBeLessThan(30);
    await running.stop();
    expect((await ended).how).toContain("SIGTERM");
    expect(running.send("more")).toBe(false);
  });

  it.skipIf(process.platform === "win32")("does not wait for streams held by a child that left its group [K3.failure]", async () => {
    const left =
      'const { spawn } = require("node:child_process"); console.error(spawn("/bin/sleep", ["300"], { detached: true, stdio: "inherit" }).pid); process.exit(4)';
    const { ended } = start(left);
    const { how, lastWords } = await ended;
    expect(how).toBe("it ended with exit code 4");
    process.kill(Number(lastWords));
  });

  it("keeps only the end of a program's standard error [K3.last-words]", SECONDS, async () => {
    const { ended } = start('console.error("e".repeat(100000) + "the end"); process.exitCode = 3');
    const { how, lastWords } = await ended;
    expect(how).toBe("it ended with exit code 3");
    expect(lastWords.length).toBeLessThanOrEqual(2_000);
    expect(lastWords).toMatch(/ethe end$/);
  });

  it("reports why a program cannot start [K3.failure]", async () => {
    const ended = Promise.withResolvers<string>();
    const onEnd = (how: string): void => ended.resolve(how);
    const running = createServerProcesses().start({
      ...{ command: "/nowhere/to/be/found", args: [], cwd: "/", env: {}, maxLineBytes: 1, onLine: () => {} },
      onEnd,
    });
    expect(await ended.promise).toMatch(/ENOENT|not found/i);
    await running.stop();
  });
});
