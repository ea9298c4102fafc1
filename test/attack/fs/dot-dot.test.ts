import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, textOf, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: a path climbs out with ..", () => {
  it.each([
    "../outside/secret.txt",
    "./../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "none/../../outside/secret.txt",
    "sub//..//..//outside//secret.txt",
    "..",
    "../workspace-evil/x",
  ])("refuses %s without access to the disk [C4.dotdot]", async (path) => {
    const { answer, outside, contents } = await diskCall({ "sub/a.txt": "a" });
    expect(errorName(await answer("fs.readFile", { path }))).toBe("NotCapable");
    expect(errorName(await answer("fs.writeFile", { path }, toBytes("evil")))).toBe("NotCapable");
    expect(errorName(await answer("fs.remove", { path, recursive: true }))).toBe("NotCapable");
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
  });

  // Read-only, so that a failing test does no harm.
  it.each(["../../../../../../../../etc/hostname", "/etc/hostname", "//etc/hostname", "/../etc/hostname"])(
    "does not read %s [C4.dotdot]",
    async (path) => {
      const { answer } = await diskCall({});
      expect(errorName(await answer("fs.readFile", { path }))).toBe("NotCapable");
    },
  );

  it("accepts a path that returns into the workspace [C4.dotdot]", async () => {
    const { answer } = await diskCall({ "sub/a.txt": "a" });
    expect(textOf(await answer("fs.readFile", { path: "none/../sub/./a.txt" }))).toBe("a");
    expect(textOf(await answer("fs.readFile", { path: "../workspace/sub/a.txt" }))).toBe("a");
  });

  it("resolves .. behind a link textually, so the link cannot steer it [C4.dotdot]", async () => {
    const { answer } = await diskCall({ link: { link: "$outside" }, "secret.txt": "mine" });
    // The kernel would read <root>/secret.txt.
    expect(textOf(await answer("fs.readFile", { path: "link/../secret.txt" }))).toBe("mine");
  });

  it("refuses a folder whose name starts like the granted one [C4.segments]", async () => {
    const { answer, workspace } = await diskCall({}, { read: ["$workspace/pub"], write: ["$workspace/pub"] });
    expect(errorName(await answer("fs.writeFile", { path: "public.txt" }, toBytes("x")))).toBe("NotCapable");
    expect(errorName(await answer("fs.readFile", { path: `${workspace}/pub/../public.txt` }))).toBe("NotCapable");
  });
});
