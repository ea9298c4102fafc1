import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot, PATIENT, pause } from "./live-root.ts";

/** Writes a file in pieces with pauses, as slow editors, downloads and network file systems do. */
async function writeSlowly(path: string, text: string, pieces: number, pauseMs: number): Promise<void> {
  await using file = await open(path, "w");
  const size = Math.ceil(text.length / pieces);
  for (let at = 0; at < text.length; at += size) {
    await file.write(text.slice(at, at + size));
    await pause(pauseMs);
  }
}

describe("files that are written in pieces", () => {
  it.each([
    ["a pause shorter than the quiet window", 10],
    ["a pause longer than the quiet window", 60],
  ])("are never served half, nor reported as failures, with %s [H3.half-written]", async (_what, pauseMs) => {
    const env = await liveRoot(pluginFiles("a", "version 0"), PATIENT);
    const observed = env.observe("a_run");
    for (let version = 1; version <= 5; version++) {
      const code = `version ${version}\n${`// ${"x".repeat(60)}\n`.repeat(20)}`;
      await Promise.all([
        // Half a manifest is not valid JSON; half the code is other code.
        writeSlowly(join(env.root, "a/manifest.json"), manifest("a", { version: `1.0.${version}` }), 4, pauseMs),
        writeSlowly(join(env.root, "a/main.ts"), code, 4, pauseMs),
      ]);
      await expect.poll(() => env.code("a_run"), DEADLINE).toBe(code);
    }
    await env.directory.idle();
    expect(observed.stop()).not.toContain(undefined);
    expect(env.told().filter((line) => line === "plugin.failed a" || line === "plugin.removed a")).toEqual([]);
  });

  it("are waited for in a new plugin whose files arrive one by one [H3.half-written]", async () => {
    const env = await liveRoot({}, PATIENT);
    for (const [path, text] of Object.entries({ ...pluginFiles("a", "code"), "a/lib/one.ts": "", "a/lib/two.ts": "" })) {
      await env.write({ [path]: text });
      await pause(20);
    }
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("code");
    await env.directory.idle();
    expect(env.told().filter((line) => line.startsWith("plugin.failed"))).toEqual([]);
  });
});
