import { unpackRequest } from "../../../sandbox/wire/wire.ts";
import { describe, expect, it } from "vitest";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { createSandbox, type PluginSource } from "../../../sandbox/mod.ts";
import { createPluginCache } from "../../../sandbox/pool/plugin-cache.ts";
import type { WorkerLauncher } from "../../../sandbox/wire/port.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { baseImage, loadInThread, meteredModule } from "../../support/in-thread.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";

const SOURCE: PluginSource = {
  name: "p",
  digest: "p",
  files: new Map([["main.js", new TextEncoder().encode("let n = 0; export function run() { return ++n; }")]]),
  modules: new Map([["main.js", ["run"]]]),
  memoryBytes: DEFAULT_LIMITS.memoryBytes,
  loadMs: 5_000,
};

function memoryCache(zone = "UTC") {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    timeZone: () => zone,
    runtime: "node 24",
    readCache: (name: string) => Promise.resolve(files.get(name)),
    writeCache: (name: string, bytes: Uint8Array) => Promise.resolve(files.set(name, bytes).size > 0),
  };
}

describe("the plugin cache", async () => {
  const base = await baseImage(meteredModule);
  const WARNING = { source: "Date.now()", file: "main.js", line: 1, column: 2 };
  const { image } = await loadInThread("let n = 0; export function run() { return ++n; }", trackedRestore, { module: meteredModule });

  it("finds a stored image, byte for byte, with the warnings of its load [B9.image] [AX6.warnings]", async () => {
    const cache = createPluginCache(memoryCache(), () => base);
    expect(await cache.find(SOURCE)).toBeUndefined();
    await cache.keep(SOURCE, { image, warnings: [WARNING] });
    const found = await cache.find({ ...SOURCE, digest: "another name for the same bytes" });
    expect(found?.image.heapEnd).toBe(image.heapEnd);
    expect(found?.warnings).toEqual([WARNING]);
    expect(Buffer.compare(new Uint8Array(found?.image.pages ?? new ArrayBuffer(0)), new Uint8Array(image.pages))).toBe(0);
  });

  it("finds nothing for other bytes, files, tools, time zones or runtimes [B9.image]", async () => {
    const files = memoryCache();
    const cache = createPluginCache(files, () => base);
    await cache.keep(SOURCE, { image, warnings: [WARNING] });
    const bytes = new TextEncoder().encode("export function run() {}");
    expect(await cache.find({ ...SOURCE, files: new Map([["main.js", bytes]]) })).toBeUndefined();
    expect(await cache.find({ ...SOURCE, files: new Map([...SOURCE.files, ["b.js", bytes]]) })).toBeUndefined();
    expect(await cache.find({ ...SOURCE, modules: new Map([["main.js", ["run", "missing"]]]) })).toBeUndefined();
    expect(await createPluginCache({ ...files, runtime: "deno 2" }, () => base).find(SOURCE)).toBeUndefined();
    expect(await createPluginCache({ ...files, timeZone: () => "Asia/Tokyo" }, () => base).find(SOURCE)).toBeUndefined();
    expect(await createPluginCache(files, () => undefined).find(SOURCE)).toBeUndefined();
  });

  it("ignores a damaged file, and an image that exceeds the plugin's memory limit", async () => {
    const launcher = memoryCache();
    const cache = createPluginCache(launcher, () => base);
    await cache.keep(SOURCE, { image, warnings: [WARNING] });
    expect(await cache.find({ ...SOURCE, memoryBytes: 1 << 20 })).toBeUndefined();
    for (const [name, file] of launcher.files) launcher.files.set(name, file.with(100, (file[100] ?? 0) ^ 1));
    expect(await cache.find(SOURCE)).toBeUndefined();
  });

  it("does not store an image that is slow to hash, and continues after a failed write", async () => {
    const launcher = memoryCache();
    const pages = new SharedArrayBuffer(65_536 * 260);
    await createPluginCache(launcher, () => base).keep(SOURCE, { image: { pages, heapEnd: 1 }, warnings: [] });
    expect(launcher.files.size).toBe(0);
    let isFull = true;
    const failing = {
      ...launcher,
      writeCache: (name: string, bytes: Uint8Array) => (isFull ? Promise.reject(new Error("Disk full")) : launcher.writeCache(name, bytes)),
    };
    const cache = createPluginCache(failing, () => base);
    await expect(cache.keep(SOURCE, { image, warnings: [WARNING] })).rejects.toThrow("Disk full");
    isFull = false;
    await cache.keep(SOURCE, { image, warnings: [WARNING] });
    expect(await cache.find(SOURCE)).toBeDefined();
  });

  it("avoids all loading on a second start, and calls still start with fresh state [B2] [B9.image]", async () => {
    const files = memoryCache();
    const seen: string[][] = [];
    for (let start = 0; start < 2; start++) {
      const requests: string[] = [];
      seen.push(requests);
      const sandbox = createSandbox(noting({ ...createWorkerLauncher(), ...files }, requests), { maximumWorkers: 1 });
      expect((await sandbox.load(SOURCE)).ok).toBe(true);
      for (let call = 0; call < 2; call++) expect((await sandbox.invoke(INVOCATION)).ok).toBe(true);
      await sandbox.close();
    }
    expect(seen[0]).toContain("load");
    expect(seen[1]).not.toContain("load");
    expect(seen[1]?.filter((type) => type === "call")).toHaveLength(2);
  });
});

function noting(launcher: WorkerLauncher, requests: string[]): WorkerLauncher {
  return {
    ...launcher,
    start(init) {
      const connection = launcher.start(init);
      const post: typeof connection.post = (envelope, moved) => {
        requests.push(...envelope.map((packed) => unpackRequest(packed).type));
        connection.post(envelope, moved);
      };
      return { ...connection, post };
    },
  };
}
