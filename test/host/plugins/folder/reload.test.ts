import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { inRoot, manifest, memoryWorld, openBench, pluginFiles, states, tool } from "./harness.ts";

describe("checkForChanges()", () => {
  it("lists added, changed and removed plugins, and loads nothing [H2]", async () => {
    const { directory, plant, platform, sandbox, events } = memoryWorld({
      ...pluginFiles("a"),
      ...pluginFiles("b"),
      ...pluginFiles("c"),
      "stray/x": "",
    });
    await directory.scan();
    const before = { loads: sandbox.loads.length, events: events.length, status: directory.status() };
    plant({ "b/main.ts": "other", ...pluginFiles("d"), "stray/y": "", "new-stray/x": "" });
    await platform.files.remove("/plugins/c");
    expect(await directory.checkForChanges()).toEqual([
      { kind: "changed", directory: "/plugins/b", name: "b" },
      { kind: "removed", directory: "/plugins/c", name: "c" },
      { kind: "added", directory: "/plugins/d" },
    ]);
    expect({ loads: sandbox.loads.length, events: events.length, status: directory.status() }).toEqual(before);
  });

  it("does not list files that were rewritten with the same bytes [H2]", async () => {
    const { directory, plant } = memoryWorld(pluginFiles("a"));
    await directory.scan();
    plant(pluginFiles("a"));
    expect(await directory.checkForChanges()).toEqual([]);
  });
});

