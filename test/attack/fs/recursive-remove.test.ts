import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, testCall } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
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

  // In memory: on a disk a test that fails would be the attack.
  it("does not remove the root, even if everything is granted [C4.remove]", async () => {
    const platform = memoryPlatform({ "a.txt": "a" });
    const { answer } = testCall({ platform, cwd: WORKSPACE, permissions: { read: true, write: true } });
    expect(errorName(await answer("fs.remove", { path: "/", recursive: true }))).toBe("PermissionDenied");
    expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("a");
  });
});
