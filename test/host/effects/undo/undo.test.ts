import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHost, type Host } from "../../../../host/mod.ts";
import type { MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { hostTool } from "../../../support/tools.ts";
import { answerOperation, createOpenFiles } from "../../../../host/capabilities/mod.ts";
import { testCall, toBytes } from "../../../support/bridge-context.ts";
import { recordUndo } from "../../../../host/effects/undo/record-undo.ts";
import { lookTask } from "../../../../host/effects/undo/look-task.ts";
import { createUndoStore, type UndoStore } from "../../../../host/effects/undo/undo-store.ts";
import { hostPlace } from "../../../../host/capabilities/checked.ts";
import type { UndoStep } from "../../../../host/effects/undo/undo-step.ts";
import { undoSteps, type Undone } from "../../../../host/effects/undo/undo.ts";

const FILES = {
  "a.txt": "one",
  "b.txt": "two",
  "dir/c.txt": "c",
  "dir/sub/d.txt": "d",
  other: { link: "dir" },
  "links/out": { link: "/etc" },
  "links/to": { link: "../dir/c.txt" },
};
const BOUNDS = { maxBytes: 1_000_000, maxAgeMs: 1_000_000 };

interface Recorded {
  readonly platform: MemoryPlatform;
  readonly store: UndoStore;
  answer(name: string, args: Parameters<typeof answerOperation>[0]["args"], contents?: string): Promise<void>;
  undo(): Promise<Undone>;
  text(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
}

/** Records every operation of a call. All must succeed. */
function recorded(files: Parameters<typeof memoryPlatform>[0] = FILES, bounds = BOUNDS, mostRemoved?: number): Recorded {
  const platform = memoryPlatform(files);
  const store = createUndoStore(platform, `${WORKSPACE}/.bascule`, () => bounds);
  const guarded = recordUndo({
    below: platform.guarded,
    files: platform.files,
    look: (wanted) => lookTask(wanted, platform),
    open: () => store.open({ callId: "c1", tool: "t", atMs: 5 }),
    ...(mostRemoved !== undefined && { mostRemoved }),
    onError: (error) => {
      throw error;
    },
  });
  const { context } = testCall({ platform, cwd: WORKSPACE, permissions: { read: true, write: true } });
  const call = { ...context, platform: { ...platform, guarded }, openFiles: createOpenFiles("c1") };
  return {
    platform,
    store,
    async answer(name, args, contents) {
      const answered = await answerOperation({ name, args, ...(contents !== undefined && { bytes: toBytes(contents) }) }, call);
      if (!answered.ok) throw new Error(answered.error.message);
      if (name === "file.open") {
        await answerOperation({ name: "file.write", args: { id: answered.value }, bytes: toBytes("opened") }, call);
        await answerOperation({ name: "file.close", args: { id: answered.value } }, call);
      }
    },
    async undo() {
      const kept = await store.read("c1");
      if (kept === undefined) throw new Error("Nothing was kept");
      const { guarded: real, random } = platform;
      return await undoSteps(kept.steps, {
        files: real,
        random,
        hasher: platform,
        grant: context.grant,
        workspace: WORKSPACE,
        renewed: new Map(),
      });
    },
    async text(path) {
      const info = await platform.files.lstat(`${WORKSPACE}/${path}`);
      if (info?.kind === "symlink") return `→ ${await platform.guarded.readLink(hostPlace(`${WORKSPACE}/${path}`))}`;
      return info?.kind === "file" ? await platform.files.readText(`${WORKSPACE}/${path}`) : info?.kind;
    },
    write: (path, text) => platform.files.writeAtomic(`${WORKSPACE}/${path}`, text),
  };
}

describe("undo", () => {
  it.each<[string, [string, Parameters<Recorded["answer"]>[1], string?][], string]>([
    [
      "writing",
      [
        ["fs.writeFile", { path: "a.txt" }, "x"],
        ["fs.writeFile", { path: "a.txt", append: true }, "y"],
      ],
      "a.txt",
    ],
    ["appending", [["fs.writeFile", { path: "a.txt", append: true }, "y"]], "a.txt"],
    ["truncating", [["fs.truncate", { path: "a.txt", len: 1 }]], "a.txt"],
    ["copying onto", [["fs.copyFile", { from: "b.txt", to: "a.txt" }]], "a.txt"],
    ["patching", [["workspace.patch", { path: "a.txt", old: "one", replacement: "1" }]], "a.txt"],
    ["opening to write", [["file.open", { path: "a.txt", write: true, truncate: true }]], "a.txt"],
    ["removing", [["fs.remove", { path: "a.txt" }]], "a.txt"],
    [
      "renaming",
      [
        ["fs.rename", { from: "a.txt", to: "new.txt" }],
        ["fs.writeFile", { path: "new.txt" }, "x"],
      ],
      "a.txt",
    ],
    ["renaming over", [["fs.rename", { from: "b.txt", to: "a.txt" }]], "a.txt"],
    [
      "removing a tree",
      [
        ["fs.writeFile", { path: "dir/c.txt" }, "x"],
        ["fs.remove", { path: "dir", recursive: true }],
      ],
      "dir/sub/d.txt",
    ],
    [
      "moving a folder",
      [
        ["fs.rename", { from: "dir", to: "moved" }],
        ["fs.writeFile", { path: "moved/c.txt" }, "x"],
      ],
      "dir/c.txt",
    ],
    ["removing a link", [["fs.remove", { path: "other" }]], "other"],
    ["removing a tree with links that lead out or dangle", [["fs.remove", { path: "links", recursive: true }]], "links/out"],
    ["moving a file onto a link", [["fs.rename", { from: "b.txt", to: "links/to" }]], "links/to"],
    ["writing in place of a link", [["workspace.write", { path: "links/to" }, "x"]], "dir/c.txt"],
    ["writing through a link", [["fs.writeFile", { path: "other/c.txt" }, "x"]], "dir/c.txt"],
    [
      "making",
      [
        ["fs.mkdir", { path: "x/y/z", recursive: true }],
        ["fs.writeFile", { path: "x/y/z/n.txt" }, "x"],
      ],
      "x",
    ],
    [
      "making and removing",
      [
        ["fs.writeFile", { path: "t.txt" }, "x"],
        ["fs.remove", { path: "t.txt" }],
      ],
      "t.txt",
    ],
  ])("puts back what %s changed [E8.undo]", async (_what, acts, path) => {
    const call = recorded();
    const before = await Promise.all(["a.txt", "b.txt", "dir/c.txt", "dir/sub/d.txt", path].map(call.text));
    for (const [name, args, contents] of acts) await call.answer(name, args, contents);
    expect((await call.undo()).left).toEqual([]);
    expect(await Promise.all(["a.txt", "b.txt", "dir/c.txt", "dir/sub/d.txt", path].map(call.text))).toEqual(before);
    expect(await call.text("new.txt")).toBeUndefined();
  });

  it("leaves and names a link that was created in place of a removed one [E8.undo-left]", async () => {
    const call = recorded();
    await call.answer("fs.remove", { path: "other" });
    call.platform.plant(`${WORKSPACE}/other`, { link: "elsewhere" });
    expect(await call.undo()).toEqual({ restored: [], left: [{ path: `${WORKSPACE}/other`, reason: "it was changed after the call" }] });
    expect(await call.text("other")).toBe("→ elsewhere");
  });

  it("leaves and names what others changed after the call [E8.undo-left]", async () => {
    const call = recorded();
    await call.answer("fs.writeFile", { path: "a.txt" }, "by the call");
    await call.answer("fs.writeFile", { path: "made.txt" }, "by the call");
    await call.answer("fs.mkdir", { path: "folder" });
    await call.answer("fs.remove", { path: "b.txt" });
    await call.answer("fs.rename", { from: "dir/c.txt", to: "dir/e.txt" });
    await call.write("a.txt", "by the user");
    await call.write("made.txt", "by the user");
    await call.write("folder/mine.txt", "by the user");
    await call.write("b.txt", "by the user");
    await call.write("dir/e.txt", "by the user");
    const { restored, left } = await call.undo();
    expect(restored).toEqual([]);
    expect(left.map(({ path }) => path.slice(WORKSPACE.length + 1)).toSorted()).toEqual([
      "a.txt",
      "b.txt",
      "dir/c.txt",
      "folder",
      "made.txt",
    ]);
    expect(await call.text("a.txt")).toBe("by the user");
    expect(await call.text("b.txt")).toBe("by the user");
    expect(await call.text("made.txt")).toBe("by the user");
  });

  it("does not write through a link that replaced a folder, nor onto another entry [E8.undo-left, C4]", async () => {
    const call = recorded();
    await call.answer("fs.writeFile", { path: "dir/c.txt" }, "by the call");
    await call.answer("fs.rename", { from: "a.txt", to: "b.txt" });
    await call.platform.files.rename(`${WORKSPACE}/dir`, `${WORKSPACE}/moved`);
    call.platform.plant(`${WORKSPACE}/dir`, { link: "moved" });
    await call.write("a.txt", "by the user");
    const { restored, left } = await call.undo();
    expect([restored, left.map(({ path }) => path.slice(WORKSPACE.length + 1)).toSorted()]).toEqual([[], ["a.txt", "b.txt", "dir/c.txt"]]);
    expect(await Promise.all(["moved/c.txt", "a.txt", "b.txt"].map(call.text))).toEqual(["by the call", "by the user", "one"]);
  });

  it("keeps the state before the first of several concurrent changes [E8.undo]", async () => {
    const call = recorded();
    await Promise.all([
      call.answer("fs.writeFile", { path: "a.txt" }, "x"),
      call.answer("fs.writeFile", { path: "a.txt" }, "y"),
      call.answer("fs.rename", { from: "a.txt", to: "new.txt" }),
      call.answer("fs.writeFile", { path: "a.txt" }, "z"),
    ]);
    expect((await call.undo()).left).toEqual([]);
    expect(await Promise.all(["a.txt", "new.txt"].map(call.text))).toEqual(["one", undefined]);
  });

  it("looks once at the state after concurrent changes, before any move, and off the host's thread [E8.undo, B1] [LV2.undo]", async () => {
    const platform = memoryPlatform(FILES);
    const store = createUndoStore(platform, `${WORKSPACE}/.bascule`, () => BOUNDS);
    let looks = 0;
    const guarded = recordUndo({
      below: { ...platform.guarded, readBytes: () => expect.unreachable("A file was read on the host's thread") },
      files: platform.files,
      look: async (wanted) => (looks++, await lookTask(wanted, platform)),
      open: () => store.open({ callId: "c1", tool: "t", atMs: 5 }),
      onError: (error) => {
        throw error;
      },
    });
    const { context } = testCall({ platform, cwd: WORKSPACE, permissions: { read: true, write: true } });
    const act = (name: string, args: Parameters<typeof answerOperation>[0]["args"]): ReturnType<typeof answerOperation> =>
      answerOperation({ name, args, bytes: toBytes("x") }, { ...context, platform: { ...platform, guarded } });
    await Promise.all(Array.from({ length: 50 }, () => act("fs.writeFile", { path: "a.txt", append: true })));
    // The image, and the state after the last change.
    expect(looks).toBe(2);
    await Promise.all([
      act("fs.writeFile", { path: "b.txt" }),
      act("fs.rename", { from: "b.txt", to: "moved.txt" }),
      act("fs.writeFile", { path: "b.txt" }),
    ]);
    const kept = await store.read("c1");
    if (kept === undefined) throw new Error("Nothing was kept");
    const grant = context.grant;
    const undone = await undoSteps(kept.steps, {
      files: platform.guarded,
      random: platform.random,
      hasher: platform,
      grant,
      workspace: WORKSPACE,
      renewed: new Map(),
    });
    expect(undone.left).toEqual([]);
    expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("one");
    expect(await platform.files.readText(`${WORKSPACE}/b.txt`)).toBe("two");
  });

  it("hashes the files that it restores and replaces in slices [LV2.undo]", async () => {
    const large = "x".repeat(200_000);
    const call = recorded({ "a.txt": large });
    await call.write("a.txt", large);
    await call.answer("fs.writeFile", { path: "a.txt" }, "y".repeat(300_000));
    const { platform } = call;
    const lengths: number[] = [];
    const { sha256 } = platform;
    const digest = vi.spyOn(crypto.subtle, "digest");
    onTestFinished(() => digest.mockRestore());
    Object.assign(platform, {
      sha256() {
        const hash = sha256();
        return { update: (bytes: Uint8Array) => (lengths.push(bytes.length), hash.update(bytes)), hex: () => hash.hex() };
      },
    });
    expect((await call.undo()).restored).toEqual([`${WORKSPACE}/a.txt`]);
    expect(await call.text("a.txt")).toBe(large);
    expect(lengths.reduce((total, length) => total + length, 0)).toBe(500_000);
    expect(Math.max(...lengths)).toBe(64 * 1024);
    expect(digest.mock.calls.filter(([, data]) => data.byteLength > 64 * 1024)).toEqual([]);
  });

  it("keeps an image before the change happens, so that nothing is lost if the host is killed [E8.undo-crash]", async () => {
    const call = recorded();
    await call.answer("fs.writeFile", { path: "a.txt" }, "x");
    const folder = `${WORKSPACE}/.bascule/undo/5.c1`;
    // Simulates a host killed between image and after-state: with the change made, and without.
    await call.platform.files.remove(`${folder}/00000.after`);
    expect((await call.undo()).left).toEqual([{ path: `${WORKSPACE}/a.txt`, reason: "the call was terminated while it changed this" }]);
    expect(await call.platform.files.readText(`${folder}/00000.before`)).toBe("one");
    await call.write("a.txt", "one");
    expect(await call.undo()).toEqual({ restored: [], left: [] });
  });

  it("keeps images up to the bounds; the oldest calls go first [E8.undo-bounds]", async () => {
    const call = recorded({ "a.txt": "x".repeat(800), "b.txt": "y".repeat(800), "c.txt": "z" }, { maxBytes: 1_000, maxAgeMs: 100 });
    for (const path of ["a.txt", "b.txt", "c.txt"]) await call.answer("fs.writeFile", { path }, "new");
    const { restored, left } = await call.undo();
    expect(restored).toEqual([`${WORKSPACE}/c.txt`, `${WORKSPACE}/a.txt`]);
    expect(left).toMatchObject([{ path: `${WORKSPACE}/b.txt`, reason: expect.stringContaining("not enough room to keep") }]);
    await call.store.open({ callId: "c2", tool: "t", atMs: 6 });
    expect((await call.store.list()).map(({ callId }) => callId)).toEqual(["c2"]);
    await call.store.open({ callId: "a strange ../../id", tool: "t", atMs: 500 });
    expect((await call.store.list()).map(({ callId }) => callId)).toEqual(["a strange ../../id"]);
  });

  it("makes room by removing calls of the plugin that holds most [E8.undo-shares]", async () => {
    const { platform } = recorded({});
    const store = createUndoStore(platform, `${WORKSPACE}/.bascule`, () => ({ maxBytes: 1_000, maxAgeMs: 1_000_000 }));
    const keep = async (plugin: string | undefined, atMs: number, bytes: number): Promise<void> => {
      const log = await store.open({ callId: `${plugin ?? "host"}-${atMs}`, tool: "t", atMs }, plugin);
      await log.keep({ kind: "place", path: "/w/x", before: { kind: "file", bytes, sha256: "", mode: 0o644 } });
    };
    await keep("careful", 1, 100);
    await keep(undefined, 2, 100);
    for (let atMs = 3; atMs < 20; atMs++) await keep("greedy", atMs, 200);
    await keep("careful", 20, 1);
    const calls = (await store.list()).map(({ callId }) => callId);
    expect(calls).toEqual(["careful-20", "greedy-19", "host-2", "careful-1"]);
  });

  it("gives room to a call beside one that filled the folder; that plugin loses its own images [E8.undo-shares]", async () => {
    const { platform } = recorded({});
    const store = createUndoStore(platform, `${WORKSPACE}/.bascule`, () => ({ maxBytes: 1_000, maxAgeMs: 1_000_000 }));
    const stepOf = (bytes: number): UndoStep => ({ kind: "place", path: "/w/x", before: { kind: "file", bytes, sha256: "", mode: 0o644 } });
    const careful = await store.open({ callId: "careful", tool: "t", atMs: 1 }, "careful");
    const greedy = await store.open({ callId: "greedy", tool: "t", atMs: 2 }, "greedy");
    await careful.keep(stepOf(10));
    await greedy.keep(stepOf(990));
    expect([careful.room(), greedy.room()]).toEqual([0, 0]);
    let room = 0;
    await careful.keep(async () => {
      room = careful.room();
      return stepOf(20);
    });
    expect(room).toBe(990);
    expect((await store.list()).map(({ callId }) => callId)).toEqual(["careful"]);
    // The undo of the call that lost its images reports it.
    await expect(greedy.keep(stepOf(1))).rejects.toThrow();
  });

  it("reports that a call changed more than is kept, and keeps no more [E8.undo-bounds]", async () => {
    const call = recorded({ "a.txt": "one" });
    const store = createUndoStore(call.platform, `${WORKSPACE}/.bascule`, () => BOUNDS, 20);
    const log = await store.open({ callId: "c1", tool: "t", atMs: 5 });
    const stepOf = (name: string): UndoStep => ({ kind: "place", path: `${WORKSPACE}/${name}`, before: { kind: "missing" } });
    for (let n = 0; n < 20; n += 1) {
      expect(log.room()).toBeGreaterThan(0);
      await log.keep(stepOf(`f${n}`));
    }
    expect(log.room()).toBe(0);
    for (const name of ["victim", "other"]) await (await log.keep(stepOf(name)))({ kind: "missing" });
    const steps = (await store.read("c1"))?.steps ?? [];
    expect([steps.length, steps.at(-1)?.step]).toEqual([
      21,
      { kind: "place", path: `${WORKSPACE}/victim`, before: { kind: "unkept", reason: expect.stringContaining("more than 20 entries") } },
    ]);
  });

  it("names the entries of a large folder that cannot be put back, and restores the rest [E8.undo-bounds]", async () => {
    const entries = Array.from({ length: 30 }, (_, n) => n);
    const [wide, many] = ["wide", "many"];
    const call = recorded(
      {
        ...Object.fromEntries(entries.flatMap((n) => [`${many}/a/f${n}`, `${many}/b/f${n}`]).map((name) => [name, ""])),
        ...Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`${wide}/f${n}`, ""])),
      },
      BOUNDS,
      50,
    );
    for (const path of [wide, many]) await call.answer("fs.remove", { path, recursive: true });
    const { restored, left } = await call.undo();
    expect(restored.length).toBe(50 + 2);
    expect(left).toEqual([
      {
        path: expect.stringMatching(/\/many\/[ab]\/f\d+$/),
        reason: expect.stringContaining("it was removed with more than 50 entries"),
      },
      { path: `${WORKSPACE}/wide`, reason: expect.stringContaining("it held more than 50 entries") },
    ]);
  });

  it("is refused while the call runs; the call goes on and can be undone afterwards [E8.undo-host]", async () => {
    const platform = memoryPlatform({ "a.txt": "one" });
    const [between, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write = hostTool("edit", { sideEffects: ["write"] }, async (_args, { workspace }) => {
      await workspace.write("a.txt", "two");
      between.resolve();
      await goOn.promise;
      await workspace.write("a.txt", "three");
      return null;
    });
    await using host = await createHost({
      platform,
      tools: [() => ({ ...write(), changesByContext: true })],
      workspace: WORKSPACE,
      config: { confirmation: { perTool: { edit: "auto" } }, undo: { keep: true } },
      undo: true,
    });
    const call = host.call("edit", {}, { callId: "slow" });
    await between.promise;
    expect(await host.undo("slow")).toEqual({
      ok: false,
      callId: "slow",
      message: 'Call "slow" has not ended: wait for its end or cancel it, then undo it',
    });
    goOn.resolve();
    expect(await call).toMatchObject({ ok: true });
    expect(await host.undo("slow")).toEqual({ ok: true, callId: "slow", tool: "edit", restored: ["a.txt"], left: [] });
    expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("one");
  });

  it("is refused while a dry run is being committed; afterwards it works [E8.undo-host]", async () => {
    const platform = memoryPlatform({ "a.txt": "one", "b.txt": "one" });
    const [between, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let renames = 0;
    const rename: typeof platform.guarded.rename = async (from, to) => {
      if (++renames === 2) {
        between.resolve();
        await goOn.promise;
      }
      await platform.guarded.rename(from, to);
    };
    const write = hostTool("edit", { sideEffects: ["write"] }, async (_args, { workspace }) => {
      await workspace.write("a.txt", "two");
      await workspace.write("b.txt", "two");
      return null;
    });
    await using host = await createHost({
      platform: { ...platform, guarded: { ...platform.guarded, rename } },
      tools: [() => ({ ...write(), changesByContext: true })],
      workspace: WORKSPACE,
      config: { confirmation: { perTool: { edit: "auto" } }, undo: { keep: true } },
      undo: true,
    });
    expect(await host.call("edit", {}, { callId: "dry", dryRun: true })).toMatchObject({ ok: true, dryRun: { canCommit: true } });
    const commit = host.commit("dry");
    await between.promise;
    expect(await host.undo("dry")).toEqual({
      ok: false,
      callId: "dry",
      message: 'Call "dry" has not ended: wait for its end or cancel it, then undo it',
    });
    goOn.resolve();
    expect(await commit).toEqual({ ok: true, callId: "dry", filesModified: ["a.txt", "b.txt"] });
    expect(await host.undo("dry")).toEqual({ ok: true, callId: "dry", tool: "edit", restored: ["b.txt", "a.txt"], left: [] });
    const texts = ["a.txt", "b.txt"].map((name) => platform.files.readText(`${WORKSPACE}/${name}`));
    expect(await Promise.all(texts)).toEqual(["one", "one"]);
  });

  it("undoes each call once, also committed dry runs, if `undo` is on; a dry run of it shows the changes [E8.undo-host]", async () => {
    const platform = memoryPlatform({ "a.txt": "one" });
    const write = hostTool("edit", { sideEffects: ["write"] }, async (args, { workspace }) => {
      await workspace.write("a.txt", JSON.stringify(args));
      return null;
    });
    const tools = [() => ({ ...write(), changesByContext: true })];
    const open = (config: object, undo?: boolean): Promise<Host> =>
      createHost({
        platform,
        tools,
        workspace: WORKSPACE,
        config: { confirmation: { perTool: { edit: "auto" } }, ...config },
        ...(undo && { undo }),
      });
    const text = (): Promise<string> => platform.files.readText(`${WORKSPACE}/a.txt`);

    await using off = await open({});
    await off.call("edit", { n: 0 }, { callId: "off" });
    expect(await off.undo("off")).toMatchObject({ ok: false, message: expect.stringContaining('"off"') });
    expect(await platform.files.stat(`${WORKSPACE}/.bascule/undo`)).toBeUndefined();
    await using denied = await open({ undo: { keep: false } }, true);
    await denied.call("edit", { n: 1 }, { callId: "denied" });
    expect(await denied.undoable()).toEqual([]);

    await using host = await open({ undo: { keep: true } });
    await host.call("edit", { n: 2 }, { callId: "on" });
    expect(await host.undo("on", { dryRun: true })).toMatchObject({
      ok: true,
      restored: ["a.txt"],
      dryRun: { changes: [{ path: "a.txt", diff: expect.stringContaining('+{"n":1}') }] },
    });
    expect(await text()).toBe('{"n":2}');
    expect(await host.undo("on")).toEqual({ ok: true, callId: "on", tool: "edit", restored: ["a.txt"], left: [] });
    expect(await text()).toBe('{"n":1}');
    expect(await host.undo("on")).toMatchObject({ ok: false });

    // An incomplete undo can be repeated.
    await host.call("edit", { n: 4 }, { callId: "part" });
    await platform.files.writeAtomic(`${WORKSPACE}/a.txt`, "by the user");
    expect(await host.undo("part")).toMatchObject({ ok: true, restored: [], left: [{ path: "a.txt" }] });
    await platform.files.writeAtomic(`${WORKSPACE}/a.txt`, '{"n":4}');
    expect(await host.undo("part")).toMatchObject({ ok: true, restored: ["a.txt"] });

    await host.call("edit", { n: 3 }, { callId: "dry", dryRun: true });
    expect(await host.undoable()).toEqual([]);
    expect(await host.commit("dry")).toMatchObject({ ok: true });
    expect(await text()).toBe('{"n":3}');
    expect(await host.undo("dry")).toMatchObject({ ok: true, restored: ["a.txt"] });
    expect(await text()).toBe('{"n":1}');
  });
});
