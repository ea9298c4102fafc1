/** A guest tries to make a dry run change something real, or to read files through it that it may not read. */

import { readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOverlay } from "../../../host/effects/overlay/overlay.ts";
import type { DryRunReport } from "../../../host/call/dry-run-report.ts";
import { createExchanges } from "../../../host/capabilities/mod.ts";
import { answerOperation } from "../../../host/capabilities/mod.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { errorName, testCall, textOf, toBytes, valueOf } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { overlaid } from "../../support/overlaid.ts";
import { recordingHost } from "../../support/recording-host.ts";

describe("attack: out of the overlay", () => {
  it("moves a file to a readable path, and reads no more than it could before [E8.no-more]", async () => {
    const call = await diskCall(
      { "private/key.txt": "key", "public/a.txt": "a", "public/link": { link: "../private/key.txt" } },
      { read: ["$workspace/public"], write: ["$workspace"] },
    );
    const { answer } = overlaid(call);
    const real = call.answer;
    for (const run of [answer, real]) {
      expect(errorName(await run("fs.rename", { from: "private/key.txt", to: "public/key.txt" }))).toBe("NotCapable");
      expect(errorName(await run("fs.rename", { from: "private", to: "public/dir" }))).toBe("NotCapable");
      expect(errorName(await run("fs.readFile", { path: "public/link" }))).toBe("NotCapable");
      expect(errorName(await run("fs.copyFile", { from: "public/link", to: "public/copy" }))).toBe("NotCapable");
      expect(errorName(await run("fs.stat", { path: "private/key.txt" }))).toBe("NotCapable");
      expect(errorName(await run("fs.stat", { path: "private/none.txt" }))).toBe("NotCapable");
    }
  });

  it("keeps a write-only file open to read it, or a read-only file to change it [E8.no-more, PB2.file]", async () => {
    const call = await diskCall({ "in.txt": "in", "out.txt": "out" }, { read: ["$workspace/in.txt"], write: ["$workspace/out.txt"] });
    // In memory, only the bridge itself refuses.
    for (const { answer } of [overlaid(call), call]) {
      const toWrite = valueOf(await answer("file.open", { path: "out.txt", write: true }));
      expect(await answer("file.read", { id: toWrite, length: 10 })).toMatchObject({ ok: false, error: { code: "EBADF" } });
      const toRead = valueOf(await answer("file.open", { path: "in.txt", read: true }));
      expect(await answer("file.write", { id: toRead }, toBytes("x"))).toMatchObject({ ok: false, error: { code: "EBADF" } });
      expect(await answer("file.utime", { id: toRead, atimeMs: 1, mtimeMs: 1 })).toMatchObject({ ok: false, error: { code: "EBADF" } });
      expect(await answer("file.truncate", { id: toRead })).toMatchObject({ ok: false, error: { code: "EINVAL" } });
      expect(textOf(await answer("fs.readFile", { path: "in.txt" }))).toBe("in");
      for (const id of [toWrite, toRead]) await answer("file.close", { id });
    }
  });

  it("follows no link that appears below while the dry run is running [E8.race]", async () => {
    const call = await diskCall({ "dir/a.txt": "a", "b.txt": "b" });
    const { answer, commit } = overlaid(call);
    expect(textOf(await answer("fs.readFile", { path: "dir/a.txt" }))).toBe("a");
    await answer("fs.writeFile", { path: "dir/new.txt" }, toBytes("x"));
    await rename(join(call.workspace, "dir"), join(call.workspace, "old"));
    await symlink(call.outside, join(call.workspace, "dir"));
    expect(errorName(await answer("fs.readFile", { path: "dir/secret.txt" }))).toBe("NotCapable");
    expect(errorName(await answer("fs.readDir", { path: "dir" }))).toBe("NotCapable");
    // Commit refuses a path that changed after it was seen; otherwise the check of its real path refuses it.
    expect(await commit()).toMatchObject({ ok: false });
    await expect(readFile(join(call.outside, "new.txt"))).rejects.toThrow("ENOENT");
  });

  it("fills the memory with many small files, sparse files or endless renames [E8.bounded]", async () => {
    const limits = { bytes: 100_000, nodes: 200 };
    const call = await diskCall({ "a.txt": "a", "big.txt": "x".repeat(200_000) });
    const acts: readonly ((index: number) => readonly [string, Readonly<Record<string, JsonValue>>])[] = [
      (index: number) => ["fs.writeFile", { path: `f${index}` }],
      (index: number) => ["fs.mkdir", { path: `f${index}` }],
      (index: number) => ["fs.stat", { path: `missing-${index}` }],
      (index: number) => ["fs.rename", { from: index % 2 === 0 ? "a.txt" : "c.txt", to: index % 2 === 0 ? "c.txt" : "a.txt" }],
      () => ["fs.truncate", { path: "a.txt", len: 2 ** 39 }],
      () => ["fs.writeFile", { path: "big.txt", append: true }],
      () => ["fs.copyFile", { from: "big.txt", to: "c.txt" }],
    ];
    for (const act of acts) {
      const { answer, overlay } = overlaid(call, limits);
      for (let index = 0; index < 250 && overlay.exceeded === undefined; index += 1) {
        const [name, args] = act(index);
        await answer(name, args, toBytes("12345"));
      }
      expect(overlay.exceeded).toMatchObject({ code: "resource_exhausted" });
    }
    expect(await call.contents(join(call.workspace, "a.txt"))).toBe("a");
  });

  it("sends a changing request, in pieces or whole, and gets an error [E8.held]", async () => {
    const sent: string[] = [];
    const platform = memoryPlatform(
      {},
      { network: { names: { "example.com": ["93.184.216.34"] }, serve: ({ method }) => (sent.push(method), { body: "ok" }) } },
    );
    const { context } = testCall({ platform, cwd: WORKSPACE, permissions: { net: true } });
    for (const [sends, expected] of [
      ["asking", ["GET"]],
      ["nothing", []],
    ] as const) {
      sent.length = 0;
      const overlay = createOverlay({ platform, sends });
      const dry = { ...context, platform: overlay.platform, exchanges: createExchanges() };
      const fetch = (id: number, method: string, body: string, bytes?: Uint8Array): ReturnType<typeof answerOperation> =>
        answerOperation(
          {
            name: "net.fetch",
            args: { id, url: "http://example.com/x?y", method, headers: [], redirect: "follow", body },
            ...(bytes && { bytes }),
          },
          dry,
        );
      for (const [id, method] of ["POST", "PUT", "PATCH", "DELETE"].entries()) {
        const answered = await fetch(id, method, "bytes", toBytes("12345"));
        expect(answered).toMatchObject({
          ok: true,
          value: { failed: expect.stringContaining(`a dry run does not send ${method} requests`) },
        });
      }
      await fetch(9, "GET", "none");
      const streamed = fetch(10, "POST", "stream");
      await answerOperation({ name: "net.write", args: { id: 10 }, bytes: toBytes("123") }, dry);
      await answerOperation({ name: "net.write", args: { id: 10, end: true }, bytes: toBytes("456") }, dry);
      await streamed;
      expect(sent).toEqual(expected);
      const { held, canCommit } = await overlay.report(WORKSPACE, true);
      expect(held.filter(({ method }) => method !== "GET").map(({ method, bytes }) => [method, bytes])).toEqual([
        ["POST", 5],
        ["PUT", 5],
        ["PATCH", 5],
        ["DELETE", 5],
        ["POST", 6],
      ]);
      expect(canCommit).toBe(false);
    }
  });

  it("commits nothing through a file that became a link, or a folder that became a file [E8.race]", async () => {
    const call = await diskCall({ "a.txt": "a", "dir/b.txt": "b" });
    const { answer, commit, overlay } = overlaid(call);
    await answer("fs.writeFile", { path: "a.txt" }, toBytes("x"));
    await answer("fs.writeFile", { path: "dir/b.txt" }, toBytes("x"));
    await rename(join(call.workspace, "a.txt"), join(call.workspace, "moved.txt"));
    await symlink(join(call.outside, "secret.txt"), join(call.workspace, "a.txt"));
    await rename(join(call.workspace, "dir"), join(call.workspace, "old"));
    await writeFile(join(call.workspace, "dir"), "");
    expect(await overlay.tree.seen.changed(call.context.platform.guarded)).toEqual(
      expect.arrayContaining([join(call.workspace, "a.txt"), join(call.workspace, "dir")]),
    );
    await commit();
    expect(await readFile(join(call.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it("commits nothing to another folder of the grant through a link that took a folder's name [E8.race]", async () => {
    const call = await diskCall({ "dir/a.txt": "a", "other/b.txt": "b" });
    const { answer, commit } = overlaid(call);
    await answer("fs.writeFile", { path: "dir/new.txt" }, toBytes("x"));
    await rename(join(call.workspace, "dir"), join(call.workspace, "old"));
    await symlink("other", join(call.workspace, "dir"));
    expect(await commit()).toMatchObject({ ok: false, done: [] });
    expect((await readdir(join(call.workspace, "other"))).filter((name) => !name.startsWith(".bascule-"))).toEqual(["b.txt"]);
  });

  it("reuses the call id of another session's dry run: neither is committed for the other [E8.ids]", async () => {
    await using made = await recordingHost("export const run = ({ text }, { workspace }) => workspace.write('x.txt', text);");
    const dry = async (text: string): Promise<string> =>
      (await made.host.call("demo.run", { text }, { session: made.host.session(), callId: "one", dryRun: true })).dryRun?.hash ?? "";
    const [hash] = [await dry("mine"), await dry("evil")];
    expect(await made.host.commit("one")).toMatchObject({ ok: false, code: "unknown", message: expect.stringContaining("give the hash") });
    expect(await made.host.commit("one", { hash })).toMatchObject({ ok: true });
    expect(await made.platform.files.readText(`${WORKSPACE}/x.txt`)).toBe("mine");
  });

  it("floods the memory with dry runs: only the last few are kept, for a limited time [E8.bounded]", async () => {
    await using made = await recordingHost("export const run = ({ text }, { workspace }) => workspace.write('x.txt', text);");
    for (const id of ["1", "2", "3", "4", "5"]) await made.host.call("demo.run", { text: id }, { callId: id, dryRun: true });
    expect(await made.host.commit("1")).toMatchObject({ ok: false, code: "unknown" });
    expect(await made.host.commit("5")).toMatchObject({ ok: true });
    made.platform.advance(31 * 60_000);
    expect(await made.host.commit("4")).toMatchObject({ ok: false, code: "unknown" });
  });

  it("changes more entries than are listed: the rest are counted and covered by the hash [E8.many]", async () => {
    const report = async (last: string): Promise<DryRunReport> => {
      const { answer, overlay } = overlaid(
        testCall({ platform: memoryPlatform({}), cwd: WORKSPACE, permissions: { read: true, write: true } }),
      );
      for (let index = 0; index < 1_005; index++)
        await answer("fs.writeFile", { path: `f${String(index).padStart(4, "0")}` }, toBytes(index === 1_004 ? last : "x"));
      return await overlay.report(WORKSPACE, true);
    };
    const [one, other, again] = [await report("x"), await report("evil"), await report("x")];
    expect([one.changes.length, one.moreChanges]).toEqual([1_000, 5]);
    expect(one.hash).toBe(again.hash);
    expect(one.hash).not.toBe(other.hash);
  });

  it("creates files with unusual permissions, which the report shows to the user [E8.rights]", async () => {
    await using made = await recordingHost(`export async function run() {
      await Deno.writeTextFile("x.sh", "rm", { mode: 0o777 });
      await Deno.mkdir("open", { mode: 0o777 });
      await Deno.mkdir("usual");
      await Deno.remove("kept", { recursive: true });
      await Deno.mkdir("kept", { mode: 0o777 });
    }`);
    made.platform.plant(`${WORKSPACE}/kept/a.txt`, "a");
    const { dryRun } = await made.host.call("demo.run", {}, { dryRun: true });
    expect(dryRun?.changes.map(({ kind, path, mode }) => [kind, path, mode])).toEqual([
      ["modified", "kept", "755 → 777"],
      ["deleted", "kept/a.txt", undefined],
      ["created", "open", "777"],
      ["created", "usual", undefined],
      ["created", "x.sh", "777"],
    ]);
    const hash = async (mode: number): Promise<unknown> => {
      await using other = await recordingHost(`export const run = () => Deno.writeTextFile("x.sh", "rm", { mode: ${mode} });`);
      return (await other.host.call("demo.run", {}, { dryRun: true })).dryRun?.hash;
    };
    expect(await hash(0o777)).not.toBe(await hash(0o755));
  });

  it("reads a file that keeps changing: the commit is refused [E8.race]", async () => {
    const call = await diskCall({ "a.txt": "one", "dir/b.txt": "b" });
    const { answer, overlay } = overlaid(call);
    const changed = (): Promise<readonly string[]> => overlay.tree.seen.changed(call.context.platform.guarded);
    const path = join(call.workspace, "a.txt");
    expect(textOf(await answer("fs.readFile", { path: "a.txt" }))).toBe("one");
    await answer("fs.readDir", { path: "dir" });
    expect(await changed()).toEqual([]);
    await writeFile(path, "two");
    await writeFile(join(call.workspace, "dir/c.txt"), "c");
    expect(await changed()).toEqual([path, join(call.workspace, "dir")]);
    expect(textOf(await answer("fs.readFile", { path: "a.txt" }))).toBe("two");
    await answer("fs.readDir", { path: "dir" });
    await writeFile(path, "one");
    await rm(join(call.workspace, "dir/c.txt"));
    expect(await changed()).toEqual([path, join(call.workspace, "dir")]);
  });
});
