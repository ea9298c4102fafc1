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
async function becomes(env: Bench, tool: string, expected: unknown): Promise<void> {
  await expect.poll(() => env.code(tool) ?? env.callable(tool), DEADLINE).toEqual(expected);
}

describe("watch()", () => {
  it("notices a new plugin, edits, and its removal [H3] [H9]", async () => {
    const env = await watched({});
    await env.write(pluginFiles("a", "one"));
    await becomes(env, "a_run", "one");
    await env.write({ "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
    await rm(join(env.root, "a"), { recursive: true });
    await becomes(env, "a_run", undefined);
    await env.directory.idle();
    expect(env.told()).toEqual(["plugin.loaded a", "plugin.reloaded a", "plugin.removed a"]);
    expect(env.sandbox.images.size).toBe(0);
  });

  it("notices edits in subfolders, and an editor's write by renaming [H3]", async () => {
    const env = await watched({ ...pluginFiles("a", "one"), "a/lib/x.json": "1" });
    const before = env.directory.status()[0]?.digest;
    await env.write({ "a/lib/x.json": "2" });
    await expect.poll(() => env.directory.status()[0]?.digest, DEADLINE).not.toBe(before);
    await env.write({ "a/main.ts.tmp": "two" });
    await rename(join(env.root, "a/main.ts.tmp"), join(env.root, "a/main.ts"));
    await becomes(env, "a_run", "two");
  });

  it("waits for the second half of a file [H3.half-written]", async () => {
    const env = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await env.write({ "a/main.ts": "broken(" });
    await expect.poll(() => env.sandbox.loads, DEADLINE).toEqual(["a", "a"]);
    await env.write({ "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
    expect(env.told()).toEqual(["plugin.loaded a", "plugin.reloaded a"]);
  });

  it("waits longer for a file that was emptied, because it is about to be written [H3.half-written]", async () => {
    const env = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await env.write({ "a/main.ts": "" });
    // Longer than the quiet window.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await env.write({ "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
    expect(env.sandbox.loads).toHaveLength(2);
  });

  it("loads a file that stays empty [H3]", async () => {
    const env = await watched(pluginFiles("a", "one"));
    await env.write({ "a/main.ts": "" });
    await becomes(env, "a_run", "");
  });

  it("shows a failure, keeps the last good version, and recovers [H5]", async () => {
    const env = await watched(pluginFiles("a", "one"));
    await env.write({ "a/main.ts": "\nbroken(" });
    await expect
      .poll(() => env.directory.status()[0], DEADLINE)
      .toMatchObject({ state: "failed", lastGood: true, error: { file: "main.ts", line: 2 } });
    expect(env.code("a_run")).toBe("one");
    await env.write({ "a/main.ts": "three" });
    await becomes(env, "a_run", "three");
    expect(env.told()).toEqual(["plugin.loaded a", "plugin.failed a", "plugin.reloaded a"]);
  });

  it("releases a name that a folder claimed only temporarily [M5]", async () => {
    const env = await watched(pluginFiles("a", "one"), undefined, PATIENT);
    await env.write({ "a/main.ts": "broken(" });
    await env.write({ "a/manifest.json": manifest("b") });
    await expect.poll(() => env.sandbox.loads.at(-1), DEADLINE).toBe("b");
    await env.write(pluginFiles("a", "one"));
    await env.directory.idle();
    await env.write({ "c/manifest.json": manifest("b"), "c/main.ts": "two" });
    await becomes(env, "b_run", "two");
    expect(env.told()).toEqual(["plugin.loaded a", "plugin.loaded b"]);
  });

  it("follows a folder that is renamed [H9.rename]", async () => {
    const env = await watched(pluginFiles("a", "one"), undefined, { quietMs: 25, goneMs: 50, graceMs: 1_000 });
    await rename(join(env.root, "a"), join(env.root, "b"));
    await expect.poll(() => env.directory.status().map(({ folder, state }) => `${folder} ${state}`), DEADLINE).toEqual(["b loaded"]);
    expect(env.code("a_run")).toBe("one");
    expect(env.told()).toEqual(["plugin.loaded a", "plugin.removed a", "plugin.loaded a"]);
    await env.write({ "b/main.ts": "two" });
    await becomes(env, "a_run", "two");
    expect(env.sandbox.images.size).toBe(1);
  });

  it("notices edits after a folder was replaced by another [H3.swap] [H9.swap]", async () => {
    const env = await watched(pluginFiles("a", "one"));
    for (let round = 0; round < 3; round++) {
      await mkdir(join(env.home, "next"));
      await writeFile(join(env.home, "next/manifest.json"), manifest("a"));
      await writeFile(join(env.home, "next/main.ts"), `swapped ${round}`);
      await rename(join(env.root, "a"), join(env.home, `old${round}`));
      await rename(join(env.home, "next"), join(env.root, "a"));
      await becomes(env, "a_run", `swapped ${round}`);
      await env.write({ "a/main.ts": `edited ${round}` });
      await becomes(env, "a_run", `edited ${round}`);
    }
    expect(env.told().filter((line) => line !== "plugin.reloaded a")).toEqual(["plugin.loaded a"]);
  });

  it("follows a plugin folder that is a link, its target's edits, and its retargeting [H9.symlink]", async () => {
    const env = await watched({});
    for (const name of ["v1", "v2"]) {
      await mkdir(join(env.home, name));
      await writeFile(join(env.home, name, "manifest.json"), manifest("a"));
      await writeFile(join(env.home, name, "main.ts"), name);
    }
    await symlink(join(env.home, "v1"), join(env.root, "a"));
    await becomes(env, "a_run", "v1");
    expect(env.callable("a_run")).toMatchObject({ directory: join(env.home, "v1") });
    await writeFile(join(env.home, "v1/main.ts"), "v1 edited");
    await becomes(env, "a_run", "v1 edited");
    await symlink(join(env.home, "v2"), join(env.home, "link"));
    await rename(join(env.home, "link"), join(env.root, "a"));
    await becomes(env, "a_run", "v2");
    await writeFile(join(env.home, "v2/main.ts"), "v2 edited");
    await becomes(env, "a_run", "v2 edited");
    await unlink(join(env.root, "a"));
    await becomes(env, "a_run", undefined);
  });

  it("continues when a whole root is removed and created again [H9]", async () => {
    const env = await watched(pluginFiles("a", "one"));
    await rm(env.root, { recursive: true });
    await becomes(env, "a_run", undefined);
    await env.write(pluginFiles("a", "two"));
    await becomes(env, "a_run", "two");
    await env.write({ "a/main.ts": "three" });
    await becomes(env, "a_run", "three");
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
    const env = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: DEAF }));
    await env.write({ ...pluginFiles("b", "new"), "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
    await becomes(env, "b_run", "new");
    await rm(join(env.root, "b"), { recursive: true });
    await becomes(env, "b_run", undefined);
  });

  it("notices by scanning an edit with the same length and time stamp, right after a load [H3.reconcile]", async () => {
    const env = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: DEAF }));
    const file = join(env.root, "a/main.ts");
    const now = new Date();
    await utimes(file, now, now);
    await env.directory.reloadChanged();
    await writeFile(file, "two");
    await utimes(file, now, now);
    await becomes(env, "a_run", "two");
  });

  it("does not reload a touched but unchanged folder, even if it had failed [H2]", async () => {
    const env = await watched({ ...pluginFiles("a", "one"), ...pluginFiles("bad", "broken("), ...pluginFiles("canary", "one") });
    await env.write({ "a/main.ts": "one", "bad/main.ts": "broken(", "canary/main.ts": "two" });
    await becomes(env, "canary_run", "two");
    await env.directory.idle();
    expect(env.sandbox.loads.toSorted()).toEqual(["a", "bad", "canary", "canary"]);
  });

  it("reopens its watch when a folder was replaced, because a watch may stay with the old one [H3.swap]", async () => {
    const opened: string[] = [];
    const counting: Watcher = {
      watch: (paths) => {
        opened.push(...paths);
        return Promise.resolve({ close: () => Promise.resolve(opened.push("closed")).then(() => undefined) });
      },
    };
    const env = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: counting }));
    expect(opened).toEqual([env.root]);
    await env.write({ "../next/manifest.json": manifest("a"), "../next/main.ts": "two" });
    await rename(join(env.root, "a"), join(env.home, "old"));
    await rename(join(env.home, "next"), join(env.root, "a"));
    await expect.poll(() => opened, DEADLINE).toEqual([env.root, "closed", env.root]);
    expect(env.code("a_run")).toBe("two");
  });

  it("reports once that the watcher failed, and continues by scanning [H3.error]", async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing: Watcher = {
      watch: (_paths, _onChange, onError) => {
        fail = onError;
        return Promise.resolve({ close: () => Promise.resolve() });
      },
    };
    const env = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: failing }));
    fail(new Error("ENOSPC: no space for watches"));
    fail(new Error("ENOSPC: no space for watches"));
    const notice = "Watching failed: ENOSPC: no space for watches (changes are found by polling, every few seconds)";
    expect(env.directory.notices()).toEqual([notice]);
    expect(env.log.filter((line) => line.includes("ENOSPC"))).toEqual([`warn ${notice}`]);
    await env.write({ "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
  });

  it("continues if the watcher cannot start [H3.error]", async () => {
    const refusing: Watcher = { watch: () => Promise.reject(new Error("EMFILE")) };
    const env = await watched(pluginFiles("a", "one"), (platform) => ({ ...platform, watcher: refusing }));
    expect(env.directory.notices()).toEqual(["Watching failed: EMFILE (changes are found by polling, every few seconds)"]);
    await env.write({ "a/main.ts": "two" });
    await becomes(env, "a_run", "two");
  });

  it("leaves no timer, watch or work after close [H9]", async () => {
    const env = await watched(pluginFiles("a", "one"));
    await env.write({ "a/main.ts": "two" });
    await env.directory.close();
    const events = env.events.length;
    await env.write({ "a/main.ts": "three" });
    await env.directory.idle();
    expect({
      events: env.events.length - events,
      images: env.sandbox.images.size,
      tools: env.registry.snapshot().tools.length,
    }).toEqual({ events: 0, images: 0, tools: 0 });
  });
});
