import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../host/audit/events.ts";
import { createHost, type Host, type HostOptions } from "../../host/mod.ts";
import type { Platform } from "../../host/platform/platform.ts";
import { createProcesses } from "../../host/platform/processes/processes.ts";
import { matchesGolden } from "../support/golden.ts";
import { memoryPlatform } from "../support/memory-platform.ts";
import { shellHost } from "../support/shell-host.ts";

interface Recorded extends AsyncDisposable {
  readonly host: Host;
  /** Events since the host was ready. */
  readonly log: HostEvent[];
}

async function recorded(platform: Platform = memoryPlatform({ "a.txt": "one two", "b.txt": "two", "c.txt": "three" })): Promise<Recorded> {
  const log: HostEvent[] = [];
  const events: HostOptions["events"] = { publish: (event) => void log.push(event) };
  const host = await createHost({ platform, config: false, workspace: "/workspace", events });
  log.length = 0;
  return { host, log, [Symbol.asyncDispose]: () => host.close() };
}

describe("golden logs of calls", () => {
  it("logs a read that succeeds [AU8.read]", async () => {
    await using made = await recorded();
    expect(await made.host.call("read_file", { path: "a.txt" })).toMatchObject({ ok: true });
    await matchesGolden("read", made.log);
  });

  it("logs an escape that is refused without a confirmation [AU8.escape]", async () => {
    await using made = await recorded();
    const confirm = (): never => expect.unreachable("nobody is asked");
    expect(await made.host.call("write_file", { path: "../secret.txt", content: "x" }, { confirm })).toMatchObject({
      error: { code: "fs_denied" },
    });
    await matchesGolden("escape", made.log);
  });

  it("logs a write that the user denies [AU8.denied]", async () => {
    await using made = await recorded();
    const result = await made.host.call("write_file", { path: "new.txt", content: "x" }, { confirm: async () => false });
    expect(result).toMatchObject({ error: { code: "user_denied" } });
    await matchesGolden("denied-write", made.log);
  });

  it("logs three parallel reads, within the cap [AU8.parallel]", async () => {
    const platform = memoryPlatform({ "a.txt": "one two", "b.txt": "two", "c.txt": "three" });
    const waiting: (() => void)[] = [];
    const guarded: Platform["guarded"] = {
      ...platform.guarded,
      async readBytes(path, range) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return await platform.guarded.readBytes(path, range);
      },
    };
    await using made = await recorded({ ...platform, guarded });
    const paths = ["a.txt", "b.txt", "c.txt"];
    const running = made.host.callAll(paths.map((path) => ({ tool: "read_file", args: { path } })));
    await expect.poll(() => waiting.length, { timeout: 15_000 }).toBe(3);
    // All three have begun; each ends after the previous one.
    for (const [index, release] of waiting.entries()) {
      release();
      await expect.poll(() => made.log.filter(({ type }) => type === "tool.completed").length, { timeout: 15_000 }).toBe(index + 1);
    }
    expect((await running).map(({ ok }) => ok)).toEqual([true, true, true]);
    await matchesGolden("parallel-reads", made.log);
  });

  it("logs a long install that is cancelled: SIGTERM, then SIGKILL, and keeps what it wrote [AU8.install, T3]", async () => {
    // The shell's own message about its ended child is not part of the output.
    const install = `exec 2>/dev/null; trap 'echo "still busy"' TERM; echo "resolving left-pad"; while :; do sleep 0.05; done`;
    const kills: { readonly delayMs: number; readonly kill: () => void }[] = [];
    const processes = createProcesses({ after: (delayMs, kill) => (kills.push({ delayMs, kill }), () => undefined) });
    const project = { confirmation: { default: { execute: "prompt" } } };
    await using shell = await shellHost({ scripts: { install }, processes, project });
    const { host, workspace, events } = shell;
    const before = events.length;
    const stop = new AbortController();
    // Cancelled at its first output, and killed at the next output, which it prints on SIGTERM.
    const acts = [() => stop.abort(), () => kills[0]?.kill()];
    const args = { command: "install", args: ["--save", "left-pad"] };
    const result = await host.call("shell", args, { signal: stop.signal, onProgress: () => acts.shift()?.(), confirm: async () => true });
    expect(kills.map(({ delayMs }) => delayMs)).toEqual([3_000]);
    expect(result).toMatchObject({
      error: { code: "cancelled" },
      partialOutput: { signal: "SIGKILL", stdout: "resolving left-pad\nstill busy\n" },
    });
    await matchesGolden("cancelled-install", events.slice(before), workspace.replace(/\/workspace$/, ""));
  });
});
