import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot } from "./live-root.ts";

describe("a plugin that is deleted while it is loaded", () => {
  it("does not come back when its loading ends [H9]", async () => {
    const world = await liveRoot({});
    await world.write(pluginFiles("a", "// slow"));
    await expect.poll(() => world.sandbox.loads, DEADLINE).toEqual(["a"]);
    await rm(join(world.root, "a"), { recursive: true });
    world.sandbox.release();
    // Looks at the disk, whether or not the watcher has reported the removal.
    await world.directory.reloadChanged();
    expect(world.directory.status()).toEqual([]);
    expect({ images: world.sandbox.images.size, tools: world.registry.snapshot().tools }).toEqual({ images: 0, tools: [] });
  });

  it("is served in its newest version if it changed while an older one was loaded [H4]", async () => {
    const world = await liveRoot(pluginFiles("a", "one"));
    await world.write({ "a/main.ts": "two // slow" });
    await expect.poll(() => world.sandbox.loads, DEADLINE).toEqual(["a", "a"]);
    await world.write({ "a/main.ts": "three" });
    world.sandbox.release();
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("three");
    await world.directory.idle();
    expect(world.sandbox.images.size).toBe(1);
  });

  it("does not delay other changed plugins [H3.serial]", async () => {
    const world = await liveRoot({ ...pluginFiles("a", "one"), ...pluginFiles("b", "one") });
    await world.write({ "a/main.ts": "two // slow" });
    await expect.poll(() => world.sandbox.loads.length, DEADLINE).toBe(3);
    await world.write({ "b/main.ts": "two" });
    await expect.poll(() => world.code("b_run"), DEADLINE).toBe("two");
    expect(world.code("a_run")).toBe("one");
  });

  it("takes its dependents along if it is deleted while they load [M7]", async () => {
    const world = await liveRoot(pluginFiles("base"));
    await world.write({ "top/manifest.json": manifest("top", { dependencies: { base: "*" } }), "top/main.ts": "// slow" });
    await expect.poll(() => world.sandbox.loads, DEADLINE).toEqual(["base", "top"]);
    await rm(join(world.root, "base"), { recursive: true });
    await expect.poll(() => world.callable("base_run"), DEADLINE).toBeUndefined();
    world.sandbox.release();
    await expect.poll(() => world.callable("top_run"), DEADLINE).toMatch(/Needs plugin "base" \*, which is not installed/);
    await world.directory.idle();
    expect(world.told()).not.toContain("plugin.loaded top");
    expect(world.sandbox.images.size).toBe(0);
  });
});
