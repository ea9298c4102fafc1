import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot } from "./live-root.ts";

describe("a plugin that is deleted while it is loaded", () => {
  it("does not come back when its loading ends [H9]", async () => {
    const env = await liveRoot({});
    await env.write(pluginFiles("a", "// slow"));
    await expect.poll(() => env.sandbox.loads, DEADLINE).toEqual(["a"]);
    await rm(join(env.root, "a"), { recursive: true });
    env.sandbox.release();
    // Looks at the disk, whether or not the watcher has reported the removal.
    await env.directory.reloadChanged();
    expect(env.directory.status()).toEqual([]);
    expect({ images: env.sandbox.images.size, tools: env.registry.snapshot().tools }).toEqual({ images: 0, tools: [] });
  });

  it("is served in its newest version if it changed while an older one was loaded [H4]", async () => {
    const env = await liveRoot(pluginFiles("a", "one"));
    await env.write({ "a/main.ts": "two // slow" });
    await expect.poll(() => env.sandbox.loads, DEADLINE).toEqual(["a", "a"]);
    await env.write({ "a/main.ts": "three" });
    env.sandbox.release();
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("three");
    await env.directory.idle();
    expect(env.sandbox.images.size).toBe(1);
  });

  it("does not delay other changed plugins [H3.serial]", async () => {
    const env = await liveRoot({ ...pluginFiles("a", "one"), ...pluginFiles("b", "one") });
    await env.write({ "a/main.ts": "two // slow" });
    await expect.poll(() => env.sandbox.loads.length, DEADLINE).toBe(3);
    await env.write({ "b/main.ts": "two" });
    await expect.poll(() => env.code("b_run"), DEADLINE).toBe("two");
    expect(env.code("a_run")).toBe("one");
  });

  it("takes its dependents along if it is deleted while they load [M7]", async () => {
    const env = await liveRoot(pluginFiles("base"));
    await env.write({ "top/manifest.json": manifest("top", { dependencies: { base: "*" } }), "top/main.ts": "// slow" });
    await expect.poll(() => env.sandbox.loads, DEADLINE).toEqual(["base", "top"]);
    await rm(join(env.root, "base"), { recursive: true });
    await expect.poll(() => env.callable("base_run"), DEADLINE).toBeUndefined();
    env.sandbox.release();
    await expect.poll(() => env.callable("top_run"), DEADLINE).toMatch(/Needs plugin "base" \*, which is not installed/);
    await env.directory.idle();
    expect(env.told()).not.toContain("plugin.loaded top");
    expect(env.sandbox.images.size).toBe(0);
  });
});