describe("reloadChanged()", () => {
  it("reloads and counts changed plugins; those with the same hash are not loaded again [H2]", async () => {
    const { directory, plant, sandbox, code } = memoryWorld({ ...pluginFiles("a", "one"), ...pluginFiles("b") });
    await directory.scan();
    plant({ "a/main.ts": "two", ...pluginFiles("b") });
    expect(await directory.reloadChanged()).toBe(1);
    expect(await directory.reloadChanged()).toBe(0);
    expect({ loads: sandbox.loads, code: code("a_run") }).toEqual({ loads: ["a", "b", "a"], code: "two" });
  });

  it("reads eight folders at a time: folders that were read are processed in one turn of the event loop [LV1.reload]", async () => {
    const names = Array.from({ length: 40 }, (_, nth) => `p${String(nth)}`);
    const platform = createMemoryPlatform({ files: inRoot(Object.assign({}, ...names.map((name) => pluginFiles(name, "one")))) });
    let underWay = 0;
    let most = 0;
    const list: typeof platform.files.list = async (path) => {
      most = Math.max(most, ++underWay);
      return await platform.files.list(path).finally(() => underWay--);
    };
    const { directory, code } = openBench({ platform: { ...platform, files: { ...platform.files, list } } });
    await directory.scan();
    platform.advance(1_000);
    for (const name of names) platform.plant(`/plugins/${name}/main.ts`, "two");
    most = 0;
    expect({ reloaded: await directory.reloadChanged(), most, code: code("p39_run") }).toEqual({ reloaded: 40, most: 8, code: "two" });
  });

  it("keeps the old version callable until the new one is loaded, then only the new one [H4]", async () => {
    const { directory, plant, sandbox, code, registry } = memoryWorld(pluginFiles("a", "one"));
    await directory.scan();
    const before = registry.snapshot();
    plant({ "a/main.ts": "two // slow" });
    const reloading = directory.reloadChanged();
    await expect.poll(() => sandbox.loads.length).toBe(2);
    expect(code("a_run")).toBe("one");
    sandbox.release();
    await reloading;
    expect(code("a_run")).toBe("two // slow");
    // A call that looked up before still sees the complete old version.
    expect(before.find("a_run")?.binding).toMatchObject({
      kind: "plugin",
      version: {
        files: new Map([
          ["main.ts", new TextEncoder().encode("one")],
          ["manifest.json", expect.anything()],
        ]),
      },
    });
  });

  it("swaps all of a plugin's tools at once [H4]", async () => {
    const both = (version: string): string => manifest("a", { version, tools: [tool("one"), tool("two")] });
    const { directory, plant, registry } = memoryWorld({ "a/manifest.json": both("1.0.0"), "a/main.ts": "" });
    await directory.scan();
    const mixed: string[] = [];
    const stop = setInterval(() => undefined, 1_000);
    plant({ "a/manifest.json": both("2.0.0") });
    const reloading = directory.reloadChanged();
    let done = false;
    void reloading.finally(() => (done = true));
    while (!done) {
      const versions = ["one", "two"]
        .map((name) => registry.snapshot().find(name)?.binding)
        .map((binding) => (binding?.kind === "plugin" ? binding.version.manifest.version : "none"));
      if (new Set(versions).size > 1) mixed.push(versions.join());
      await new Promise(setImmediate);
    }
    clearInterval(stop);
    expect(mixed).toEqual([]);
    expect(registry.snapshot().find("two")?.binding).toMatchObject({ version: { manifest: { version: "2.0.0" } } });
  });

  it("unloads the old version when its last call ends, not before [H4]", async () => {
    const { directory, plant, sandbox, callable } = memoryWorld(pluginFiles("a", "one"));
    await directory.scan();
    const old = callable("a_run");
    if (typeof old !== "object") throw new Error("not callable");
    const call = directory.lease(old);
    plant({ "a/main.ts": "two" });
    await directory.reloadChanged();
    expect(sandbox.images.has(old.digest)).toBe(true);
    call.release();
    expect([...sandbox.images]).toEqual([directory.status()[1]?.digest]);
  });

  it.each([
    ["its manifest is not JSON", { "a/manifest.json": "{" }, /^document \(line 1, column 2\): /, "manifest.json:1"],
    ["its manifest is not valid", { "a/manifest.json": manifest("a", { oops: 1 }) }, /^\/oops \(line 1/, "manifest.json:1"],
    ["its code does not parse", { "a/main.ts": "ok\n\nbroken(" }, /^main.ts:3:8: Unexpected end of input$/, "main.ts:3"],
    ["its code runs into a limit", { "a/main.ts": "// endless" }, /Loading took longer/, undefined],
    ["a file that it names is missing", { "a/manifest.json": manifest("a", { main: "gone.ts" }) }, /gone\.ts/, "manifest.json:1"],
    [
      "a dependency is missing",
      { "a/manifest.json": manifest("a", { dependencies: { gone: "*" } }) },
      /Needs plugin "gone"/,
      "manifest.json",
    ],
    ["the sandbox fails", { "a/main.ts": "// crash" }, /The sandbox failed/, undefined],
  ])("keeps the last good version when %s, and shows reason and position [H5]", async (_why, edit, reason, place) => {
    const { directory, plant, code, events, sandbox } = memoryWorld(pluginFiles("a", "one"));
    await directory.scan();
    const [, good] = directory.status();
    plant(edit);
    expect(await directory.reloadChanged()).toBe(0);
    expect(code("a_run")).toBe("one");
    const [, status] = directory.status();
    expect(status).toMatchObject({ state: "failed", lastGood: true, digest: good?.digest, reason: expect.stringMatching(reason) });
    const { file, line } = status?.error ?? {};
    expect(line === undefined ? file : `${file}:${line}`).toBe(place);
    expect(events.at(-1)).toMatchObject({
      type: "plugin.failed",
      plugin: "a",
      payload: { message: status?.reason, lastGood: good?.digest },
    });
    expect([...sandbox.images]).toEqual([good?.digest]);
  });

  it("reports once that a version failed, and once that the folder holds the good one again [H5]", async () => {
    const { directory, plant, told, sandbox } = memoryWorld(pluginFiles("a", "one"));
    await directory.scan();
    plant({ "a/main.ts": "broken(" });
    await directory.reloadChanged();
    await directory.reloadChanged();
    plant({ "a/main.ts": "one" });
    await directory.reloadChanged();
    expect(states(directory.status())).toEqual(["a: loaded"]);
    expect(told()).toEqual(["plugin.loaded a", "plugin.failed a", "plugin.reloaded a"]);
    expect(sandbox.loads).toEqual(["a", "a"]);
  });

  it("retries failures caused by the surroundings, not those caused by the bytes [H2]", async () => {
    const { directory, sandbox } = memoryWorld({ ...pluginFiles("limit", "// endless"), ...pluginFiles("bytes", "broken(") });
    await directory.scan();
    await directory.reloadChanged();
    expect(sandbox.loads.toSorted()).toEqual(["bytes", "limit", "limit"]);
  });

  it("takes a plugin out of service when it is disabled, and back when it is enabled [M6]", async () => {
    const { directory, plant, callable, told, sandbox } = memoryWorld(pluginFiles("a"));
    await directory.scan();
    plant({ "a/manifest.json": manifest("a", { enabled: false }) });
    await directory.reloadChanged();
    expect(callable("a_run")).toMatch(/is disabled/);
    expect(sandbox.images.size).toBe(0);
    plant({ "a/manifest.json": manifest("a") });
    await directory.reloadChanged();
    expect(callable("a_run")).toMatchObject({ name: "a" });
    expect(told()).toEqual(["plugin.loaded a", "plugin.removed a", "plugin.loaded a"]);
  });

  it("withdraws and unloads a plugin whose folder or manifest was removed [H9]", async () => {
    const { directory, platform, callable, sandbox, told } = memoryWorld({ ...pluginFiles("a"), ...pluginFiles("b") });
    await directory.scan();
    await platform.files.remove("/plugins/a");
    await platform.files.remove("/plugins/b/manifest.json");
    expect(await directory.reloadChanged()).toBe(2);
    expect([callable("a_run"), callable("b_run"), sandbox.images.size]).toEqual([undefined, undefined, 0]);
    expect(told().slice(2).toSorted()).toEqual(["plugin.removed a", "plugin.removed b"]);
    expect(states(directory.status())).toEqual(["b: ignored: No manifest.json at its root (subfolders are not searched)"]);
  });

  it("reports every change in the tick in which it can be called [H8]", async () => {
    const platform = createMemoryPlatform({ files: inRoot(pluginFiles("a", "one")) });
    const seen: (string | undefined)[] = [];
    const bench = openBench({ platform });
    const push = Array.prototype.push.bind(bench.events);
    Object.defineProperty(bench.events, "push", {
      value: (event: { type: string }) => (seen.push(`${event.type}: ${bench.code("a_run")}`), push(event)),
    });
    await bench.directory.scan();
    platform.advance(1_000);
    platform.plant("/plugins/a/main.ts", "two");
    await bench.directory.reloadChanged();
    await platform.files.remove("/plugins/a");
    await bench.directory.reloadChanged();
    expect(seen).toEqual(["plugin.loaded: one", "plugin.reloaded: two", "plugin.removed: undefined"]);
  });

  it("reports the previous and the new version of a reload, and its tools [H8]", async () => {
    const { directory, plant, events } = memoryWorld(pluginFiles("a", "one"));
    await directory.scan();
    plant({ "a/main.ts": "two" });
    await directory.reloadChanged();
    const [loaded, reloaded] = events;
    expect(reloaded).toEqual({
      type: "plugin.reloaded",
      plugin: "a",
      digest: directory.status()[1]?.digest,
      payload: { version: "1.0.0", directory: "/plugins/a", tools: ["a_run"], previousDigest: loaded?.digest },
    });
  });
});

describe("admission", () => {
  it("holds a version back, keeps the one before it, and asks again at the next reload", async () => {
    let accepted = false;
    const asked: string[] = [];
    const { directory, plant, code, told, sandbox } = memoryWorld(pluginFiles("a", "one"), {
      gate: {
        acceptedLimits: () => ({}),
        async admit(version, path) {
          asked.push(`${version.manifest.version} in ${path}`);
          const isFirst = asked.length === 1;
          return isFirst || accepted ? { kind: "admit" } : { kind: "quarantine", reason: "It asks for more", changes: [] };
        },
        served: (version) => void asked.push(`${version.manifest.version} serves`),
        nameOf: () => undefined,
        standing: () => ({ known: false, holds: new Set() }),
        lastGood: () => Promise.resolve(undefined),
      },
    });
    await directory.scan();
    plant({ "a/manifest.json": manifest("a", { version: "2.0.0" }), "a/main.ts": "two" });
    await directory.reloadChanged();
    expect(states(directory.status())).toEqual(["a: quarantined (last good serves): It asks for more"]);
    expect([code("a_run"), sandbox.images.size]).toEqual(["one", 1]);
    accepted = true;
    await directory.reloadChanged();
    expect(code("a_run")).toBe("two");
    expect(asked).toEqual(["1.0.0 in /plugins/a", "1.0.0 serves", "2.0.0 in /plugins/a", "2.0.0 in /plugins/a", "2.0.0 serves"]);
    expect(told()).toEqual(["plugin.loaded a", "plugin.quarantined a", "plugin.reloaded a"]);
  });
});

describe("close()", () => {
  it("withdraws every plugin and releases every image [H9]", async () => {
    const { directory, registry, sandbox } = memoryWorld({ ...pluginFiles("a"), ...pluginFiles("off", "", { enabled: false }) });
    await directory.scan();
    await directory.close();
    expect({ tools: registry.snapshot().tools, images: sandbox.images.size, status: directory.status() }).toEqual({
      tools: [],
      images: 0,
      status: [],
    });
  });

  it("does not wait for a version that is loading, and releases it once loaded [H9]", async () => {
    const { directory, sandbox, registry, told } = memoryWorld({ ...pluginFiles("a", "// slow"), ...pluginFiles("b") });
    const scanned = directory.scan();
    await expect.poll(() => sandbox.loads.length).toBe(2);
    await directory.close();
    await scanned;
    sandbox.release();
    await expect.poll(() => sandbox.images.size).toBe(0);
    expect({ tools: registry.snapshot().tools, told: told() }).toEqual({ tools: [], told: ["plugin.loaded b"] });
  });
});
