import { describe, expect, it } from "vitest";
import { createWorkspaceFiles } from "../../../../host/capabilities/mod.ts";
import type { WorkspaceFiles } from "../../../../host/call/context.ts";
import type { MemoryEntry, MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import { type TestCall, testCall } from "../../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";

interface Setup {
  readonly files: WorkspaceFiles;
  readonly call: TestCall;
  readonly platform: MemoryPlatform;
}

function setup(entries: Record<string, MemoryEntry>, permissions: Permissions = { read: ["."], write: ["."] }): Setup {
  const platform = memoryPlatform(entries);
  const call = testCall({ platform, cwd: WORKSPACE, permissions, operationBytes: 4 * 1024 * 1024, plugin: null });
  return { files: createWorkspaceFiles(call.context), call, platform };
}

describe("createWorkspaceFiles()", () => {
  it("reads, writes, appends, lists, finds and deletes [C8]", async () => {
    const { files, call } = setup({ "a.txt": "abc", "dir/b.txt": "b" });
    expect(await files.read("a.txt")).toBe("abc");
    expect(await files.readBytes("a.txt", { offset: 1, length: 1 })).toEqual(new TextEncoder().encode("b"));
    await files.write("new.txt", "1");
    await files.append("new.txt", "2");
    await files.writeBytes("bytes", Uint8Array.of(1, 2));
    expect(await files.read("new.txt")).toBe("12");
    expect(await files.list("dir")).toEqual([{ name: "b.txt", kind: "file" }]);
    expect([await files.exists("a.txt"), await files.exists("none"), await files.exists("a.txt/x")]).toEqual([true, false, false]);
    await files.delete("a.txt");
    expect(await files.exists("a.txt")).toBe(false);
    expect(call.modified).toEqual(["new.txt", "new.txt", "bytes", "a.txt"]);
  });

  it("caps a read at 1 MiB unless a range is given [C8.cap]", async () => {
    const { files } = setup({ exact: "x".repeat(1024 * 1024), big: `${"x".repeat(1024 * 1024)}y` });
    expect((await files.read("exact")).length).toBe(1024 * 1024);
    await expect(files.read("big")).rejects.toMatchObject({
      code: "EFBIG",
      message: 'Cannot read "big": more than 1048576 bytes (read a part with offset and length)',
    });
    expect(await files.read("big", { offset: 1024 * 1024, length: 10 })).toBe("y");
  });

  it("patches the only occurrence, with special characters taken literally [C8.patch]", async () => {
    const { files, platform } = setup({ "a.txt": "\ufeffone two\nthree" });
    await files.patch("a.txt", "two", "$& $1 2");
    expect(await platform.files.readBytes(`${WORKSPACE}/a.txt`)).toEqual(new TextEncoder().encode("\ufeffone $& $1 2\nthree"));
  });

  it("refuses to patch a text that occurs never or more than once, or a binary file [C8.patch]", async () => {
    const { files, call } = setup({ "a.txt": "aXaXa", bytes: Uint8Array.of(0xff, 0x61) });
    await expect(files.patch("a.txt", "b", "c")).rejects.toMatchObject({
      name: "InvalidData",
      message: expect.stringContaining("does not occur"),
    });
    await expect(files.patch("a.txt", "X", "c")).rejects.toMatchObject({
      name: "InvalidData",
      message: expect.stringContaining("more than once"),
    });
    await expect(files.patch("a.txt", "aXa", "c")).rejects.toMatchObject({
      name: "InvalidData",
      message: expect.stringContaining("more than once"),
    });
    await expect(files.patch("a.txt", "", "c")).rejects.toMatchObject({ name: "InvalidData" });
    await expect(files.patch("bytes", "a", "c")).rejects.toMatchObject({ name: "InvalidData" });
    expect(await files.read("a.txt")).toBe("aXaXa");
    expect(call.modified).toEqual([]);
  });

  it("makes the same checks as every other access to files [C8, C2]", async () => {
    const { files } = setup({ "a.txt": "a", out: { link: "/home/user" }, "/home/user/key": "k" }, { read: ["."], write: ["b.txt"] });
    await expect(files.write("a.txt", "x")).rejects.toMatchObject({
      name: "NotCapable",
      message: expect.stringContaining('Requires write access to "a.txt"'),
    });
    await expect(files.patch("a.txt", "a", "b")).rejects.toMatchObject({ name: "NotCapable" });
    await expect(files.delete("a.txt")).rejects.toMatchObject({ name: "NotCapable" });
    await expect(files.read("../home/user/key")).rejects.toMatchObject({ name: "NotCapable" });
    await expect(files.read("out/key")).rejects.toMatchObject({ name: "NotCapable" });
    await expect(files.exists("out/key")).rejects.toMatchObject({ name: "NotCapable" });
    await files.write("b.txt", "x");
  });
});
