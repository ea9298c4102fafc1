import { describe, expect, it } from "vitest";
import { createMemoryPlatform, type MemoryEntry, type MemoryPlatform } from "../../../../host/platform/memory.ts";
import type { PluginStatus } from "../../../../host/sources/directory/status.ts";
import { type Bench, type BenchOptions, inRoot, manifest, openBench, pluginFiles, tool } from "./harness.ts";

type World = Bench & { readonly platform: MemoryPlatform; plant(files: Readonly<Record<string, MemoryEntry>>): void };

/** A memory platform with these files in `/plugins`; nothing is scanned yet. */
function world(files: Readonly<Record<string, MemoryEntry>>, options: Partial<BenchOptions> = {}): World {
  const platform = createMemoryPlatform({ files: { "/plugins/.keep/x": "", ...inRoot(files) } });
  return {
    ...openBench({ platform, ...options }),
    platform,
    plant(more) {
      platform.advance(1_000);
      for (const [path, entry] of Object.entries(inRoot(more))) platform.plant(path, entry);
    },
  };
}

/** What is told of each folder, without the hidden one that `world` makes. */
function states(statuses: readonly PluginStatus[]): readonly string[] {
  return statuses.filter(({ folder }) => !folder.startsWith(".")).map(({ folder, state, lastGood, reason }) => `${folder}: ${state}${lastGood ? " (last good serves)" : ""}${reason === undefined ? "" : `: ${reason}`}`);
}

