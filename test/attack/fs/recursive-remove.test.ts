import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, testCall } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
import { overlaid } from "../../support/overlaid.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

describe("attack: a recursive removal goes through a link or past the grant", () => {
  it("removes links, never their targets [C4.remove]", async () => {
    const { answer, outside, workspace } = await diskCall({
      "tree/a/link": { link: "$outside" },
      "tree/file-link": { link: "$outside/secret.txt" },
      "tree/up": { link: "../.." },
    });
    expect(await answer("fs.remove", { path: "tree", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await readdir(workspace)).toEqual([".keep"]);
  });

  it("removes the link when the path itself is a link [C4.remove]", async () => {
    const { answer, outside, workspace } = await diskCall({ link: { link: "$outside" } });
    expect(await answer("fs.remove", { path: "link/", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await readdir(workspace)).toEqual([".keep"]);
  });

  it("does not begin if something below is denied, by name or by pattern [PA5]", async () => {
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

  it("does not treat the root as a removable entry, even if everything is granted [C4.remove]", async () => {
    // An act that would have no effect.
    const { answer } = await diskCall({}, { read: true, write: true });
    expect(errorName(await answer("fs.mkdir", { path: "/" }))).toBe("PermissionDenied");
  });

  // In memory, so that a failing test does no harm.
  it("does not remove the root, even if everything is granted [C4.remove]", async () => {
    const platform = memoryPlatform({ "a.txt": "a" });
    const { answer } = testCall({ platform, cwd: WORKSPACE, permissions: { read: true, write: true } });
    expect(errorName(await answer("fs.remove", { path: "/", recursive: true }))).toBe("PermissionDenied");
    expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("a");
  });
});

describe("attack: a folder with denied entries is reached through a link", () => {
  const files = { "real/sub/key": "key", "real/sub/free": "", "real/.keep": "", "x/b": "evil", by: { link: "real" }, here: { link: "." } };

  it("is not moved with entries that may not be read or written [PA5, C4.linked]", async () => {
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

  it("is not moved to a path that may not be written [PA5, C4.linked]", async () => {
    const { answer, workspace } = await diskCall(files, { read: true, write: { allow: ["$workspace"], deny: ["$workspace/real/a/b"] } });
    for (const to of ["real/a", "by/a", "here/real/a"])
      expect(errorName(await answer("fs.rename", { from: "x", to })), to).toBe("NotCapable");
    expect((await readdir(join(workspace, "real"))).toSorted()).toEqual([".keep", "sub"]);
    // A rule that denies nothing there does not count.
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

  it("is not moved by the commit of a dry run after its grant was narrowed [PA5, E8.grant]", async () => {
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
