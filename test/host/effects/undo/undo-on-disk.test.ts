/** Undo on real files: changes of several calls, half-written changes, and changes that another process is still making. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, lstat, mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHost, type Host, type ToolFactory } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { plantUndoTree, treeOf } from "../../../fuzz/models/undo.ts";
import { toBytes } from "../../../support/bridge-context.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { hostTool } from "../../../support/tools.ts";
import { type UndoableCalls, undoableCalls } from "../../../support/undoable-calls.ts";

const platform = currentPlatform({ log: { level: "error" } });
const KILLED_WRITER = fileURLToPath(new URL("../../../support/killed-writer.ts", import.meta.url));

interface World extends UndoableCalls {
  readonly workspace: string;
  text(name: string): Promise<string>;
  write(callId: string, name: string, text: string): Promise<void>;
}

async function env(files: Readonly<Record<string, string>>, options?: Parameters<typeof undoableCalls>[1]): Promise<World> {
  const workspace = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(workspace, name), text);
  const calls = undoableCalls(workspace, options);
  return {
    ...calls,
    workspace,
    text: (name) => readFile(join(workspace, name), "utf8"),
    async write(callId, name, text) {
      const call = calls.call(callId);
      expect(await call.answer("fs.writeFile", { path: name }, toBytes(text))).toMatchObject({ ok: true });
      await call.end();
    },
  };
}

async function hostOn(workspace: string, tools: readonly ToolFactory[] = []): Promise<Host> {
  const config = { confirmation: { perTool: { edit: "auto" } }, undo: { keep: true } };
  return await createHost({ platform, tools, workspace, config, undo: true });
}

type Acts = readonly (readonly [name: string, args: JsonObject, contents?: string])[];

/** Runs on the tree of the random model. `slot` names an open file. */
const CASES: readonly (readonly [what: string, Acts])[] = [
  ["a file that was created through a dangling link", [["fs.writeFile", { path: "dangling" }, "x"]]],
  ["a file that was created through two such links", [["fs.copyFile", { from: "a", to: "chain" }]]],
  ["a file that was opened through such a link", [["file.open", { path: "dangling", write: true, create: true }]]],
  ["both names of a file that was written by one of them", [["fs.writeFile", { path: "d/twin" }, "x"]]],
  ["both names of a file, one of which was removed", [["fs.remove", { path: "twin" }]]],
  ["both names of a file, one of which was replaced", [["fs.rename", { from: "a", to: "d/twin" }]]],
  [
    "both names of a file that was written and lost one",
    [
      ["fs.truncate", { path: "twin", len: 1 }],
      ["fs.remove", { path: "twin" }],
      ["fs.writeFile", { path: "twin" }, "new"],
      ["fs.writeFile", { path: "d/twin" }, "x"],
    ],
  ],
  ["a folder that was replaced by another", [["fs.rename", { from: "d/s", to: "empty" }]]],
  ["a link that was replaced by a file", [["fs.rename", { from: "a", to: "to-twin" }]]],
  [
    "a file that was replaced by a folder",
    [
      ["fs.remove", { path: "a" }],
      ["fs.mkdir", { path: "a" }],
      ["fs.writeFile", { path: "a/x" }, "x"],
    ],
  ],
  [
    "a link that was replaced by a folder",
    [
      ["fs.remove", { path: "to-a" }],
      ["fs.mkdir", { path: "to-a" }],
    ],
  ],
  [
    "a folder that was replaced by a file",
    [
      ["fs.remove", { path: "d", recursive: true }],
      ["fs.writeFile", { path: "d" }, "x"],
    ],
  ],
  ["permissions that a write set, and the time", [["fs.writeFile", { path: "a", mode: 0o600 }, "a\ntwo\n"]]],
  [
    "a time that was set",
    [
      ["file.open", { path: "a", write: true }],
      ["file.utime", { id: "c/1", atimeMs: 0, mtimeMs: 5_000 }],
    ],
  ],
  [
    "a file that was open while it was moved",
    [
      ["file.open", { path: "a", write: true }],
      ["fs.rename", { from: "a", to: "moved" }],
      ["file.write", { id: "c/1" }, "x"],
    ],
  ],
  [
    "a file that was open while it was removed, and its other name",
    [
      ["file.open", { path: "twin", write: true }],
      ["fs.remove", { path: "twin" }],
      ["file.write", { id: "c/1" }, "x"],
    ],
  ],
];

