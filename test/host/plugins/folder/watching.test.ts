import { mkdir, rename, rm, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform, Watcher } from "../../../../host/platform/platform.ts";
import { SETTLE_TIMING, type SettleTiming } from "../../../../host/plugins/folder/settle.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { type Bench, diskPlatform, inRoot, manifest, openBench, pluginFiles } from "./harness.ts";

interface DiskWorld extends Bench {
  readonly root: string;
  /** Folder that holds the root. */
  readonly home: string;
  readonly log: readonly string[];
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

const DEADLINE = { timeout: 30_000, interval: 5 };

/** The watcher reports nothing: only the reconcile scan notices changes. */
const DEAF: Watcher = { watch: () => Promise.resolve({ close: () => Promise.resolve() }) };

/** Failures are not confirmed for this long, so that no stall of the machine counts as one. */
const PATIENT: SettleTiming = { quietMs: 25, goneMs: 3_000, graceMs: 3_000 };

/** Scanned and watched. */
async function watched(
  files: Readonly<Record<string, string>>,
  change: (platform: Platform) => Platform = (platform) => platform,
  timing: SettleTiming = SETTLE_TIMING,
): Promise<DiskWorld> {
  const home = await temporaryFolder();
  const root = join(home, "plugins");
  await mkdir(root);
  const log: string[] = [];
  const bench = openBench({ platform: change(diskPlatform(log)), roots: [root], timing });
  const write: DiskWorld["write"] = async (more) => {
    for (const [path, text] of Object.entries(more)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  };
  await write(files);
  await bench.directory.scan();
  await bench.directory.watch();
  return { ...bench, root, home, log, write };
}

/** Returns the code of one plugin's tool, or why it cannot be called. */
async function becomes(world: Bench, tool: string, expected: unknown): Promise<void> {
  await expect.poll(() => world.code(tool) ?? world.callable(tool), DEADLINE).toEqual(expected);
}

describe("watch()", () => {
  it("notices a new plugin, edits, and its removal [H3] [H9]", async () => {
    const world = await watched({});
    await world.write(pluginFiles("a", "one"));
    await becomes(world, "a_run", "one");
    await world.write({ "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
    await rm(join(world.root, "a"), { recursive: true });
    await becomes(world, "a_run", undefined);
    await world.directory.idle();
    expect(world.told()).toEqual(["plugin.loaded a", "plugin.reloaded a", "plugin.removed a"]);
    expect(world.sandbox.images.size).toBe(0);
  });

  it("notices edits in subfolders, and an editor's write by renaming [H3]", async () => {
    const world = await watched({ ...pluginFiles("a", "one"), "a/lib/x.json": "1" });
    const before = world.directory.status()[0]?.digest;
    await world.write({ "a/lib/x.json": "2" });
    await expect.poll(() => world.directory.status()[0]?.digest, DEADLINE).not.toBe(before);
    await world.write({ "a/main.ts.tmp": "two" });
    await rename(join(world.root, "a/main.ts.tmp"), join(world.root, "a/main.ts"));
    await becomes(world, "a_run", "two");
  });

  it("waits for the second half of a file [H3.half-written]", async () => {
    const world = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await world.write({ "a/main.ts": "broken(" });
    await expect.poll(() => world.sandbox.loads, DEADLINE).toEqual(["a", "a"]);
    await world.write({ "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
    expect(world.told()).toEqual(["plugin.loaded a", "plugin.reloaded a"]);
  });

  it("waits longer for a file that was emptied, because it is about to be written [H3.half-written]", async () => {
    const world = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await world.write({ "a/main.ts": "" });
    // Longer than the quiet window.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await world.write({ "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
    expect(world.sandbox.loads).toHaveLength(2);
  });

  it("loads a file that stays empty [H3]", async () => {
    const world = await watched(pluginFiles("a", "one"));
    await world.write({ "a/main.ts": "" });
    await becomes(world, "a_run", "");
  });

  it("shows a failure, keeps the last good version, and recovers [H5]", async () => {
    const world = await watched(pluginFiles("a", "one"));
    await world.write({ "a/main.ts": "\nbroken(" });
    await expect
      .poll(() => world.directory.status()[0], DEADLINE)
      .toMatchObject({ state: "failed", lastGood: true, error: { file: "main.ts", line: 2 } });
    expect(world.code("a_run")).toBe("one");
    await world.write({ "a/main.ts": "three" });
    await becomes(world, "a_run", "three");
    expect(world.told()).toEqual(["plugin.loaded a", "plugin.failed a", "plugin.reloaded a"]);
  });

  it("releases a name that a folder claimed only temporarily [M5]", async () => {
    const world = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await world.write({ "a/main.ts": "broken(" });
    await world.write({ "a/manifest.json": manifest("b") });
    await expect.poll(() => world.sandbox.loads.at(-1), DEADLINE).toBe("b");
    await world.write(pluginFiles("a", "one"));
    await world.directory.idle();
    await world.write({ "c/manifest.json": manifest("b"), "c/main.ts": "two" });
    await becomes(world, "b_run", "two");
    expect(world.told()).toEqual(["plugin.loaded a", "plugin.loaded b"]);
  });

  it("follows a folder that is renamed [H9.rename]", async () => {
    const world = await watched(pluginFiles("a", "one"), undefined, { quietMs: 25, goneMs: 50, graceMs: 1_000 });
    await rename(join(world.root, "a"), join(world.root, "b"));
    await expect.poll(() => world.directory.status().map(({ folder, state }) => `${folder} ${state}`), DEADLINE).toEqual(["b loaded"]);
    expect(world.code("a_run")).toBe("one");
    expect(world.told()).toEqual(["plugin.loaded a", "plugin.removed a", "plugin.loaded a"]);
    await world.write({ "b/main.ts": "two" });
    await becomes(world, "a_run", "two");
    expect(world.sandbox.images.size).toBe(1);
  });

  it("notices edits after a folder was replaced by another [H3.swap] [H9.swap]", async () => {
    const world = await watched(pluginFiles("a", "one"));
    for (let round = 0; round < 3; round++) {
      await mkdir(join(world.home, "next"));
      await writeFile(join(world.home, "next/manifest.json"), manifest("a"));
      await writeFile(join(world.home, "next/main.ts"), `swapped ${round}`);
      await rename(join(world.root, "a"), join(world.home, `old${round}`));
      await rename(join(world.home, "next"), join(world.root, "a"));
      await becomes(world, "a_run", `swapped ${round}`);
      await world.write({ "a/main.ts": `edited ${round}` });
      await becomes(world, "a_run", `edited ${round}`);
    }
    expect(world.told().filter((line) => line !== "plugin.reloaded a")).toEqual(["plugin.loaded a"]);
  });

  it("follows a plugin folder that is a link, its target's edits, and its retargeting [H9.symlink]", async () => {
    const world = await watched({});
    for (const name of ["v1", "v2"]) {
      await mkdir(join(world.home, name));
      await writeFile(join(world.home, name, "manifest.json"), manifest("a"));
      await writeFile(join(world.home, name, "main.ts"), name);
    }
    await symlink(join(world.home, "v1"), join(world.root, "a"));
    await becomes(world, "a_run", "v1");
    expect(world.callable("a_run")).toMatchObject({ directory: join(world.home, "v1") });
    await writeFile(join(world.home, "v1/main.ts"), "v1 edited");
    await becomes(world, "a_run", "v1 edited");
    await symlink(join(world.home, "v2"), join(world.home, "link"));
    await rename(join(world.home, "link"), join(world.root, "a"));
    await becomes(world, "a_run", "v2");
    await writeFile(join(world.home, "v2/main.ts"), "v2 edited");
    await becomes(world, "a_run", "v2 edited");
    await unlink(join(world.root, "a"));
    await becomes(world, "a_run", undefined);
  });

  it("continues when a whole root is removed and created again [H9]", async () => {
    const world = await watched(pluginFiles("a", "one"));
    await rm(world.root, { recursive: true });
    await becomes(world, "a_run", undefined);
    await world.write(pluginFiles("a", "two"));
    await becomes(world, "a_run", "two");
    await world.write({ "a/main.ts": "three" });
    await becomes(world, "a_run", "three");
  });

  it.each(["replaced by another folder", "a link with a new target"])(
    "notices a root that is %s within half a second, before any scan [H9.replacedRoot]",
    async (how) => {
      const entries = inRoot({ ...pluginFiles("a", "one") }, "/one");
      const other = inRoot({ ...pluginFiles("a", "two"), ...pluginFiles("b", "new") }, "/two");
      const platform = { ...createMemoryPlatform({ files: { ...entries, ...other } }), watcher: DEAF };
      const { files } = platform;
      if (how.startsWith("a link")) platform.plant("/plugins", { link: "/one" });
      else await files.rename("/one", "/plugins");
      const bench = openBench({ platform, roots: ["/plugins"] });
      await bench.directory.scan();
      await bench.directory.watch();
      expect(bench.code("a_run")).toBe("one");
      await files.rename("/plugins", "/before");
      if (how.startsWith("a link")) platform.plant("/plugins", { link: "/two" });
      else await files.rename("/two", "/plugins");
      for (let passed = 0; passed < 1_900; passed += 10) {
        platform.advance(10);
        for (let turn = 0; turn < 40; turn++) await Promise.resolve();
      }
      expect([bench.code("a_run"), bench.code("b_run")]).toEqual(["two", "new"]);
    },
  );

  it("notices changes without events by scanning [H3.reconcile]", async () => {
    const world = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: DEAF }));
    await world.write({ ...pluginFiles("b", "new"), "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
    await becomes(world, "b_run", "new");
    await rm(join(world.root, "b"), { recursive: true });
    await becomes(world, "b_run", undefined);
  });

  it("notices by scanning an edit with the same length and time stamp, right after a load [H3.reconcile]", async () => {
    const world = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: DEAF }));
    const file = join(world.root, "a/main.ts");
    const now = new Date();
    await utimes(file, now, now);
    await world.directory.reloadChanged();
    await writeFile(file, "two");
    await utimes(file, now, now);
    await becomes(world, "a_run", "two");
  });

  it("does not reload a touched but unchanged folder, even if it had failed [H2]", async () => {
    const world = await watched({ ...pluginFiles("a", "one"), ...pluginFiles("bad", "broken("), ...pluginFiles("canary", "one") });
    await world.write({ "a/main.ts": "one", "bad/main.ts": "broken(", "canary/main.ts": "two" });
    await becomes(world, "canary_run", "two");
    await world.directory.idle();
    expect(world.sandbox.loads.toSorted()).toEqual(["a", "bad", "canary", "canary"]);
  });

  it("reopens its watch when a folder was replaced, because a watch may stay with the old one [H3.swap]", async () => {
    const opened: string[] = [];
    const counting: Watcher = {
      watch: (paths) => {
        opened.push(...paths);
        return Promise.resolve({ close: () => Promise.resolve(opened.push("closed")).then(() => undefined) });
      },
    };
    const world = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: counting }));
    expect(opened).toEqual([world.root]);
    await world.write({ "../next/manifest.json": manifest("a"), "../next/main.ts": "two" });
    await rename(join(world.root, "a"), join(world.home, "old"));
    await rename(join(world.home, "next"), join(world.root, "a"));
    await expect.poll(() => opened, DEADLINE).toEqual([world.root, "closed", world.root]);
    expect(world.code("a_run")).toBe("two");
  });

