import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEarly } from "../../../host/platform/workers.ts";
import { startSandbox } from "../../support/sandbox.ts";

/** The threads that this process starts from now on. */
function watchThreads(): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return threads;
}

// Deno tells of no thread that it starts, and the command line starts none early there.
describe.skipIf("Deno" in globalThis)("startEarly()", () => {
  it("starts the thread that the first sandbox of the process then takes, and one only", async () => {
    const threads = watchThreads();
    startEarly();
    startEarly();
    await expect.poll(() => threads.length).toBe(1);
    await using box = startSandbox();
    expect(threads).toHaveLength(1);
    expect(await box.load("p", "export const one = () => 1;", ["one"])).toMatchObject({ ok: true });
    expect(await box.call("p", "one")).toMatchObject({ ok: true, output: { o: 1 } });
    await using second = startSandbox();
    expect(await second.load("p", "export const one = () => 2;", ["one"])).toMatchObject({ ok: true });
    expect(await second.call("p", "one")).toMatchObject({ ok: true, output: { o: 2 } });
    expect([box.defects, second.defects]).toEqual([[], []]);
  });

  it("is forgotten if it ended before anybody wanted it", async () => {
    const threads = watchThreads();
    startEarly();
    await expect.poll(() => threads.length).toBe(1);
    const [thread] = threads;
    expect(thread).toBeDefined();
    const ended = thread && once(thread, "exit");
    await thread?.terminate();
    await ended;
    await using box = startSandbox();
    expect(await box.load("p", "export const one = () => 1;", ["one"])).toMatchObject({ ok: true });
    expect(await box.call("p", "one")).toMatchObject({ ok: true, output: { o: 1 } });
  });
});