describe("undo on the disk", () => {
  it.each(CASES)("puts back %s [E8.undo]", async (_what, acts) => {
    const workspace = await temporaryFolder();
    await plantUndoTree(workspace, true);
    const before = await treeOf(workspace);
    const { call, undo } = undoableCalls(workspace);
    const c = call("c");
    for (const [name, args, contents] of acts)
      expect(await c.answer(name, args, contents === undefined ? undefined : toBytes(contents))).toMatchObject({ ok: true });
    await c.end();
    expect(await treeOf(workspace)).not.toEqual(before);
    expect((await undo("c")).left).toEqual([]);
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("undoes calls on one file newest first, and leaves a file that a later call changed [E8.undo-order]", async () => {
    const { write, undo, text, workspace } = await env({ "a.txt": "zero" });
    for (const name of ["one", "two", "three"]) await write(name, "a.txt", name);
    const left = [{ path: join(workspace, "a.txt"), reason: "it was changed after the call" }];
    expect(await undo("one")).toEqual({ restored: [], left });
    expect(await undo("two")).toEqual({ restored: [], left });
    expect((await undo("three")).left).toEqual([]);
    expect(await text("a.txt")).toBe("two");
    expect((await undo("two")).left).toEqual([]);
    expect((await undo("one")).left).toEqual([]);
    expect(await text("a.txt")).toBe("zero");
  });

  it("undoes some of several calls, and leaves the files of the others [E8.undo-order]", async () => {
    const { write, undo, text, store } = await env({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
    for (const name of ["a.txt", "b.txt", "c.txt"]) await write(`call-${name[0]}`, name, "new");
    expect((await undo("call-b")).left).toEqual([]);
    expect(await Promise.all(["a.txt", "b.txt", "c.txt"].map(text))).toEqual(["new", "b", "new"]);
    expect((await store.list()).map(({ callId }) => callId)).toEqual(["call-c", "call-a"]);
    expect((await undo("call-a")).left).toEqual([]);
    expect(await Promise.all(["a.txt", "b.txt", "c.txt"].map(text))).toEqual(["a", "b", "new"]);
  });

  it("moves a file back after a later call removed it and another host restored it [E8.undo-order]", async () => {
    const workspace = await temporaryFolder();
    await plantUndoTree(workspace, true);
    const before = await treeOf(workspace);
    const { call, undo } = undoableCalls(workspace);
    for (const [callId, name, args] of [
      ["one", "fs.rename", { from: "d/s", to: "moved" }],
      ["two", "fs.rename", { from: "to-a", to: "link" }],
      ["three", "fs.remove", { path: "moved", recursive: true }],
      ["four", "fs.remove", { path: "link" }],
    ] as const) {
      const made = call(callId);
      expect(await made.answer(name, args)).toMatchObject({ ok: true });
      await made.end();
    }
    for (const callId of ["four", "three"]) expect((await undo(callId)).left).toEqual([]);
    const another = undoableCalls(workspace);
    for (const callId of ["two", "one"]) expect((await another.undo(callId)).left).toEqual([]);
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("leaves an entry alone whose rename failed [E8.undo]", async () => {
    const { call, undo, workspace } = await env({ "a.txt": "a" });
    await mkdir(join(workspace, "folder"));
    const one = call("one");
    expect(await one.answer("fs.rename", { from: "folder", to: "a.txt" })).toMatchObject({ ok: false });
    await one.end();
    await rmdir(join(workspace, "folder"));
    expect(await undo("one")).toEqual({ restored: [], left: [] });
  });

  it("forced, puts back the state before the call in place of any newer one [E8.undo-force]", async () => {
    const { write, undo, text, workspace } = await env({ "a.txt": "a" });
    await write("one", "a.txt", "by the call");
    await write("two", "new.txt", "by the call");
    await writeFile(join(workspace, "a.txt"), "by a person");
    await writeFile(join(workspace, "new.txt"), "by a person");
    expect((await undo("one")).left).toHaveLength(1);
    expect(await undo("one", { force: true })).toEqual({ restored: [join(workspace, "a.txt")], left: [] });
    expect(await text("a.txt")).toBe("a");
    expect((await undo("two")).left).toHaveLength(1);
    expect(await undo("two", { force: true })).toEqual({ restored: [join(workspace, "new.txt")], left: [] });
    await expect(text("new.txt")).rejects.toThrow("ENOENT");
  });

  it("forced, keeps a folder with files that the call did not create, and names it [E8.undo-force]", async () => {
    const { call, undo, workspace, text } = await env({});
    const made = call("one");
    await made.answer("fs.mkdir", { path: "folder" });
    await made.end();
    await writeFile(join(workspace, "folder/mine.txt"), "by a person");
    const left = [{ path: join(workspace, "folder"), reason: "Directory not empty" }];
    expect(await undo("one", { force: true })).toEqual({ restored: [], left });
    expect(await text("folder/mine.txt")).toBe("by a person");
  });

  it("keeps permissions and times that the user set after the call, and puts the others back [E8.undo-facts]", async () => {
    const { call, undo, workspace } = await env({ "a.txt": "a", "b.txt": "b" });
    const [first, second] = [join(workspace, "a.txt"), join(workspace, "b.txt")];
    for (const file of [first, second]) {
      await platform.files.writeAtomic(file, "x", 0o640);
      await utimes(file, 1_000, 2_000);
    }
    const one = call("one");
    for (const path of ["a.txt", "b.txt"]) await one.answer("fs.writeFile", { path, mode: 0o600 }, toBytes("by the call"));
    await one.end();
    await chmod(second, 0o604);
    expect((await undo("one")).left).toEqual([]);
    const facts = await Promise.all([first, second].map(async (file) => [(await stat(file)).mode & 0o777, (await stat(file)).mtimeMs]));
    expect(facts).toEqual([
      [0o640, 2_000_000],
      [0o604, 2_000_000],
    ]);
  });

  it.each([false, true])("forced, does not write into another file that took the name: %s [E8.undo-other]", async (force) => {
    const { write, undo, workspace, text } = await env({ "a.txt": "old", "other.txt": "new" });
    await write("one", "a.txt", "new");
    await rm(join(workspace, "a.txt"));
    await link(join(workspace, "other.txt"), join(workspace, "a.txt"));
    expect(await undo("one", { force })).toEqual({ restored: [join(workspace, "a.txt")], left: [] });
    expect([await text("a.txt"), await text("other.txt")]).toEqual(["old", "new"]);
  });

  it("leaves the permissions of another file whose contents equal those before the call [E8.undo-other]", async () => {
    const { call, undo, workspace } = await env({ "a.txt": "old", "other.txt": "old" });
    const one = call("one");
    await one.answer("fs.writeFile", { path: "a.txt", mode: 0o600 }, toBytes("new"));
    await one.end();
    await rm(join(workspace, "a.txt"));
    await chmod(join(workspace, "other.txt"), 0o600);
    await utimes(join(workspace, "other.txt"), 1_000, 2_000);
    await link(join(workspace, "other.txt"), join(workspace, "a.txt"));
    expect(await undo("one")).toEqual({ restored: [], left: [] });
    const { mode, mtimeMs } = await stat(join(workspace, "other.txt"));
    expect([mode & 0o777, mtimeMs]).toEqual([0o600, 2_000_000]);
  });

  it.each([
    ["counts the bytes that", 5_000, "5000", 0],
    ["keeps nothing if more bytes than there is room for", 100 * 1024 * 1024, "4", 1],
  ])("%s were written into a file after it was removed [E8.undo-grown]", async (_what, len, counted, left) => {
    const { call, undo, workspace } = await env({ "a.txt": "four" });
    const one = call("one");
    await one.answer("file.open", { path: "a.txt", write: true });
    await one.answer("fs.remove", { path: "a.txt" });
    expect(await one.answer("file.truncate", { id: "one/1", len })).toMatchObject({ ok: true });
    await one.end();
    const [folder = ""] = await readdir(join(workspace, ".bascule/undo"));
    const kept = await readdir(join(workspace, ".bascule/undo", folder));
    expect(kept.filter((name) => /^00001\..*step$/.test(name))).toEqual([`00001.${counted}.step`]);
    expect(kept.includes("00001.before")).toBe(left === 0);
    expect((await undo("one")).left).toHaveLength(left);
  });

  it("names a file that lost its other names, if the file system has no hard links [E8.undo-names]", async () => {
    const { call, undo, workspace, text } = await env({ "a.txt": "a" }, { hasFurtherNames: false });
    await link(join(workspace, "a.txt"), join(workspace, "twin"));
    const one = call("one");
    await one.answer("fs.remove", { path: "a.txt" });
    await one.end();
    const reason = "it was restored as a separate file: it was one file with 2 names";
    expect(await undo("one")).toEqual({ restored: [], left: [{ path: join(workspace, "a.txt"), reason }] });
    expect([await text("a.txt"), await text("twin"), (await lstat(join(workspace, "twin"))).nlink]).toEqual(["a", "a", 1]);
  });

  it("names changes made after an image could not be kept [E8.undo-kept]", async () => {
    const errors: unknown[] = [];
    let looks = 0;
    const failsOnce = async (): Promise<void> => {
      if (++looks === 3) throw new Error("The disk is full");
    };
    const { call, undo, workspace, text } = await env(
      { "a.txt": "a", "b.txt": "b" },
      { beforeLook: failsOnce, onError: (error) => errors.push(error) },
    );
    const one = call("one");
    for (const path of ["a.txt", "b.txt"]) await one.answer("fs.writeFile", { path }, toBytes("new"));
    await one.end();
    expect(errors).toEqual([new Error("The disk is full")]);
    const reason = "its previous contents are not kept: its contents could not be kept, nor anything that the call changed afterwards";
    expect(await undo("one")).toEqual({ restored: [join(workspace, "a.txt")], left: [{ path: join(workspace, "b.txt"), reason }] });
    expect([await text("a.txt"), await text("b.txt")]).toEqual(["a", "new"]);
  });

  it("names a file whose write was killed half way, and forced, puts it back [E8.undo-killed]", async () => {
    const workspace = await temporaryFolder();
    await writeFile(join(workspace, "a.txt"), "before");
    const child = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), KILLED_WRITER, workspace], { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("x".repeat(500));
    await using host = await hostOn(workspace);
    const told: unknown[] = [];
    host.subscribe(({ type, payload }) => void (type === "tool.undone" && told.push(payload)));
    const left = [{ path: "a.txt", reason: "the call was terminated while it changed this" }];
    expect(await host.undo("killed")).toEqual({ ok: true, callId: "killed", tool: "edit", restored: ["made.txt"], left });
    expect(await host.undo("killed", { force: true, dryRun: true })).toMatchObject({ restored: ["a.txt"], left: [] });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("x".repeat(500));
    expect(await host.undo("killed", { force: true })).toEqual({ ok: true, callId: "killed", tool: "edit", restored: ["a.txt"], left: [] });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("before");
    expect(told).toMatchObject([
      { tool: "edit", ok: false, filesModified: ["made.txt"], reason: "left: a.txt" },
      { tool: "edit", ok: true, filesModified: ["a.txt"], reason: "by force" },
    ]);
  });

  it("is refused in another host while the call runs [E8.undo-running]", async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, "plugins"));
    await writeFile(join(workspace, "a.txt"), "one");
    const [between, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const edit = hostTool("edit", { sideEffects: ["write"] }, async (_args, { workspace: files }) => {
      await files.write("a.txt", "two");
      between.resolve();
      await goOn.promise;
      await files.write("a.txt", "three");
      return null;
    });
    await using host = await hostOn(workspace, [() => ({ ...edit(), changesByContext: true })]);
    await using other = await hostOn(workspace);
    const call = host.call("edit", {}, { callId: "slow" });
    await between.promise;
    const refused = { ok: false, callId: "slow", message: 'Call "slow" has not ended: wait for its end or cancel it, then undo it' };
    expect(await other.undo("slow")).toEqual(refused);
    expect(await other.undo("slow", { force: true })).toEqual(refused);
    goOn.resolve();
    expect(await call).toMatchObject({ ok: true });
    expect(await other.undo("slow")).toEqual({ ok: true, callId: "slow", tool: "edit", restored: ["a.txt"], left: [] });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one");
  });
});