  it("reports once that the watcher failed, and continues by scanning [H3.error]", async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing: Watcher = {
      watch: (_paths, _onChange, onError) => {
        fail = onError;
        return Promise.resolve({ close: () => Promise.resolve() });
      },
    };
    const world = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: failing }));
    fail(new Error("ENOSPC: no space for watches"));
    fail(new Error("ENOSPC: no space for watches"));
    const notice = "Watching failed: ENOSPC: no space for watches (changes are found by polling, every few seconds)";
    expect(world.directory.notices()).toEqual([notice]);
    expect(world.log.filter((line) => line.includes("ENOSPC"))).toEqual([`warn ${notice}`]);
    await world.write({ "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
  });

  it("continues if the watcher cannot start [H3.error]", async () => {
    const refusing: Watcher = { watch: () => Promise.reject(new Error("EMFILE")) };
    const world = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: refusing }));
    expect(world.directory.notices()).toEqual(["Watching failed: EMFILE (changes are found by polling, every few seconds)"]);
    await world.write({ "a/main.ts": "two" });
    await becomes(world, "a_run", "two");
  });

  it("leaves no timer, watch or work after close [H9]", async () => {
    const world = await watched(pluginFiles("a", "one"));
    await world.write({ "a/main.ts": "two" });
    await world.directory.close();
    const events = world.events.length;
    await world.write({ "a/main.ts": "three" });
    await world.directory.idle();
    expect({
      events: world.events.length - events,
      images: world.sandbox.images.size,
      tools: world.registry.snapshot().tools.length,
    }).toEqual({ events: 0, images: 0, tools: 0 });
  });
});
