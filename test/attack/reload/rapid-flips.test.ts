import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot, PATIENT, pause } from "./live-root.ts";

describe("a plugin that flips back and forth", () => {
  it("serves one of its versions at every moment, ends at the last, and keeps no other [H4] [H9]", async () => {
    const world = await liveRoot(pluginFiles("a", "A"), PATIENT);
    const observed = world.observe("a_run");
    for (let flip = 0; flip < 400; flip++) {
      await writeFile(join(world.root, "a/main.ts"), flip % 2 === 0 ? "B" : "A");
      if (flip % 40 === 0) await pause(35);
    }
    await world.write({ "a/main.ts": "last" });
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("last");
    await world.directory.idle();
    const answers = observed.stop();
    expect(answers.filter((answer) => answer !== "A" && answer !== "B")).toEqual(["last"]);
    expect(world.sandbox.images.size).toBe(1);
    // Bursts are debounced: far fewer reloads than writes.
    expect(world.sandbox.loads.length).toBeLessThan(100);
  });

  it("between good and broken never loses its last good version [H5]", async () => {
    const world = await liveRoot(pluginFiles("a", "good"));
    const observed = world.observe("a_run");
    for (let flip = 0; flip < 12; flip++) {
      await world.write(flip % 2 === 0 ? { "a/main.ts": "broken(" } : { "a/manifest.json": "{" });
      await pause(40);
      await world.write({ "a/main.ts": `good ${flip}`, "a/manifest.json": manifest("a") });
      await pause(40);
    }
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("good 11");
    await world.directory.idle();
    expect(observed.stop().every((answer) => answer?.startsWith("good"))).toBe(true);
    expect(world.directory.status()).toMatchObject([{ state: "loaded", lastGood: false }]);
    expect(world.sandbox.images.size).toBe(1);
  });

  it("between present and deleted settles on its final state [H9]", async () => {
    const world = await liveRoot({});
    for (let flip = 0; flip < 30; flip++) {
      await world.write(pluginFiles("a", `code ${flip}`));
      await pause(flip % 3 === 0 ? 60 : 0);
      await rm(join(world.root, "a"), { recursive: true });
      await pause(flip % 5 === 0 ? 200 : 0);
    }
    await expect.poll(() => world.directory.status(), DEADLINE).toEqual([]);
    await world.directory.idle();
    expect({ images: world.sandbox.images.size, tools: world.registry.snapshot().tools }).toEqual({ images: 0, tools: [] });
    // Every loaded version was removed again.
    const told = world.told();
    expect(told.filter((line) => line === "plugin.loaded a")).toHaveLength(told.filter((line) => line === "plugin.removed a").length);
  });

  it("between two names of its folder keeps one image and one owner [H9.rename]", async () => {
    const world = await liveRoot(pluginFiles("a", "code"));
    for (let flip = 0; flip < 31; flip++) {
      const [from, to] = flip % 2 === 0 ? ["a", "b"] : ["b", "a"];
      await rename(join(world.root, from ?? ""), join(world.root, to ?? ""));
      await pause(flip % 4 === 0 ? 50 : 0);
    }
    await expect.poll(() => world.directory.status().map(({ folder, state }) => `${folder} ${state}`), DEADLINE).toEqual(["b loaded"]);
    expect(world.callable("a_run")).toMatchObject({ directory: join(world.root, "b") });
    expect(world.sandbox.images.size).toBe(1);
  });
});