describe("scan()", () => {
  it("tells what it found in every folder: loaded, disabled, failed, ignored [H1]", async () => {
    const { directory, callable } = world({
      ...pluginFiles("good"),
      ...pluginFiles("off", "", { enabled: false }),
      ...pluginFiles("syntax", "export function run() {\n  broken(\n}"),
      "typo/manifest.json": '{ "schemaVersion": "1.0" }',
      "stray/readme.md": "",
      "file.txt": "",
    });
    expect(states(await directory.scan())).toEqual([
      "good: loaded",
      'off: disabled: Plugin "off" is disabled (set "enabled" to true in its manifest.json)',
      "stray: ignored: No manifest.json at its root (manifests in folders below are not looked for)",
      "syntax: failed: main.ts:2:8: Unexpected end of input",
      expect.stringMatching(/^typo: failed: document \(line 1, column 1\): Manifest has no "name"/),
    ]);
    expect(callable("good_run")).toMatchObject({ name: "good", directory: "/plugins/good" });
  });

  it("gives the status of a loaded plugin whole [H1]", async () => {
    const { directory } = world(pluginFiles("words", "code", { permissions: { read: ["$workspace"] } }));
    const [, status] = await directory.scan();
    expect(status).toEqual({
      state: "loaded",
      directory: "/plugins/words",
      folder: "words",
      name: "words",
      version: "1.0.0",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      manifest: expect.objectContaining({ name: "words" }),
      requested: { read: ["$workspace"] },
      problems: [],
      lastGood: false,
    });
  });

  it("lists every problem of a manifest with its place, and the file and line of what the code did [H1] [H5]", async () => {
    const { directory } = world({ "a/manifest.json": '{\n  "schemaVersion": "1.0",\n  "name": "A!",\n  "oops": 1\n}', ...pluginFiles("b", "\nbroken(") });
    const [, a, b] = await directory.scan();
    expect(a?.problems.map(({ pointer, line }) => `${pointer}:${line}`)).toEqual([":1", ":1", ":1", "/name:3", "/oops:4"]);
    expect(a?.error).toEqual({ message: expect.any(String), file: "manifest.json", line: 1, column: 1 });
    expect(b?.error).toEqual({ message: "Unexpected end of input", file: "main.ts", line: 2, column: 8 });
  });

  it("refuses a plugin whose modules are not there [M4]", async () => {
    const { directory } = world({ "a/manifest.json": manifest("a", { tools: [tool("one"), tool("two", { module: "lib/two.ts" })] }) });
    const [, a] = await directory.scan();
    expect(a?.state).toBe("failed");
    expect(a?.problems.map(({ message }) => message).join("\n")).toMatch(/main\.ts[^]*lib\/two\.ts/);
  });

  it("loads a plugin whose every tool lives in a module of its own, without a main [M3]", async () => {
    const { directory } = world({ "a/manifest.json": manifest("a", { tools: [tool("one", { module: "lib/one.ts" })] }), "a/lib/one.ts": "" });
    expect(states(await directory.scan())).toEqual(["a: loaded"]);
  });

  it("reads the older spelling, and takes for dependencies only names of plugins [M9]", async () => {
    const older = {
      ...{ schema_version: "1.0", name: "old", version: "1.0.0", description: "Older", dependencies: ["base", "numpy"] },
      tools: [{ name: "old_run", description: "Runs", module: "main", parameters: {}, side_effects: ["read_only"] }],
    };
    const { directory } = world({ ...pluginFiles("base"), "old/manifest.json": JSON.stringify(older), "old/main.ts": "" });
    const status = (await directory.scan()).find(({ folder }) => folder === "old");
    expect({ state: status?.state, problems: status?.problems, dependencies: status?.manifest?.dependencies }).toEqual({
      ...{ state: "loaded", dependencies: { base: "*" } },
      problems: [expect.objectContaining({ severity: "warning" })],
    });
  });

  it("does not call a disabled plugin's tools, and says that they are disabled [M6]", async () => {
    const { directory, callable, sandbox } = world(pluginFiles("off", "", { enabled: false }));
    await directory.scan();
    expect(callable("off_run")).toBe('Plugin "off" is disabled (set "enabled" to true in its manifest.json)');
    expect(sandbox.loads).toEqual([]);
  });

  it("loads the others while one never ends loading [H1.others]", async () => {
    const { directory, callable, sandbox } = world({ ...pluginFiles("a", "// slow"), ...pluginFiles("b"), ...pluginFiles("c", "// crash") });
    const scanned = directory.scan();
    await expect.poll(() => callable("b_run")).toMatchObject({ name: "b" });
    expect(callable("a_run")).toBeUndefined();
    sandbox.release();
    expect(states(await scanned)).toEqual(["a: loaded", "b: loaded", "c: failed: The sandbox failed; the log says why"]);
  });

  it("creates a root that is missing, and says so [H1.root]", async () => {
    const platform = createMemoryPlatform();
    const { directory } = openBench({ platform, roots: ["/work/plugins"] });
    expect(await directory.scan()).toEqual([]);
    expect(directory.notices()).toEqual(['Created plugin root "/work/plugins"']);
    expect((await platform.files.stat("/work/plugins"))?.kind).toBe("directory");
  });

  it("scans several roots [H1.roots]", async () => {
    const platform = createMemoryPlatform({ files: { ...inRoot(pluginFiles("a"), "/one"), ...inRoot(pluginFiles("b"), "/two") } });
    const { directory } = openBench({ platform, roots: ["/two", "/one"] });
    expect(states(await directory.scan())).toEqual(["b: loaded", "a: loaded"]);
  });

  it("keeps what all plugins together hold in memory within bounds", async () => {
    const { directory } = world({ ...pluginFiles("a", "x".repeat(600)), ...pluginFiles("b", "x".repeat(600)) }, { maxBytes: 1_500 });
    expect(states(await directory.scan())).toEqual([
      "a: loaded",
      "b: failed: document: All plugins together hold more than may be kept in memory (remove plugins, or what they do not need from their folders)",
    ]);
  });
});

