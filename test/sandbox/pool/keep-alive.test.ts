import { describe, expect, it } from "vitest";
import { createSandbox } from "../../../sandbox/mod.ts";
import { CURRENT, ENTERED_AT } from "../../../sandbox/wire/protocol.ts";
import { EMPTY_BASE, EMPTY_IMAGE, INVOCATION, NOTHING_USED, PLUGIN, scriptedWorkers } from "../../support/scripted-worker.ts";

describe("a process with a sandbox", () => {
  it("stays alive for a call that waits for a worker, and no longer", async () => {
    const { launcher, workers } = scriptedWorkers({ isReady: false });
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    const [worker] = workers;
    if (worker === undefined) throw new Error("No worker was started");
    await expect.poll(() => worker.requests.length).toBe(1);
    expect(worker.alive).toBe(true);
    worker.say({ type: "ready", base: EMPTY_BASE });
    expect(worker.alive).toBe(false);

    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => worker.requests.at(-1)?.type).toBe("load");
    worker.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    await loading;
    const first = sandbox.invoke(INVOCATION);
    expect(worker.alive).toBe(true);
    // The first call is answered, but its guest still holds the thread.
    worker.control.times[ENTERED_AT] = 900;
    Atomics.store(worker.control.words, CURRENT, 2);
    worker.say({ type: "done", number: 2, output: '{"o":1}', used: NOTHING_USED, lines: [] });
    await first;
    expect(worker.alive).toBe(false);

    const second = sandbox.invoke(INVOCATION);
    expect(worker.requests.filter(({ type }) => type === "call").length).toBe(1);
    expect(worker.alive).toBe(true);
    await sandbox.close();
    expect(await second).toMatchObject({ ok: false, fault: { kind: "cancelled" } });
  });
});
