import { describe, expect, it } from "vitest";
import { LARGE_BYTES, WORN_AFTER_BYTES } from "../../../sandbox/pool/worker-set.ts";
import { partsOf } from "../../../sandbox/engine/image.ts";
import { createSandbox } from "../../../sandbox/mod.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { REST_MS } from "../../../sandbox/pool/pool.ts";
import { claim, type Control, CURRENT, openControl, TAKEN_KB } from "../../../sandbox/wire/protocol.ts";
import {
  EMPTY_BASE,
  EMPTY_IMAGE,
  INVOCATION,
  NOTHING_USED,
  PLUGIN,
  type ScriptedWorker,
  scriptedWorkers,
} from "../../support/scripted-worker.ts";

const PAGES = WORN_AFTER_BYTES / 4 / 256;

function largeImage(): { readonly pages: SharedArrayBuffer; readonly heapEnd: number } {
  const pages = new SharedArrayBuffer(PAGES * (4 + 256));
  partsOf({ pages }).numbers.set(Array.from({ length: PAGES }, (_, page) => page));
  return { pages, heapEnd: PAGES * 256 };
}

describe("the worker set", () => {
  it("starts a worker and the spare only for a job if no worker is to be warm [DI5.workers]", async () => {
    const { launcher, workers, advance } = scriptedWorkers();
    const sandbox = createSandbox(launcher, { maximumWorkers: 2, engine: "plain", warmWorkers: "none" });
    advance(1_000);
    expect(workers).toEqual([]);
    const first = sandbox.load(PLUGIN);
    await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("load");
    advance(1_000);
    expect(workers.length).toBe(1);
    const second = sandbox.load({ ...PLUGIN, name: "q", digest: "q" });
    await expect.poll(() => workers[0]?.requests.filter(({ type }) => type === "load").length).toBe(2);
    workers[0]?.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    workers[0]?.say({ type: "loaded", number: 2, image: EMPTY_IMAGE });
    expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }]);
    await sandbox.close();
  });

  it("starts a spare that a job wants if only the first worker is to be warm [DI5.workers]", async () => {
    const { launcher, workers, advance } = scriptedWorkers();
    const isIsolated = (name: string): boolean => name === "apart";
    const sandbox = createSandbox(launcher, { maximumWorkers: 2, engine: "plain", warmWorkers: "first", isIsolated });
    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("load");
    workers[0]?.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    await loading;
    advance(1_000);
    expect(workers.length).toBe(1);
    const apart = sandbox.load({ ...PLUGIN, name: "apart", digest: "apart" });
    await expect
      .poll(() => {
        advance(200);
        return workers[1]?.requests.at(-1)?.type;
      })
      .toBe("load");
    workers[1]?.say({ type: "loaded", number: 2, image: EMPTY_IMAGE });
    expect(await apart).toMatchObject({ ok: true });
    await sandbox.close();
  });

  it("ends an idle worker that dropped many images, once another is ready [H4.memory]", async () => {
    const { launcher, workers, advance } = scriptedWorkers();
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    const [first] = workers;
    if (first === undefined) throw new Error("No worker was started");
    const image = largeImage();
    let number = 0;
    for (let version = 1; version <= 4; version++) {
      const loading = sandbox.load({ ...PLUGIN, digest: `v${version}` });
      await expect.poll(() => first.requests.filter(({ type }) => type === "load").length).toBe(version);
      first.say({ type: "loaded", number: ++number, image });
      await loading;
      if (version > 1) sandbox.unload(`v${version - 1}`);
    }
    expect(first.ended).toBe(false);
    advance(200);
    await expect.poll(() => workers.length).toBe(2);
    const call = sandbox.invoke({ ...INVOCATION, digest: "v4" });
    sandbox.unload("v4");
    expect(first.ended).toBe(false);
    first.say({ type: "done", number: ++number, output: '{"o":1}', used: NOTHING_USED, lines: [] });
    expect(await call).toMatchObject({ ok: true });
    await expect.poll(() => first.ended).toBe(true);
    const loading = sandbox.load({ ...PLUGIN, digest: "v5" });
    await expect.poll(() => workers[1]?.requests.at(-1)?.type).toBe("load");
    workers[1]?.say({ type: "loaded", number: ++number, image });
    expect(await loading).toMatchObject({ ok: true });
    await sandbox.close();
  });

  it("ends idle workers after a burst of calls: all but one, and that one too if it is large [LV5.rest]", async () => {
    const { launcher, workers, advance } = scriptedWorkers();
    const sandbox = createSandbox(launcher, { maximumWorkers: 3, engine: "plain" });
    for (const [index, digest] of ["p", "q"].entries()) {
      const loading = sandbox.load({ ...PLUGIN, digest });
      (await nextWith(workers, 0, index + 1)).say({ type: "loaded", number: index + 1, image: EMPTY_IMAGE });
      await loading;
    }
    advance(200);
    await expect.poll(() => workers.length).toBe(2);
    const calls = [sandbox.invoke({ ...INVOCATION, digest: "p" }), sandbox.invoke({ ...INVOCATION, digest: "q" })];
    await expect.poll(() => workers.length).toBe(3);
    const endOf = (): readonly boolean[] => workers.map(({ ended }) => ended);
    const finish = (worker: number, number: number): void =>
      workers[worker]?.say({ type: "done", number, output: '{"o":1}', used: NOTHING_USED, lines: [] });
    begin(workers, 0);
    take(workers, 0, LARGE_BYTES);
    take(workers, 1, LARGE_BYTES - 1024);
    finish(1, 4);
    expect(await calls[1]).toMatchObject({ ok: true });
    // The first has a waiting call, the second is one too many, the third is the spare.
    advance(2 * REST_MS);
    expect(endOf()).toEqual([false, true, false]);
    finish(0, 3);
    expect(await calls[0]).toMatchObject({ ok: true });
    advance(REST_MS - 1);
    expect(endOf()).toEqual([false, true, false]);
    advance(REST_MS + 1);
    expect(endOf()).toEqual([true, true, false, false]);
    await expect.poll(() => workers[3]?.requests.length).toBe(1);
    // The spare took its place. It is small, so it stays and takes the next call.
    advance(10 * REST_MS);
    expect(endOf()).toEqual([true, true, false, false]);
    const call = sandbox.invoke({ ...INVOCATION, digest: "p" });
    await expect.poll(() => workers[2]?.requests.map(({ type }) => type)).toEqual(["boot", "image", "call"]);
    finish(2, 5);
    expect(await call).toMatchObject({ ok: true });
    await sandbox.close();
  });

  it("learns from each worker the memory of its instances, including loads and dropped instances [LV5.told]", async () => {
    const launcher = createWorkerLauncher();
    const controls: Control[] = [];
    const start: typeof launcher.start = (init) => {
      controls.push(openControl(init.control));
      return launcher.start(init);
    };
    const sandbox = createSandbox({ ...launcher, start }, { maximumWorkers: 1 });
    const takenMib = (): number => Atomics.load(controls[0]?.words ?? new Int32Array(TAKEN_KB + 1), TAKEN_KB) / 1024;
    // Unique, because with an image in the cache there would be no load.
    const source = `// ${crypto.randomUUID()}
      const kept = new Uint8Array(4 << 20); export function run() { return new Uint8Array(48 << 20).fill(kept.length).length; }`;
    const files = new Map([["main.js", new TextEncoder().encode(source)]]);
    const modules = new Map([["main.js", ["run"]]]);
    const loaded = await sandbox.load({ ...PLUGIN, files, modules, memoryBytes: DEFAULT_LIMITS.memoryBytes, loadMs: 60_000 });
    expect(loaded).toMatchObject({ ok: true });
    await expect.poll(takenMib).toBe(8);
    expect(await sandbox.invoke(INVOCATION)).toMatchObject({ ok: true });
    await expect.poll(takenMib).toBeGreaterThan(8 + 48);
    await sandbox.close();
  });

  it("ends a worker that does not start, in the host's own time: not one that starves as the host does [B10.starved]", async () => {
    const { launcher, workers, advance, starve } = scriptedWorkers({ isReady: false });
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => workers[0]?.requests.length).toBe(1);
    for (let time = 0; time < 1_000; time++) starve(100);
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
    advance(5_000 - 5);
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
    advance(10);
    expect(workers.map(({ ended }) => ended)).toEqual([true, false]);
    workers[1]?.say({ type: "ready", base: EMPTY_BASE });
    const second = await nextWith(workers, 1, 1);
    second.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    expect(await loading).toMatchObject({ ok: true });
    await sandbox.close();
  });

  it("loads a plugin again after its worker ended by itself, but not forever [B10.load]", async () => {
    const { launcher, workers } = scriptedWorkers();
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    const unlucky = sandbox.load(PLUGIN);
    await crash(workers, 0, 1);
    const second = await nextWith(workers, 1, 1);
    second.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    expect(await unlucky).toMatchObject({ ok: true });

    const deadly = sandbox.load({ ...PLUGIN, digest: "q" });
    for (const worker of [1, 2, 3]) await crash(workers, worker, 2);
    expect(await deadly).toEqual({ ok: false, fault: { kind: "trap", message: "the thread ended" } });
    expect(workers.flatMap(({ requests }) => requests.filter(({ type }) => type === "load"))).toHaveLength(5);
    await sandbox.close();
  });
});

