/** Threads of a sandbox, as the host's thread sees them start and end. */

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startAhead } from "../../../../host/platform/threads/worker-thread.ts";
import { createWorkerLauncher } from "../../../../host/platform/threads/workers.ts";
import { CONTROL_BYTES } from "../../../../sandbox/wire/protocol.ts";

const isDeno = "Deno" in globalThis;
const canCount = process.platform === "linux";
const threads = (): number => readdirSync("/proc/self/task").length;

describe("createWorkerLauncher()", () => {
  const launcher = createWorkerLauncher();
  const start = () => launcher.start({ control: new SharedArrayBuffer(CONTROL_BYTES) });

  // Deno blocks the thread that starts another until the new one has its engine. So without the starter all threads would exist when
  // `start` returns.
  it.skipIf(!isDeno || !canCount)("starts workers on another thread on Deno and does not wait for it [LV1.worker-starts]", async () => {
    const first = start();
    const second = start();
    const before = threads();
    const more = Array.from({ length: 8 }, start);
    expect(threads()).toBeLessThan(before + more.length);
    for (const worker of [first, second, ...more]) worker.keepAlive(true);
    await expect.poll(threads, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + more.length);
    await Promise.all([first, second, ...more].map((worker) => worker.terminate()));
    await expect.poll(threads, { timeout: 30_000 }).toBeLessThanOrEqual(before);
  });

  it.skipIf(isDeno || !canCount)("uses the thread that was started ahead, once [DI5.ahead]", async () => {
    const before = threads();
    startAhead({});
    const ahead = threads();
    expect(ahead).toBeGreaterThan(before);
    const first = start();
    expect(threads()).toBe(ahead);
    const second = start();
    expect(threads()).toBeGreaterThan(ahead);
    await Promise.all([first, second].map((worker) => worker.terminate()));
    await expect.poll(threads, { timeout: 30_000 }).toBe(before);
  });

  it("reports the end of a worker once, also before it began [B10.worker]", async () => {
    const ends: string[] = [];
    const workers = [start(), start(), start()];
    for (const worker of workers) worker.onExit((reason) => ends.push(reason));
    await Promise.all(workers.map((worker) => worker.terminate()));
    await Promise.all(workers.map((worker) => worker.terminate()));
    await expect.poll(() => ends).toEqual(Array.from({ length: 3 }, () => "the thread ended"));
  });
});