describe("names", () => {
  it("refuses the later of two plugins whose names are equal or look alike, naming the other [M5]", async () => {
    const { directory } = world({ ...pluginFiles("words"), "zz/manifest.json": manifest("words"), "zz/main.ts": "", ...pluginFiles("w0rds") , ...pluginFiles("wo-rds"), ...pluginFiles("wo_rds") });
    expect(states(await directory.scan())).toEqual([
      "w0rds: loaded",
      "wo-rds: loaded",
      'wo_rds: failed: /name: "wo_rds" looks like "wo-rds", another plugin\'s name, in "/plugins/wo-rds" (choose another name)',
      'words: failed: /name: "words" looks like "w0rds", another plugin\'s name, in "/plugins/w0rds" (choose another name)',
      'zz: failed: /name: "words" looks like "w0rds", another plugin\'s name, in "/plugins/w0rds" (choose another name)',
    ]);
  });

  it("prefers the folder of that name among equals, and does not let a newcomer take a name in use [M5]", async () => {
    const { directory, plant, code } = world({ "a/manifest.json": manifest("words"), "a/main.ts": "squatter", ...pluginFiles("words", "own") });
    await directory.scan();
    expect(code("words_run")).toBe("own");
    plant({ "0/manifest.json": manifest("words"), "0/main.ts": "newcomer" });
    await directory.reloadChanged();
    expect(code("words_run")).toBe("own");
  });

  it("gives a name to the next folder when its holder is gone, and not before [M5]", async () => {
    const { directory, plant, code, platform } = world({ ...pluginFiles("words", "own"), "zz/manifest.json": manifest("words"), "zz/main.ts": "other" });
    await directory.scan();
    plant({ "words/main.ts": "broken(" });
    await directory.reloadChanged();
    expect(code("words_run")).toBe("own");
    await platform.files.remove("/plugins/words");
    await directory.reloadChanged();
    expect(code("words_run")).toBe("other");
  });

  it("does not let a plugin take the name of one that cannot be loaded [M5]", async () => {
    const { directory, callable } = world({ ...pluginFiles("words", "broken("), "zz/manifest.json": manifest("words"), "zz/main.ts": "other" });
    await directory.scan();
    expect(callable("words_run")).toBe("main.ts:1:8: Unexpected end of input");
  });

  it("follows a plugin that changes its name [H9.rename]", async () => {
    const { directory, plant, callable, told } = world({ "p/manifest.json": manifest("before"), "p/main.ts": "" });
    await directory.scan();
    plant({ "p/manifest.json": manifest("after") });
    expect(await directory.reloadChanged()).toBe(1);
    expect([callable("before_run"), callable("after_run")]).toEqual([undefined, expect.objectContaining({ name: "after" })]);
    expect(told()).toEqual(["plugin.loaded before", "plugin.removed before", "plugin.loaded after"]);
  });
});

