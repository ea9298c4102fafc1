import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadEngine, METERED_ENGINE } from "../../../sandbox/pool/engine-build.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { engineBytes } from "../../support/in-thread.ts";

function testLauncher(engine: Uint8Array = engineBytes) {
  const files = new Map<string, Uint8Array>();
  const log: string[] = [];
  return {
    files,
    log,
    readEngine: () => Promise.resolve(engine),
    readCache(name: string) {
      log.push(files.has(name) ? "hit" : "miss");
      return Promise.resolve(files.get(name));
    },
    writeCache(name: string, bytes: Uint8Array) {
      log.push("write");
      files.set(name, bytes);
      return Promise.resolve(true);
    },
  };
}

describe("loadEngine()", () => {
  it("names and checks the cached engine alike, whichever thread hashes [DI5.cold-start]", async () => {
    const launcher = testLauncher();
    const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
    const first = await loadEngine(launcher, "metered", expect.unreachable);
    expect(Buffer.compare(await loadEngine({ ...launcher, sha256 }, "metered", expect.unreachable), first)).toBe(0);
    expect(launcher.log).toEqual(["miss", "write", "hit"]);
  });

  it("rewrites the engine once and then loads it from the cache", async () => {
    const launcher = testLauncher();
    const defects: string[] = [];
    const expected = rewriteEngine(engineBytes, METERED_ENGINE);
    for (let start = 0; start < 2; start++) {
      const engine = await loadEngine(launcher, "metered", (message) => defects.push(message));
      expect(Buffer.compare(engine, expected)).toBe(0);
    }
    expect(launcher.log).toEqual(["miss", "write", "hit"]);
    expect(defects).toEqual([]);
  });

  it("rewrites the engine again if the file is damaged, and reports it", async () => {
    const launcher = testLauncher();
    const first = await loadEngine(launcher, "metered", () => {});
    for (const file of launcher.files.values()) file[1_000] = (file[1_000] ?? 0) ^ 1;
    const defects: string[] = [];
    expect(Buffer.compare(await loadEngine(launcher, "metered", (message) => defects.push(message)), first)).toBe(0);
    expect(defects).toEqual([expect.stringMatching(/^The cached engine [0-9a-f]{64} is damaged; rewriting it again$/)]);
  });

  it("returns the published engine on request", async () => {
    const launcher = testLauncher();
    expect(await loadEngine(launcher, "plain", () => {})).toBe(engineBytes);
    expect(launcher.log).toEqual([]);
  });

  it("runs an unknown engine as published, and reports it", async () => {
    const unknown = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const defects: string[] = [];
    expect(await loadEngine(testLauncher(unknown), "metered", (message) => defects.push(message))).toBe(unknown);
    expect(defects).toEqual(["Cannot rewrite the engine (The module must import its memory and have no other); it runs without a meter"]);
  });
});