/** Marks all calls of a worker as started. */
function begin(workers: readonly ScriptedWorker[], index: number): void {
  const worker = workers[index];
  for (const request of worker?.requests ?? []) if (worker !== undefined && request.type === "call") claim(worker.control, request.ticket);
}

/** Sets the memory that a worker's instances have used. */
function take(workers: readonly ScriptedWorker[], index: number, bytes: number): void {
  const worker = workers[index];
  if (worker !== undefined) Atomics.store(worker.control.words, TAKEN_KB, bytes / 1024);
}

/** Ends a worker during a load, when it is unknown whether the guest is to blame. */
async function crash(workers: readonly ScriptedWorker[], index: number, number: number): Promise<void> {
  const worker = await nextWith(workers, index, number);
  Atomics.store(worker.control.words, CURRENT, number);
  worker.exit("the thread ended");
}

/** Waits for the worker with the given index and the load sent to it. */
async function nextWith(workers: readonly ScriptedWorker[], index: number, number: number): Promise<ScriptedWorker> {
  const isSent = (worker: ScriptedWorker | undefined): boolean =>
    worker?.requests.some((request) => request.type === "load" && request.number === number) ?? false;
  await expect.poll(() => isSent(workers[index]), { timeout: 15_000 }).toBe(true);
  const worker = workers[index];
  if (worker === undefined) throw new Error("The worker is missing");
  return worker;
}
