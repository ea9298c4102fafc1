import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot, PATIENT, pause } from "./live-root.ts";

describe("a plugin that flips back and forth", () => {
  it("serves one of its versions at every moment, ends at the last, and keeps no other [H4] [H9]", async () => {
    const env = await liveRoot(pluginFiles("a", "A"), PATIENT);
    const observed = env.observe("a_run");
    for (let flip = 0; flip < 400; flip++) {
      await writeFile(join(env.root, "a/main.ts"), flip % 2 === 0 ? "B" : "A");
      if (flip % 40 === 0) await pause(35);
    }
    await env.write({ "a/main.ts": "last" });
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("last");
    await env.directory.idle();
    const answers = observed.stop();
    expect(answers.filter((answer) => answer !== "A" && answer !== "B")).toEqual(["last"]);
    expect(env.sandbox.images.size).toBe(1);
    // Bursts are debounced: far fewer reloads than writes.
    expect(env.sandbox.loads.length).toBeLessThan(100);
  });

  it("between good and broken never loses its last good version [H5]", async () => {
    const env = await liveRoot(pluginFiles("a", "good"));
    const observed = env.observe("a_run");
    for (let flip = 0; flip < 12; flip++) {
      await env.write(flip % 2 === 0 ? { "a/main.ts": "broken(" } : { "a/manifest.json": "{" });
      await pause(40);
      await env.write({ "a/main.ts": `good ${flip}`, "a/manifest.json": manifest("a") });
      await pause(40);
    }
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("good 11");
    await env.directory.idle();
    expect(observed.stop().every((answer) => answer?.startsWith("good"))).toBe(true);
    expect(env.directory.status()).toMatchObject([{ state: "loaded", lastGood: false }]);
    expect(env.sandbox.images.size).toBe(1);
  });

  it("between present and deleted settles on its final state [H9]", async () => {
    const env = await liveRoot({});
    for (let flip = 0; flip < 30; flip++) {
      await env.write(pluginFiles("a", `code ${flip}`));
      await pause(flip % 3 === 0 ? 60 : 0);
      await rm(join(env.root, "a"), { recursive: true });
      await pause(flip % 5 === 0 ? 200 : 0);
    }
    await expect.poll(() => env.directory.status(), DEADLINE).toEqual([]);
    await env.directory.idle();
    expect({ images: env.sandbox.images.size, tools: env.registry.snapshot().tools }).toEqual({ images: 0, tools: [] });
    // Every loaded version was removed again.
    const told = env.told();
    expect(told.filter((line) => line === "plugin.loaded a")).toHaveLength(told.filter((line) => line === "plugin.removed a").length);
  });

  it("between two names of its folder keeps one image and one owner [H9.rename]", async () => {
    const env = await liveRoot(pluginFiles("a", "code"));
    for (let flip = 0; flip < 31; flip++) {
      const [from, to] = flip % 2 === 0 ? ["a", "b"] : ["b", "a"];
      await rename(join(env.root, from ?? ""), join(env.root, to ?? ""));
      await pause(flip % 4 === 0 ? 50 : 0);
    }
    await expect.poll(() => env.directory.status().map(({ folder, state }) => `${folder} ${state}`), DEADLINE).toEqual(["b loaded"]);
    expect(env.callable("a_run")).toMatchObject({ directory: join(env.root, "b") });
    expect(env.sandbox.images.size).toBe(1);
  });
});
