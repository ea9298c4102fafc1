import { link } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("limit: hard links", () => {
  // A hard link is no way to a file but a second name of it; neither is the real one. Guests cannot make them (there is
  // no such operation), and whoever can put one into the workspace could as well copy the file there.
  it("a file with a second name outside is the file inside (docs/security.md)", async () => {
    const { answer, workspace, outside } = await diskCall({});
    await link(join(outside, "secret.txt"), join(workspace, "same.txt"));
    expect(textOf(await answer("fs.readFile", { path: "same.txt" }))).toBe("secret");
  });

  it("no operation makes one", async () => {
    const { answer } = await diskCall({ "a.txt": "a" });
    for (const name of ["fs.link", "fs.symlink"]) {
      expect(await answer(name, { from: "a.txt", to: "b.txt" })).toMatchObject({ ok: false, error: { name: "NotSupported" } });
    }
  });
});