describe("dependencies", () => {
  it("loads plugins after those they need [M7]", async () => {
    const { directory, sandbox } = world({ ...pluginFiles("a", "", { dependencies: { b: "*" } }), ...pluginFiles("b", "", { dependencies: { c: "^1.0.0" } }), ...pluginFiles("c") });
    expect(states(await directory.scan())).toEqual(["a: loaded", "b: loaded", "c: loaded"]);
    expect(sandbox.loads).toEqual(["c", "b", "a"]);
  });

  it("keeps unloaded what needs a missing, disabled, failed, unfit or cyclic plugin, and says which [M7]", async () => {
    const { directory, sandbox } = world({
      ...pluginFiles("needs-gone", "", { dependencies: { gone: "*" } }),
      ...pluginFiles("needs-off", "", { dependencies: { off: "*" } }),
      ...pluginFiles("off", "", { enabled: false }),
      ...pluginFiles("needs-bad", "", { dependencies: { bad: "*" } }),
      ...pluginFiles("bad", "broken("),
      ...pluginFiles("needs-new", "", { dependencies: { good: "^2.0.0" } }),
      ...pluginFiles("good"),
      ...pluginFiles("x", "", { dependencies: { y: "*" } }),
      ...pluginFiles("y", "", { dependencies: { x: "*" } }),
      ...pluginFiles("needs-x", "", { dependencies: { x: "*" } }),
    });
    const found = await directory.scan();
    expect(Object.fromEntries(found.filter(({ state }) => state === "failed").map(({ name, problems }) => [name, problems.map(({ message }) => message)]))).toEqual({
      bad: ["main.ts:1:8: Unexpected end of input"],
      "needs-bad": ['Needs plugin "bad" *, which failed'],
      "needs-gone": ['Needs plugin "gone" *, which is not there'],
      "needs-new": ['Needs plugin "good" ^2.0.0, but version 1.0.0 is loaded'],
      "needs-off": ['Needs plugin "off" *, which is disabled'],
      "needs-x": ['Needs plugin "x" *, which is not loaded'],
      x: ["Depends on itself: x → y → x"],
      y: ["Depends on itself: y → x → y"],
    });
    expect(sandbox.loads.toSorted()).toEqual(["bad", "good"]);
  });

  it("loads what waited as soon as what it needs is there, along the whole chain [M7]", async () => {
    const { directory, plant } = world({ ...pluginFiles("a", "", { dependencies: { b: "*" } }), ...pluginFiles("b", "", { dependencies: { c: "*" } }) });
    await directory.scan();
    plant(pluginFiles("c"));
    expect(await directory.reloadChanged()).toBe(3);
    expect(states(directory.status())).toEqual(["a: loaded", "b: loaded", "c: loaded"]);
  });

  it("takes out of service what loses a dependency, along the whole chain, and brings it back [M7]", async () => {
    const files = pluginFiles("c");
    const { directory, plant, platform, callable, sandbox } = world({
      ...pluginFiles("a", "", { dependencies: { b: "*" } }),
      ...pluginFiles("b", "", { dependencies: { c: "*" } }),
      ...files,
    });
    await directory.scan();
    await platform.files.remove("/plugins/c");
    expect(await directory.reloadChanged()).toBe(3);
    expect(callable("a_run")).toBe('/dependencies/b: Needs plugin "b" *, which is not loaded (see what "b" waits for)');
    expect(sandbox.images.size).toBe(0);
    plant(files);
    expect(await directory.reloadChanged()).toBe(3);
    expect(callable("a_run")).toMatchObject({ name: "a" });
  });

  it("lets the last good version of a dependency do [M7] [H5]", async () => {
    const { directory, plant } = world({ ...pluginFiles("a", "", { dependencies: { b: "*" } }), ...pluginFiles("b") });
    await directory.scan();
    plant({ "b/main.ts": "broken(" });
    await directory.reloadChanged();
    expect(states(directory.status())).toEqual(["a: loaded", "b: failed (last good serves): main.ts:1:8: Unexpected end of input"]);
  });
});

