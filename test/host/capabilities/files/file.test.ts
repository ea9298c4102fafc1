import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { answerOperation, createOpenFiles } from "../../../../host/capabilities/mod.ts";
import type { HostAnswer } from "../../../../sandbox/mod.ts";
import { errorName, textOf, toBytes, valueOf } from "../../../support/bridge-context.ts";
import { type DiskCall, diskCall as makeDiskCall } from "../../../support/disk-call.ts";

const calls: DiskCall[] = [];
const diskCall = async (...given: Parameters<typeof makeDiskCall>): Promise<DiskCall> => {
  const call = await makeDiskCall(...given);
  calls.push(call);
  return call;
};
const closeAll = async (): Promise<void> => {
  for (const call of calls.splice(0)) {
    await call.context.openFiles?.close((error) => {
      throw error;
    });
  }
};
afterEach(closeAll);

const open = (call: DiskCall, path: string, options: Record<string, boolean> = { read: true }): Promise<HostAnswer> =>
  call.answer("file.open", { path, ...options });
const GONE = { ok: false, error: { name: "BadResource", message: "Bad resource ID" } };

describe("the file bridge", () => {
  it("checks the grant when a file is opened, separately for reading and writing [C2] [PB2.file]", async () => {
    const call = await diskCall({ "a.txt": "abc", "in/b.txt": "b" }, { read: ["$workspace"], write: ["$workspace/in"] });
    expect(errorName(await open(call, "a.txt"))).toBeUndefined();
    expect(errorName(await open(call, "a.txt", { write: true }))).toBe("NotCapable");
    expect(errorName(await open(call, "a.txt", { read: true, append: true }))).toBe("NotCapable");
    expect(errorName(await open(call, "in/b.txt", { write: true, truncate: true }))).toBeUndefined();
    expect(errorName(await open(call, call.outside))).toBe("NotCapable");
    // Opening without read or write counts as reading.
    expect(errorName(await open(call, `${call.outside}/secret.txt`, {}))).toBe("NotCapable");
    expect(call.acts.map(({ decision, permission, value }) => [decision, permission, value.replace(call.workspace, "")])).toEqual([
      ["granted", "read", "/a.txt"],
      ["denied", "write", "/a.txt"],
      ["denied", "write", "/a.txt"],
      ["granted", "write", "/in/b.txt"],
      ["denied", "read", call.outside],
      ["denied", "read", `${call.outside}/secret.txt`],
    ]);
    const writeOnly = await diskCall({ "a.txt": "abc" }, { write: ["$workspace"] });
    expect(errorName(await open(writeOnly, "a.txt", { read: true, write: true }))).toBe("NotCapable");
  });

  it("opens or creates nothing through a link that leaves the grant [C4.symlink] [PB2.file]", async () => {
    const call = await diskCall({ link: { link: "$outside/secret.txt" }, folder: { link: "$outside" }, loop: { link: "loop" } });
    for (const path of ["link", "folder/secret.txt", "folder/none.txt"]) {
      for (const options of [{ read: true }, { write: true }, { write: true, create: true }, { read: true, write: true, truncate: true }]) {
        expect(errorName(await open(call, path, options))).toBe("NotCapable");
      }
    }
    expect(errorName(await open(call, "folder/new.txt", { write: true, createNew: true }))).toBe("NotCapable");
    expect(await readFile(join(call.outside, "secret.txt"), "utf8")).toBe("secret");
    await expect(stat(join(call.outside, "new.txt"))).rejects.toThrow("ENOENT");
    expect(errorName(await open(call, "loop"))).toBe("FilesystemLoop");
    expect(errorName(await open(call, "/proc/self/environ"))).toBe("NotCapable");
  });

  it("keeps the opened file when its name is taken by another [C4.race] [PB2.file]", async () => {
    const call = await diskCall({ "a.txt": "mine" });
    const id = valueOf(await open(call, "a.txt", { read: true, write: true }));
    await rename(join(call.workspace, "a.txt"), join(call.workspace, "moved.txt"));
    await symlink(join(call.outside, "secret.txt"), join(call.workspace, "a.txt"));
    expect(textOf(await call.answer("file.read", { id, length: 100 }))).toBe("mine");
    expect(await call.answer("file.write", { id }, toBytes("!"))).toEqual({ ok: true, value: 1 });
    expect(errorName(await call.answer("file.truncate", { id, len: 5 }))).toBeUndefined();
    expect([await readFile(join(call.workspace, "moved.txt"), "utf8"), await readFile(join(call.outside, "secret.txt"), "utf8")]).toEqual([
      "mine!",
      "secret",
    ]);
  });

  it("refuses identifiers that are not open files of the call [PB2.file] [D5]", async () => {
    const [mine, theirs] = [await diskCall({ "a.txt": "abc" }), await diskCall({ "a.txt": "theirs" })];
    const others = createOpenFiles("call-2");
    const other = { ...theirs.context, callId: "call-2", openFiles: others };
    const foreign = valueOf(await answerOperation({ name: "file.open", args: { path: "a.txt", read: true } }, other));
    const own = valueOf(await open(mine, "a.txt"));
    for (const id of [foreign, "", "1", "call-1/2", "call-1/0", "__proto__", "constructor", `${own} `, own.replace("1", "2")]) {
      for (const name of ["read", "write", "seek", "truncate", "stat", "sync", "utime", "close"]) {
        const args = { id, length: 1, offset: 0, whence: 0, atimeMs: 0, mtimeMs: 0 };
        expect(await mine.answer(`file.${name}`, args)).toEqual(GONE);
      }
    }
    expect(textOf(await mine.answer("file.read", { id: own, length: 9 }))).toBe("abc");
    expect(await mine.answer("file.close", { id: own })).toEqual({ ok: true, value: null });
    expect(await mine.answer("file.read", { id: own, length: 9 })).toEqual(GONE);
    expect(await mine.answer("file.close", { id: own })).toEqual(GONE);
    expect((await answerOperation({ name: "file.stat", args: { id: foreign } }, other)).ok).toBe(true);
    await others.close(() => {});
  });

  it("closes everything at the end of the call, also files opened too late [PB2.file] [B4]", async () => {
    const call = await diskCall({ "a.txt": "abc" });
    const id = valueOf(await open(call, "a.txt"));
    const errors: unknown[] = [];
    const late = open(call, "a.txt");
    const closing = call.context.openFiles?.close((error) => errors.push(error));
    expect(errorName(await late)).toBe("Busy");
    expect(call.modified).toEqual([]);
    expect(await call.answer("file.read", { id, length: 1 })).toEqual(GONE);
    expect(errorName(await open(call, "a.txt"))).toBe("Busy");
    await closing;
    expect(errors).toEqual([]);
  });

  it("opens 16 files for a call, 64 for a plugin, and any number in sequence [B3, LV3.open-files] [PB2.file]", async () => {
    const many = await Promise.all(Array.from({ length: 4 }, () => diskCall({ "a.txt": "abc" })));
    const opened = await Promise.all(many.map((call) => Promise.all(Array.from({ length: 17 }, () => open(call, "a.txt")))));
    expect(opened.map((answers) => answers.filter(({ ok }) => !ok).map(errorName))).toEqual(Array.from({ length: 4 }, () => ["Busy"]));
    const last = await diskCall({ "a.txt": "abc" });
    expect(errorName(await open(last, "a.txt"))).toBe("Busy");
    await closeAll();
    const fresh = await diskCall({ "a.txt": "abc" });
    for (let count = 0; count < 300; count++) {
      const id = valueOf(await open(fresh, "a.txt"));
      expect(await fresh.answer("file.close", { id })).toEqual({ ok: true, value: null });
    }
  });

  it("reports changed files, and not those that were only read [D6] [PB2.file]", async () => {
    const call = await diskCall({ "a.txt": "abc", "b.txt": "abc", "c.txt": "abc" });
    const read = valueOf(await open(call, "a.txt"));
    await call.answer("file.read", { id: read, length: 1 });
    expect(errorName(await call.answer("file.write", { id: read }, toBytes("x")))).toBe("Error");
    expect(errorName(await call.answer("file.truncate", { id: read }))).toBe("TypeError");
    expect(errorName(await call.answer("file.utime", { id: read, atimeMs: 0, mtimeMs: 0 }))).toBe("Error");
    await open(call, "b.txt", { write: true });
    expect(call.modified).toEqual([]);
    const written = valueOf(await open(call, "c.txt", { append: true }));
    await call.answer("file.write", { id: written }, toBytes("x"));
    await open(call, "d.txt", { write: true, create: true });
    expect(call.modified).toEqual(["c.txt", "d.txt"]);
    expect(await call.contents(join(call.workspace, "a.txt"))).toBe("abc");
  });

  it("bounds positions and sizes [B3] [PB2.file]", async () => {
    const call = await diskCall({ "a.txt": "abc" });
    const id = valueOf(await open(call, "a.txt", { read: true, write: true }));
    const seek = (offset: number, whence: number): Promise<HostAnswer> => call.answer("file.seek", { id, offset, whence });
    expect(errorName(await seek(-1, 0))).toBe("TypeError");
    expect(errorName(await seek(0, 3))).toBe("TypeError");
    expect(errorName(await seek(0.5, 0))).toBe("TypeError");
    expect(await seek(Number.MAX_SAFE_INTEGER, 0)).toEqual({ ok: true, value: Number.MAX_SAFE_INTEGER });
    expect(errorName(await seek(1, 1))).toBe("TypeError");
    expect(errorName(await call.answer("file.write", { id }, toBytes("x")))).toBe("Error");
    expect(textOf(await call.answer("file.read", { id, length: Number.MAX_SAFE_INTEGER }))).toBe("");
    expect(errorName(await call.answer("file.truncate", { id, len: 2 ** 50 }))).toBe("Error");
    // Sizes that the disk would accept.
    await seek(2 ** 40, 0);
    expect(await call.answer("file.write", { id }, toBytes("x"))).toMatchObject({ error: { code: "EFBIG" } });
    expect(await call.answer("file.truncate", { id, len: 2 ** 40 + 1 })).toMatchObject({ error: { code: "EFBIG" } });
    await seek(0, 0);
    expect(textOf(await call.answer("file.read", { id, length: Number.MAX_SAFE_INTEGER }))).toBe("abc");
    expect(await call.contents(join(call.workspace, "a.txt"))).toBe("abc");
  });

  it("opens no folder and no special file [C4] [PB2.file]", async () => {
    const call = await diskCall({ "folder/x": "" });
    await mkdir(join(call.workspace, "gone"));
    await rm(join(call.workspace, "gone"), { recursive: true });
    await writeFile(join(call.workspace, "plain"), "");
    expect(errorName(await open(call, "folder"))).toBe("IsADirectory");
    expect(errorName(await open(call, "gone"))).toBe("NotFound");
    expect(errorName(await open(call, "plain/x"))).toBe("NotADirectory");
    expect(errorName(await open(call, "plain", { write: true, createNew: true }))).toBe("AlreadyExists");
    expect(errorName(await open(call, "new", { write: true }))).toBe("NotFound");
  });
});
