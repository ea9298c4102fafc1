/** Programs that start many others, and callers that start many programs. */

import { describe, expect, it } from "vitest";
import { processesWith } from "../../support/real-programs.ts";
import { outputOf, shellHost } from "../../support/shell-host.ts";

describe.skipIf(process.platform !== "linux")("many processes", () => {
  it("of one program end with it, whether it exited or was killed [T3.group]", async () => {
    const fork = `mark=$1; n=0; while [ $n -lt 40 ]; do (trap '' TERM HUP; exec sleep "$mark") & n=$((n+1)); done; echo started; [ "$2" = stay ] && wait; exit 0`;
    await using shell = await shellHost({ scripts: { fork } });
    const mark = `9${process.pid}.5`;
    expect(outputOf(await shell.host.call("shell", { command: "fork", args: [mark] })).stdout).toBe("started\n");
    await expect.poll(() => processesWith(mark), { timeout: 10_000 }).toEqual([]);
    const stop = new AbortController();
    const running = shell.host.call(
      "shell",
      { command: "fork", args: [mark, "stay"] },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(await running).toMatchObject({ error: { code: "cancelled" } });
    await expect.poll(() => processesWith(mark), { timeout: 10_000 }).toEqual([]);
  });

  it("of many sessions are bounded [G2.processes]", async () => {
    await using shell = await shellHost({ scripts: { stay: "exec sleep 600" } });
    const { host } = shell;
    const stop = new AbortController();
    const sessions = Array.from({ length: 10 }, () => host.session());
    const calls = sessions.flatMap((session) =>
      Array.from({ length: 4 }, () => host.call("shell", { command: "stay" }, { session, signal: stop.signal })),
    );
    const overloaded = (await Promise.all(calls.map((call) => Promise.race([call, pause()])))).filter((result) => result !== undefined);
    expect(overloaded.map((result) => !result.ok && result.error.code)).toEqual(Array.from({ length: 8 }, () => "overloaded"));
    stop.abort();
    await Promise.all(calls);

    /** Waits until as many as allowed have started, and the others were refused. */
    async function pause(): Promise<undefined> {
      await expect.poll(() => shell.events.filter(({ type }) => type === "tool.failed").length, { timeout: 15_000 }).toBe(8);
      return undefined;
    }
  });
});
