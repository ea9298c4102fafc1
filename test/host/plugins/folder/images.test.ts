import { describe, expect, it } from "vitest";
import { createPluginImages } from "../../../../host/plugins/folder/images.ts";
import type { Manifest } from "../../../../manifests/mod.ts";
import type { PluginVersion } from "../../../../host/tools/tool.ts";
import { fakeSandbox } from "./harness.ts";

function version(digest: string, code = ""): PluginVersion {
  // Only the members that `toSource` reads.
  const manifest = { name: "p", main: "main.ts", tools: [], skills: [], limits: {} } as unknown as Manifest;
  return {
    name: "p",
    digest,
    manifest,
    directory: "/p",
    bases: { base: "/p" },
    files: new Map([["main.ts", new TextEncoder().encode(code)]]),
  };
}

describe("createPluginImages()", () => {
  it("keeps an image until its last call has ended, also after another version took over [H4]", async () => {
    const sandbox = fakeSandbox();
    const images = createPluginImages(sandbox);
    await images.hold(version("old"));
    const [first, second] = [images.lease(version("old")), images.lease(version("old"))];
    await images.hold(version("new"));
    images.release("old");
    expect([...sandbox.images]).toEqual(["old", "new"]);
    first.release();
    first.release();
    expect([...sandbox.images]).toEqual(["old", "new"]);
    second.release();
    expect([...sandbox.images]).toEqual(["new"]);
    expect(images.held()).toEqual(["new"]);
  });

  it("loads an image again for a call that began before it was unloaded [H4]", async () => {
    const sandbox = fakeSandbox();
    const images = createPluginImages(sandbox);
    await images.hold(version("old"));
    images.release("old");
    expect([...sandbox.images]).toEqual([]);
    const lease = images.lease(version("old"));
    expect((await lease.ready).ok).toBe(true);
    expect([...sandbox.images]).toEqual(["old"]);
    lease.release();
    expect([...sandbox.images]).toEqual([]);
  });

  it("loads an image once for concurrent claims [H4]", async () => {
    const sandbox = fakeSandbox();
    const images = createPluginImages(sandbox);
    await Promise.all([images.hold(version("d")), images.hold(version("d")), images.lease(version("d")).ready]);
    expect(sandbox.loads).toEqual(["p"]);
  });

  it("keeps nothing of a failed load, and tries again at the next claim [H9]", async () => {
    const sandbox = fakeSandbox();
    const images = createPluginImages(sandbox);
    expect((await images.hold(version("bad", "broken("))).ok).toBe(false);
    await expect(images.hold(version("worse", "// crash"))).rejects.toThrow("The pool is gone");
    expect({ held: images.held(), loaded: [...sandbox.images] }).toEqual({ held: [], loaded: [] });
    expect((await images.hold(version("bad", "fine now"))).ok).toBe(true);
  });

  it("loads a held version at its first lease, if so configured [H4.on-call]", async () => {
    const sandbox = fakeSandbox();
    const images = createPluginImages(sandbox, { loadsAtOnce: () => false });
    expect(await images.hold(version("lazy"))).toMatchObject({ ok: true });
    expect([...sandbox.images]).toEqual([]);
    const [first, second] = [images.lease(version("lazy")), images.lease(version("lazy"))];
    expect([(await first.ready).ok, (await second.ready).ok]).toEqual([true, true]);
    expect([...sandbox.images]).toEqual(["lazy"]);
    for (const lease of [first, second]) lease.release();
    images.release("lazy");
    expect([...sandbox.images]).toEqual([]);
  });
});
