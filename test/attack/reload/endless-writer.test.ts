import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot } from "./live-root.ts";

describe("a folder that is written without end", () => {
  it("keeps its last good version, delays no other, is reported once, and is reloaded when it rests [H3.debounce]", async () => {
    // The window is so long that no stall of the machine counts as rest.
    const env = await liveRoot(
      { ...pluginFiles("noisy", "one"), ...pluginFiles("calm", "one") },
      { quietMs: 400, goneMs: 500, graceMs: 600 },
    );
    let writing = true;
    onTestFinished(() => void (writing = false));
    const writer = (async () => {
      for (let line = 0; writing; line++) await writeFile(join(env.root, "noisy/log.txt"), `line ${line}\n`);
    })();
    await env.write({ "noisy/main.ts": "two" });
    for (const version of ["two", "three", "four"]) {
      await env.write({ "calm/main.ts": version });
      await expect.poll(() => env.code("calm_run"), DEADLINE).toBe(version);
    }
    await expect.poll(() => env.log.filter((line) => line.includes("keeps changing")).length, DEADLINE).toBe(1);
    expect(env.code("noisy_run")).toBe("one");
    writing = false;
    await writer;
    await expect.poll(() => env.code("noisy_run"), DEADLINE).toBe("two");
    expect(env.told().filter((line) => line.startsWith("plugin.failed"))).toEqual([]);
  });
});
