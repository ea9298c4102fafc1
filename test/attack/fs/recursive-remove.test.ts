import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, testCall } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
import { overlaid } from "../../support/overlaid.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

describe("attack: a recursive removal goes through a link or past the grant", () => {
  it("removes links, never what they lead to [C4.remove]", async () => {
    const { answer, outside, workspace } = await diskCall({
      "tree/a/link": { link: "$outside" },
      "tree/file-link": { link: "$outside/secret.txt" },
      "tree/up": { link: "../.." },
    });
    expect(await answer("fs.remove", { path: "tree", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await readdir(workspace)).toEqual([".keep"]);
  });

  it("of a link itself removes the link [C4.remove]", async () => {
    const { answer, outside, workspace } = await diskCall({ link: { link: "$outside" } });
    expect(await answer("fs.remove", { path: "link/", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await readdir(workspace)).toEqual([".keep"]);
  });

  it("does not begin where something below is denied, by name or by pattern [PA5]", async () => {
    for (const deny of ["$workspace/tree/deep/key", "$workspace/**/key"]) {
      const { answer, workspace } = await diskCall(
        { "tree/a": "", "tree/deep/key": "" },
        { read: true, write: { allow: ["$workspace"], deny: [deny] } },
      );
      expect(errorName(await answer("fs.remove", { path: "tree", recursive: true })), deny).toBe("NotCapable");
      expect((await readdir(join(workspace, "tree"))).toSorted()).toEqual(["a", "deep"]);
    }
  });

  it("does not remove the workspace's parent [C4.remove]", async () => {
    const { answer, outside } = await diskCall({});
    expect(errorName(await answer("fs.remove", { path: "..", recursive: true }))).toBe("NotCapable");
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });

  it("takes the root for no entry of anything, even if everything is granted [C4.remove]", async () => {
    // An act that could do nothing if it were begun.
    const { answer } = await diskCall({}, { read: true, write: true });
    expect(errorName(await answer("fs.mkdir", { path: "/" }))).toBe("PermissionDenied");
  });

  // In memory: on a disk a test that fails would be the attack.
  it("does not remove the root, even if everything is granted [C4.remove]", async () => {
    const platform = memoryPlatform({ "a.txt": "a" });
    const { answer } = testCall({ platform, cwd: WORKSPACE, permissions: { read: true, write: true } });
    expect(errorName(await answer("fs.remove", { path: "/", recursive: true }))).toBe("PermissionDenied");
    expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("a");
  });
});

describe("attack: a folder is taken by a way on which nothing of it looks denied", () => {
  const files = { "real/sub/key": "key", "real/sub/free": "", "real/.keep": "", "x/b": "evil", by: { link: "real" }, here: { link: "." } };

  it("is not moved with what may not be read or written in it [PA5, C4.linked]", async () => {
    for (const kind of ["read", "write"] as const) {
      const { answer, contents, workspace } = await diskCall(files, {
        ...{ read: ["$workspace"], write: ["$workspace"] },
        [kind]: { allow: ["$workspace"], deny: ["$workspace/real/sub/key"] },
      });
      for (const from of ["real/sub", "by/sub", "here/real", "here/by/sub"])
        expect(errorName(await answer("fs.rename", { from, to: "mine" })), from).toBe("NotCapable");
      expect(await contents(join(workspace, "real/sub/key"))).toBe("key");
    }
  });

  it("does not bring something to where it may not be written [PA5, C4.linked]", async () => {
    const { answer, workspace } = await diskCall(files, { read: true, write: { allow: ["$workspace"], deny: ["$workspace/real/a/b"] } });
    for (const to of ["real/a", "by/a", "here/real/a"])
      expect(errorName(await answer("fs.rename", { from: "x", to })), to).toBe("NotCapable");
    expect((await readdir(join(workspace, "real"))).toSorted()).toEqual([".keep", "sub"]);
    // What denies nothing there is no reason.
    expect(await answer("fs.rename", { from: "x", to: "by/c" })).toEqual({ ok: true, value: null });
  });

  it("is not removed in part [PA5, C4.linked]", async () => {
    const { answer, workspace } = await diskCall(files, {
      read: true,
      write: { allow: ["$workspace"], deny: ["$workspace/real/sub/key"] },
    });
    expect(errorName(await answer("fs.remove", { path: "by/sub", recursive: true }))).toBe("NotCapable");
    expect((await readdir(join(workspace, "real/sub"))).toSorted()).toEqual(["free", "key"]);
  });

  it("is not moved by committing a dry run under a grant that became narrower [PA5, E8.grant]", async () => {
    const call = await diskCall(files);
    const { answer, commit } = overlaid(call);
    expect(await answer("fs.rename", { from: "by/sub", to: "mine" })).toEqual({ ok: true, value: null });
    const narrower = await diskCall({}, { read: true, write: { allow: [call.workspace], deny: [`${call.workspace}/real/sub/key`] } });
    expect(await commit(narrower.context)).toMatchObject({
      ok: false,
      done: [],
      reason: expect.stringContaining("but a part of it is denied"),
    });
    expect(await commit()).toMatchObject({ ok: true });
  });
});
