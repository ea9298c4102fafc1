import { describe, expect, it } from "vitest";
import { type TestCall, testCall, textOf, toBytes, valueOf } from "../../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import type { MemoryEntry } from "../../../../host/platform/memory/memory.ts";
import type { Permissions } from "../../../../manifests/mod.ts";

const ALL: Permissions = { read: ["$workspace"], write: ["$workspace"] };

function call(files: Record<string, MemoryEntry>, permissions: Permissions = ALL): TestCall {
  return testCall({ platform: memoryPlatform(files), cwd: WORKSPACE, permissions });
}

describe("fs bridge", () => {
  it("reads, writes and reports what was modified [C4, C10]", async () => {
    const { answer, acts, modified } = call({ "a.txt": "abc" });
    expect(textOf(await answer("fs.readFile", { path: "a.txt" }))).toBe("abc");
    expect(await answer("fs.writeFile", { path: "sub/../b.txt" }, toBytes("b"))).toEqual({ ok: true, value: null });
    expect(textOf(await answer("fs.readFile", { path: `${WORKSPACE}/b.txt` }))).toBe("b");
    expect(modified).toEqual(["b.txt"]);
    const granted = { decision: "granted", layer: "grant", rule: "$workspace" };
    expect(acts).toEqual([
      { ...granted, permission: "read", value: "/workspace/a.txt" },
      { ...granted, permission: "write", value: "/workspace/b.txt" },
      { ...granted, permission: "read", value: "/workspace/b.txt" },
    ]);
  });

  it("reports errors in Deno's names and words, naming only the path as written", async () => {
    const { answer } = call({ "dir/x": "", file: "", loop: { link: "loop" }, pipe: { other: true } });
    const errorOf = async (name: string, args: Record<string, string | boolean>): Promise<unknown> => {
      const answered = await answer(name, args);
      return answered.ok ? answered : answered.error;
    };
    expect(await errorOf("fs.readFile", { path: "nope" })).toEqual({
      name: "NotFound",
      code: "ENOENT",
      message: "No such file or directory (os error 2): readfile 'nope'",
    });
    expect(await errorOf("fs.readFile", { path: "" })).toEqual({
      name: "NotFound",
      code: "ENOENT",
      message: "No such file or directory (os error 2): readfile ''",
    });
    expect(await errorOf("fs.readFile", { path: "dir" })).toEqual({
      name: "IsADirectory",
      code: "EISDIR",
      message: "Is a directory (os error 21): readfile 'dir'",
    });
    expect(await errorOf("fs.readFile", { path: "loop" })).toEqual({
      name: "FilesystemLoop",
      code: "ELOOP",
      message: "Too many levels of symbolic links (os error 40): readfile 'loop'",
    });
    expect(await errorOf("fs.readFile", { path: "file/x" })).toEqual({
      name: "NotADirectory",
      code: "ENOTDIR",
      message: "Not a directory (os error 20): readfile 'file/x'",
    });
    expect(await errorOf("fs.readFile", { path: "a\0b" })).toEqual({
      name: "TypeError",
      code: "EINVAL",
      message: "file name contained an unexpected NUL byte: readfile 'a\0b'",
    });
    expect(await errorOf("fs.readFile", { path: "pipe" })).toEqual({
      name: "NotCapable",
      message: "Devices, FIFOs, sockets and the kernel's files are never granted: readfile 'pipe'",
    });
    expect(await errorOf("fs.writeFile", { path: "file", createNew: true })).toEqual({
      name: "AlreadyExists",
      code: "EEXIST",
      message: "File exists (os error 17): writefile 'file'",
    });
    expect(await errorOf("fs.writeFile", { path: "none", create: false })).toEqual({
      name: "NotFound",
      code: "ENOENT",
      message: "No such file or directory (os error 2): writefile 'none'",
    });
    expect(await errorOf("fs.readDir", { path: "file" })).toEqual({
      name: "NotADirectory",
      code: "ENOTDIR",
      message: "Not a directory (os error 20): readdir 'file'",
    });
    expect(await errorOf("fs.mkdir", { path: "dir" })).toEqual({
      name: "AlreadyExists",
      code: "EEXIST",
      message: "File exists (os error 17): mkdir 'dir'",
    });
    expect(await errorOf("fs.remove", { path: "dir" })).toEqual({
      name: "Error",
      code: "ENOTEMPTY",
      message: "Directory not empty (os error 39): remove 'dir'",
    });
    expect(await errorOf("fs.rename", { from: "nope", to: "b" })).toEqual({
      name: "NotFound",
      code: "ENOENT",
      message: "No such file or directory (os error 2): rename 'nope' -> 'b'",
    });
    expect(await errorOf("fs.copyFile", { from: "nope", to: "b" })).toEqual({
      name: "NotFound",
      code: "ENOENT",
      message: "No such file or directory (os error 2): copy 'nope' -> 'b'",
    });
  });

  it("returns a folder's entries and a file's facts in Deno's shape", async () => {
    const { answer } = call({ "dir/x.txt": "xyz", "dir/link": { link: "x.txt" } });
    expect(await answer("fs.readDir", { path: "dir" })).toEqual({
      ok: true,
      value: [
        { name: "x.txt", isFile: true, isDirectory: false, isSymlink: false },
        { name: "link", isFile: false, isDirectory: false, isSymlink: true },
      ],
    });
    const time = Date.UTC(2024, 0, 1);
    expect(await answer("fs.stat", { path: "dir/link" })).toEqual({
      ok: true,
      value: { isFile: true, isDirectory: false, isSymlink: false, size: 3, mtimeMs: time, atimeMs: time, birthtimeMs: time, mode: 0o644 },
    });
    expect(await answer("fs.lstat", { path: "dir/link" })).toMatchObject({ ok: true, value: { isFile: false, isSymlink: true } });
    expect(await answer("fs.realPath", { path: "dir/link" })).toEqual({ ok: true, value: "/workspace/dir/x.txt" });
  });

  it("requires read and write for the old name, and write for the new one, to rename", async () => {
    const files = { "from/a": "a", "to/b": "b" };
    const rename = async (permissions: Permissions): Promise<boolean> =>
      (await call(files, permissions).answer("fs.rename", { from: "from/a", to: "to/a" })).ok;
    expect(await rename({ read: ["from"], write: ["from", "to"] })).toBe(true);
    expect(await rename({ write: ["from", "to"] })).toBe(false);
    expect(await rename({ read: ["from"], write: ["to"] })).toBe(false);
    expect(await rename({ read: ["from"], write: ["from"] })).toBe(false);
  });

  it("does not move a folder that contains a denied path, nor replace one [PA5]", async () => {
    const files = { "a/secret": "s", "b/x": "x" };
    const denying = (path: string): Permissions => ({ read: { allow: ["."], deny: [path] }, write: { allow: ["."], deny: [path] } });
    const moved = call(files, denying("a/secret"));
    expect(await moved.answer("fs.rename", { from: "a", to: "c" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
    expect(await call(files, denying("c/x")).answer("fs.rename", { from: "b", to: "c" })).toMatchObject({
      ok: false,
      error: { name: "NotCapable" },
    });
    expect(moved.acts.map(({ decision }) => decision)).toEqual(["denied"]);
    expect(await call(files, denying("c/x")).answer("fs.rename", { from: "b", to: "d" })).toEqual({ ok: true, value: null });
  });

  it("does not remove a folder that contains a denied path [PA5]", async () => {
    const { answer, modified } = call({ "a/secret": "s", "a/x": "x" }, { write: { allow: ["."], deny: ["a/secret"] }, read: true });
    const refused = await answer("fs.remove", { path: "a", recursive: true });
    expect(refused).toEqual({
      ok: false,
      error: { name: "NotCapable", message: `Requires write access to everything in "a", but a part of it is denied: remove 'a'` },
    });
    expect(textOf(await answer("fs.readFile", { path: "a/x" }))).toBe("x");
    expect(modified).toEqual([]);
  });

  it("records an act through a link that leaves the grant as denied, without the target [C10]", async () => {
    const { answer, acts } = call({ link: { link: "/home/user/key" }, "/home/user/key": "secret" });
    expect(await answer("fs.readFile", { path: "link" })).toEqual({
      ok: false,
      error: { name: "NotCapable", message: `Requires read access to "link", which leads outside of what is granted: readfile 'link'` },
    });
    expect(acts).toEqual([
      { decision: "denied", permission: "read", value: "/workspace/link", layer: "resolved path", rule: "$workspace" },
    ]);
  });

  it("reports paths under Deno's ignore as missing", async () => {
    const { answer, acts } = call({ a: "a", ".env": "x" }, { read: { allow: ["."], ignore: [".env"] } });
    expect(await answer("fs.readFile", { path: ".env" })).toMatchObject({ ok: false, error: { name: "NotFound" } });
    expect(acts.map(({ decision }) => decision)).toEqual(["denied"]);
  });

  it("bounds the bytes of one operation, each way [B3]", async () => {
    const { answer } = testCall({
      platform: memoryPlatform({ big: "x".repeat(101) }),
      cwd: WORKSPACE,
      permissions: ALL,
      operationBytes: 100,
    });
    expect(await answer("fs.readFile", { path: "big" })).toMatchObject({ ok: false, error: { code: "EFBIG" } });
    expect(await answer("fs.writeFile", { path: "new" }, new Uint8Array(101))).toMatchObject({ ok: false, error: { name: "RangeError" } });
    expect(await answer("fs.stat", { path: "new" })).toMatchObject({ ok: false, error: { name: "NotFound" } });
    for (let index = 0; index < 10; index += 1) await answer("fs.writeFile", { path: `file-${index}` });
    expect(await answer("fs.readDir", { path: "." })).toMatchObject({ ok: false, error: { name: "RangeError" } });
  });

  it("creates temporary files and folders for this user only, in $tmp or the given folder [PB1]", async () => {
    const platform = memoryPlatform({ ".tmp": { directory: true }, dir: { directory: true } });
    const { answer } = testCall({ platform, cwd: WORKSPACE, permissions: { write: ["$tmp", "dir"], read: ["."] } });
    const file = await answer("fs.makeTempFile", { prefix: "p-", suffix: ".txt" });
    expect(file).toMatchObject({ ok: true, value: expect.stringMatching(/^\/workspace\/\.tmp\/p-[0-9a-f]{16}\.txt$/) });
    const folder = await answer("fs.makeTempDir", { dir: "dir" });
    expect(folder).toMatchObject({ ok: true, value: expect.stringMatching(/^dir\/[0-9a-f]{16}$/) });
    const modeOf = async (made: typeof file): Promise<unknown> =>
      (await platform.files.stat(`/workspace/${valueOf(made).replace("/workspace/", "")}`))?.mode;
    expect([await modeOf(file), await modeOf(folder)]).toEqual([0o600, 0o700]);
    expect(await answer("fs.makeTempFile", { dir: "elsewhere" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
    expect(await answer("fs.makeTempFile", { prefix: "../../x" })).toEqual({
      ok: false,
      error: { name: "Error", message: 'Invalid character in prefix or suffix: "/"' },
    });
  });

  it("does not change a plugin's own files [B9]", async () => {
    const own = testCall({ platform: memoryPlatform(), cwd: WORKSPACE, permissions: {} });
    expect(await own.answer("fs.writeFile", { path: "/$plugin/main.ts" }, toBytes("x"))).toMatchObject({
      ok: false,
      error: { name: "NotCapable" },
    });
    expect(await own.answer("fs.remove", { path: "/$plugin/main.ts" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
  });
});