describe("checkForChanges()", () => {
  it("lists what was added, changed and removed, and loads nothing [H2]", async () => {
    const { directory, plant, platform, sandbox, events } = world({ ...pluginFiles("a"), ...pluginFiles("b"), ...pluginFiles("c"), "stray/x": "" });
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

  it("does not list what was written again with the same bytes [H2]", async () => {
    const { directory, plant } = world(pluginFiles("a"));
    await directory.scan();
    plant(pluginFiles("a"));
    expect(await directory.checkForChanges()).toEqual([]);
  });
});

describe("reloadChanged()", () => {
  it("reloads what changed and counts it; what has the same digest is not loaded again [H2]", async () => {
    const { directory, plant, sandbox, code } = world({ ...pluginFiles("a", "one"), ...pluginFiles("b") });
    await directory.scan();
    plant({ "a/main.ts": "two", ...pluginFiles("b") });
    expect(await directory.reloadChanged()).toBe(1);
    expect(await directory.reloadChanged()).toBe(0);
    expect({ loads: sandbox.loads, code: code("a_run") }).toEqual({ loads: ["a", "b", "a"], code: "two" });
  });

  it("keeps the old version callable until the new one is loaded, then has only the new one [H4]", async () => {
    const { directory, plant, sandbox, code, registry } = world(pluginFiles("a", "one"));
    await directory.scan();
    const before = registry.snapshot();
    plant({ "a/main.ts": "two // slow" });
    const reloading = directory.reloadChanged();
    await expect.poll(() => sandbox.loads.length).toBe(2);
    expect(code("a_run")).toBe("one");
    sandbox.release();
    await reloading;
    expect(code("a_run")).toBe("two // slow");
    // A call that looked up before still sees the old version whole.
    expect(before.find("a_run")?.binding).toMatchObject({ kind: "plugin", version: { files: new Map([["main.ts", new TextEncoder().encode("one")], ["manifest.json", expect.anything()]]) } });
  });

  it("swaps all of a plugin's tools at once [H4]", async () => {
    const both = (version: string): string => manifest("a", { version, tools: [tool("one"), tool("two")] });
    const { directory, plant, registry } = world({ "a/manifest.json": both("1.0.0"), "a/main.ts": "" });
    await directory.scan();
    const mixed: string[] = [];
    const stop = setInterval(() => undefined, 1_000);
    plant({ "a/manifest.json": both("2.0.0") });
    const reloading = directory.reloadChanged();
    let done = false;
    void reloading.finally(() => (done = true));
    while (!done) {
      const versions = ["one", "two"].map((name) => registry.snapshot().find(name)?.binding).map((binding) => (binding?.kind === "plugin" ? binding.version.manifest.version : "none"));
      if (new Set(versions).size > 1) mixed.push(versions.join());
      await new Promise(setImmediate);
    }
    clearInterval(stop);
    expect(mixed).toEqual([]);
    expect(registry.snapshot().find("two")?.binding).toMatchObject({ version: { manifest: { version: "2.0.0" } } });
  });

  it("disposes of the old version when its last call ends, not before [H4]", async () => {
    const { directory, plant, sandbox, callable } = world(pluginFiles("a", "one"));
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
    ["its manifest is no JSON", { "a/manifest.json": "{" }, /^document \(line 1, column 2\): /, "manifest.json", 1],
    ["its manifest breaks the rules", { "a/manifest.json": manifest("a", { oops: 1 }) }, /^\/oops \(line 1/, "manifest.json", 1],
    ["its code does not parse", { "a/main.ts": "ok\n\nbroken(" }, /^main.ts:3:8: Unexpected end of input$/, "main.ts", 3],
    ["its code runs into a limit", { "a/main.ts": "// endless" }, /Loading took longer/, undefined, undefined],
    ["a file it names is gone", { "a/manifest.json": manifest("a", { main: "gone.ts" }) }, /gone\.ts/, "manifest.json", 1],
    ["it needs a plugin that is not there", { "a/manifest.json": manifest("a", { dependencies: { gone: "*" } }) }, /Needs plugin "gone"/, "manifest.json", undefined],
    ["the sandbox itself failed", { "a/main.ts": "// crash" }, /The sandbox failed/, undefined, undefined],
  ])("keeps the last good version when %s, and shows why and where [H5]", async (_why, edit, reason, file, line) => {
    const { directory, plant, code, events, sandbox } = world(pluginFiles("a", "one"));
    await directory.scan();
    const [, good] = directory.status();
    plant(edit);
    expect(await directory.reloadChanged()).toBe(0);
    expect(code("a_run")).toBe("one");
    const [, status] = directory.status();
    expect(status).toMatchObject({ state: "failed", lastGood: true, digest: good?.digest, reason: expect.stringMatching(reason) });
    expect([status?.error?.file, status?.error?.line]).toEqual([file, line]);
    expect(events.at(-1)).toMatchObject({ type: "plugin.failed", plugin: "a", payload: { message: status?.reason, lastGood: good?.digest } });
    expect([...sandbox.images]).toEqual([good?.digest]);
  });

  it("says once that a version failed, and once that the folder holds the good one again [H5]", async () => {
    const { directory, plant, told, sandbox } = world(pluginFiles("a", "one"));
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

  it("tries again what failed for its surroundings, not what failed for its bytes [H2]", async () => {
    const { directory, sandbox } = world({ ...pluginFiles("limit", "// endless"), ...pluginFiles("bytes", "broken(") });
    await directory.scan();
    await directory.reloadChanged();
    expect(sandbox.loads.toSorted()).toEqual(["bytes", "limit", "limit"]);
  });

  it("stops serving a plugin that becomes disabled, and serves it again [M6]", async () => {
    const { directory, plant, callable, told, sandbox } = world(pluginFiles("a"));
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

  it("withdraws and unloads a plugin whose folder, or manifest, is gone [H9]", async () => {
    const { directory, platform, callable, sandbox, told } = world({ ...pluginFiles("a"), ...pluginFiles("b") });
    await directory.scan();
    await platform.files.remove("/plugins/a");
    await platform.files.remove("/plugins/b/manifest.json");
    expect(await directory.reloadChanged()).toBe(2);
    expect([callable("a_run"), callable("b_run"), sandbox.images.size]).toEqual([undefined, undefined, 0]);
    expect(told().slice(2).toSorted()).toEqual(["plugin.removed a", "plugin.removed b"]);
    expect(states(directory.status())).toEqual(["b: ignored: No manifest.json at its root (manifests in folders below are not looked for)"]);
  });

  it("tells of every change in the tick in which it can be called [H8]", async () => {
    const platform = createMemoryPlatform({ files: inRoot(pluginFiles("a", "one")) });
    const seen: (string | undefined)[] = [];
    const bench = openBench({ platform });
    const push = Array.prototype.push.bind(bench.events);
    Object.defineProperty(bench.events, "push", { value: (event: { type: string }) => (seen.push(`${event.type}: ${bench.code("a_run")}`), push(event)) });
    await bench.directory.scan();
    platform.advance(1_000);
    platform.plant("/plugins/a/main.ts", "two");
    await bench.directory.reloadChanged();
    await platform.files.remove("/plugins/a");
    await bench.directory.reloadChanged();
    expect(seen).toEqual(["plugin.loaded: one", "plugin.reloaded: two", "plugin.removed: undefined"]);
  });

  it("tells of a reload which version it was and is, and what it offers [H8]", async () => {
    const { directory, plant, events } = world(pluginFiles("a", "one"));
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
    const { directory, plant, code, told, sandbox } = world(pluginFiles("a", "one"), {
      admit(version, previous) {
        asked.push(`${version.manifest.version} after ${previous?.manifest.version ?? "nothing"}`);
        return previous === undefined || accepted ? { kind: "admit" } : { kind: "quarantine", reason: "It asks for more" };
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
    expect(asked).toEqual(["1.0.0 after nothing", "2.0.0 after 1.0.0", "2.0.0 after 1.0.0"]);
    expect(told()).toEqual(["plugin.loaded a", "plugin.quarantined a", "plugin.reloaded a"]);
  });
});

describe("close()", () => {
  it("withdraws every plugin and lets go of every image [H9]", async () => {
    const { directory, registry, sandbox } = world({ ...pluginFiles("a"), ...pluginFiles("off", "", { enabled: false }) });
    await directory.scan();
    await directory.close();
    expect({ tools: registry.snapshot().tools, images: sandbox.images.size, status: directory.status() }).toEqual({ tools: [], images: 0, status: [] });
  });

  it("lets go of a version that was being loaded [H9]", async () => {
    const { directory, sandbox, registry } = world(pluginFiles("a", "// slow"));
    const scanned = directory.scan();
    await expect.poll(() => sandbox.loads.length).toBe(1);
    const closed = directory.close();
    sandbox.release();
    await Promise.all([scanned, closed]);
    expect({ tools: registry.snapshot().tools, images: sandbox.images.size }).toEqual({ tools: [], images: 0 });
  });
});
