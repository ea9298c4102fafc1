import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { inRoot, manifest, memoryWorld, openBench, pluginFiles, states, tool } from "./harness.ts";

describe("scan()", () => {
  it("reports every folder as loaded, disabled, failed or ignored [H1]", async () => {
    const { directory, callable } = memoryWorld({
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
      "stray: ignored: No manifest.json at its root (subfolders are not searched)",
      "syntax: failed: main.ts:2:8: Unexpected end of input",
      expect.stringMatching(/^typo: failed: document \(line 1, column 1\): Manifest has no "name"/),
    ]);
    expect(callable("good_run")).toMatchObject({ name: "good", directory: "/plugins/good" });
  });

  it("gives the sandbox turns of the event loop in a brief process, whose reads take none [DI5.cold-start]", async () => {
    const files = Object.fromEntries(Array.from({ length: 24 }, (_, index) => Object.entries(pluginFiles(`p${index}`))).flat());
    const platform = createMemoryPlatform({ files: inRoot(files) });
    const { directory } = openBench({ platform: { ...platform, files: { ...platform.files, isBrief: true } } });
    let [turns, isScanned] = [0, false];
    const count = (): void => void (isScanned || ((turns += 1), setImmediate(count)));
    setImmediate(count);
    await directory.scan();
    isScanned = true;
    expect(turns).toBeGreaterThan(1);
  });

  it("returns the complete status of a loaded plugin [H1]", async () => {
    const { directory } = memoryWorld(pluginFiles("words", "code", { permissions: { read: ["$workspace"] } }));
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

  it("lists every problem of a manifest with its position, and file and line of the code's errors [H1] [H5]", async () => {
    const { directory } = memoryWorld({
      "a/manifest.json": '{\n  "schemaVersion": "1.0",\n  "name": "A!",\n  "oops": 1\n}',
      ...pluginFiles("b", "\nbroken("),
    });
    const [, a, b] = await directory.scan();
    expect(a?.problems.map(({ pointer, line }) => `${pointer}:${line}`)).toEqual([":1", ":1", ":1", "/name:3", "/oops:4"]);
    expect(a?.error).toEqual({ message: expect.any(String), file: "manifest.json", line: 1, column: 1 });
    expect(b?.error).toEqual({ message: "Unexpected end of input", file: "main.ts", line: 2, column: 8 });
  });

  it("refuses a plugin whose modules are missing [M4]", async () => {
    const { directory } = memoryWorld({
      "a/manifest.json": manifest("a", { tools: [tool("one"), tool("two", { module: "lib/two.ts" })] }),
    });
    const [, a] = await directory.scan();
    expect(a?.state).toBe("failed");
    expect(a?.problems.map(({ message }) => message).join("\n")).toMatch(/main\.ts[^]*lib\/two\.ts/);
  });

  it("loads a plugin without a main if every tool has a module of its own [M3]", async () => {
    const { directory } = memoryWorld({
      "a/manifest.json": manifest("a", { tools: [tool("one", { module: "lib/one.ts" })] }),
      "a/lib/one.ts": "",
    });
    expect(states(await directory.scan())).toEqual(["a: loaded"]);
  });

  it("reads the older spelling, and treats only names of plugins as dependencies [M9]", async () => {
    const older = {
      ...{ schema_version: "1.0", name: "old", version: "1.0.0", description: "Older", dependencies: ["base", "numpy"] },
      tools: [{ name: "old_run", description: "Runs", module: "main", parameters: {}, side_effects: ["read_only"] }],
    };
    const { directory } = memoryWorld({ ...pluginFiles("base"), "old/manifest.json": JSON.stringify(older), "old/main.ts": "" });
    const status = (await directory.scan()).find(({ folder }) => folder === "old");
    expect({ state: status?.state, problems: status?.problems, dependencies: status?.manifest?.dependencies }).toEqual({
      ...{ state: "loaded", dependencies: { base: "*" } },
      problems: [expect.objectContaining({ severity: "warning" })],
    });
  });

  it("reports a disabled plugin's tools as disabled, without calling them [M6]", async () => {
    const { directory, callable, sandbox } = memoryWorld(pluginFiles("off", "", { enabled: false }));
    await directory.scan();
    expect(callable("off_run")).toBe('Plugin "off" is disabled (set "enabled" to true in its manifest.json)');
    expect(sandbox.loads).toEqual([]);
  });

  it("loads the others while one never finishes loading [H1.others]", async () => {
    const { directory, callable, sandbox } = memoryWorld({
      ...pluginFiles("a", "// slow"),
      ...pluginFiles("b"),
      ...pluginFiles("c", "// crash"),
    });
    const scanned = directory.scan();
    await expect.poll(() => callable("b_run")).toMatchObject({ name: "b" });
    expect(callable("a_run")).toBeUndefined();
    sandbox.release();
    expect(states(await scanned)).toEqual(["a: loaded", "b: loaded", "c: failed: The sandbox failed; the log says why"]);
  });

  it("creates a missing root, and reports it [H1.root]", async () => {
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

  it("bounds the memory of all plugins together", async () => {
    const { directory } = memoryWorld({ ...pluginFiles("a", "x".repeat(600)), ...pluginFiles("b", "x".repeat(600)) }, { maxBytes: 1_500 });
    expect(states(await directory.scan())).toEqual([
      "a: loaded",
      "b: failed: document: All plugins together exceed the memory that they may use (remove plugins, or unneeded files from their folders)",
    ]);
  });
});

describe("names", () => {
  it("holds the later of two plugins with equal or similar names, and names the other [M5]", async () => {
    const { directory } = memoryWorld({
      ...pluginFiles("words"),
      "zz/manifest.json": manifest("words"),
      "zz/main.ts": "",
      ...pluginFiles("w0rds"),
      ...pluginFiles("wo-rds"),
      ...pluginFiles("wo_rds"),
    });
    expect(states(await directory.scan())).toEqual([
      "w0rds: loaded",
      "wo-rds: loaded",
      'wo_rds: quarantined: Not accepted yet: its name "wo_rds" looks like "wo-rds", the name of the plugin in "/plugins/wo-rds" (rename it, or accept it with bascule accept)',
      'words: quarantined: Not accepted yet: its name "words" looks like "w0rds", the name of the plugin in "/plugins/w0rds" (rename it, or accept it with bascule accept)',
      'zz: quarantined: /name: "words" is the name of another plugin, in "/plugins/words" (choose another name, or bascule accept gives it this one and the other plugin waits)',
    ]);
  });

  it("prefers the folder of that name, and does not give a newcomer a name in use [M5]", async () => {
    const { directory, plant, code } = memoryWorld({
      "a/manifest.json": manifest("words"),
      "a/main.ts": "squatter",
      ...pluginFiles("words", "own"),
    });
    await directory.scan();
    expect(code("words_run")).toBe("own");
    plant({ "0/manifest.json": manifest("words"), "0/main.ts": "newcomer" });
    await directory.reloadChanged();
    expect(code("words_run")).toBe("own");
  });

  it("gives a name to the next folder only when its holder is gone [M5]", async () => {
    const { directory, plant, code, platform } = memoryWorld({
      ...pluginFiles("words", "own"),
      "zz/manifest.json": manifest("words"),
      "zz/main.ts": "other",
    });
    await directory.scan();
    plant({ "words/main.ts": "broken(" });
    await directory.reloadChanged();
    expect(code("words_run")).toBe("own");
    await platform.files.remove("/plugins/words");
    await directory.reloadChanged();
    expect(code("words_run")).toBe("other");
  });

  it("does not let a plugin take the name of one that cannot be loaded [M5]", async () => {
    const { directory, callable } = memoryWorld({
      ...pluginFiles("words", "broken("),
      "zz/manifest.json": manifest("words"),
      "zz/main.ts": "other",
    });
    await directory.scan();
    expect(callable("words_run")).toBe("main.ts:1:8: Unexpected end of input");
  });

  it("does not let a plugin take the name of one that is loading, whatever its folder held before [M5]", async () => {
    const { directory, plant, sandbox, registry } = memoryWorld(pluginFiles("a", "broken("));
    await directory.scan();
    plant({ "a/manifest.json": manifest("wo_rds"), "a/main.ts": "// slow" });
    const first = directory.reloadChanged();
    await expect.poll(() => sandbox.loads).toEqual(["a", "wo_rds"]);
    plant({ "b/manifest.json": manifest("wo-rds"), "b/main.ts": "" });
    const second = directory.reloadChanged();
    const refused =
      'b: quarantined: Not accepted yet: its name "wo-rds" looks like "wo_rds", the name of the plugin in "/plugins/a" (rename it, or accept it with bascule accept)';
    await expect.poll(() => states(directory.status())).toEqual(["a: failed: main.ts:1:8: Unexpected end of input", refused]);
    sandbox.release();
    await Promise.all([first, second]);
    expect(states(directory.status())).toEqual(["a: loaded", refused]);
    expect(registry.snapshot().tools.map(({ owner, binding }) => `${owner} ${binding.kind}`)).toEqual([
      "wo-rds unavailable",
      "wo_rds plugin",
    ]);
    expect(sandbox.images.size).toBe(1);
  });

  it("follows a plugin that changes its name [H9.rename]", async () => {
    const { directory, plant, callable, told } = memoryWorld({ "p/manifest.json": manifest("before"), "p/main.ts": "" });
    await directory.scan();
    plant({ "p/manifest.json": manifest("after") });
    expect(await directory.reloadChanged()).toBe(1);
    expect([callable("before_run"), callable("after_run")]).toEqual([undefined, expect.objectContaining({ name: "after" })]);
    expect(told()).toEqual(["plugin.loaded before", "plugin.removed before", "plugin.loaded after"]);
  });
});

describe("dependencies", () => {
  it("loads plugins after their dependencies [M7]", async () => {
    const { directory, sandbox } = memoryWorld({
      ...pluginFiles("a", "", { dependencies: { b: "*" } }),
      ...pluginFiles("b", "", { dependencies: { c: "^1.0.0" } }),
      ...pluginFiles("c"),
    });
    expect(states(await directory.scan())).toEqual(["a: loaded", "b: loaded", "c: loaded"]);
    expect(sandbox.loads).toEqual(["c", "b", "a"]);
  });

  it("does not load plugins with a missing, disabled, failed, out-of-range or cyclic dependency, and names it [M7]", async () => {
    const { directory, sandbox } = memoryWorld({
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
    expect(
      Object.fromEntries(
        found.filter(({ state }) => state === "failed").map(({ name, problems }) => [name, problems.map(({ message }) => message)]),
      ),
    ).toEqual({
      bad: ["main.ts:1:8: Unexpected end of input"],
      "needs-bad": ['Needs plugin "bad" *, which failed'],
      "needs-gone": ['Needs plugin "gone" *, which is not installed'],
      "needs-new": ['Needs plugin "good" ^2.0.0, but version 1.0.0 is loaded'],
      "needs-off": ['Needs plugin "off" *, which is disabled'],
      "needs-x": ['Needs plugin "x" *, which is not loaded'],
      x: ["Depends on itself: x → y → x"],
      y: ["Depends on itself: y → x → y"],
    });
    expect(sandbox.loads.toSorted()).toEqual(["bad", "good"]);
  });

  it("loads waiting plugins as soon as their dependency is there, along the whole chain [M7]", async () => {
    const { directory, plant } = memoryWorld({
      ...pluginFiles("a", "", { dependencies: { b: "*" } }),
      ...pluginFiles("b", "", { dependencies: { c: "*" } }),
    });
    await directory.scan();
    plant(pluginFiles("c"));
    expect(await directory.reloadChanged()).toBe(3);
    expect(states(directory.status())).toEqual(["a: loaded", "b: loaded", "c: loaded"]);
  });

  it("takes plugins with a lost dependency out of service, along the whole chain, and brings them back [M7]", async () => {
    const files = pluginFiles("c");
    const { directory, plant, platform, callable, sandbox } = memoryWorld({
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

  it("accepts the last good version of a dependency [M7] [H5]", async () => {
    const { directory, plant } = memoryWorld({ ...pluginFiles("a", "", { dependencies: { b: "*" } }), ...pluginFiles("b") });
    await directory.scan();
    plant({ "b/main.ts": "broken(" });
    await directory.reloadChanged();
    expect(states(directory.status())).toEqual(["a: loaded", "b: failed (last good serves): main.ts:1:8: Unexpected end of input"]);
  });
});
