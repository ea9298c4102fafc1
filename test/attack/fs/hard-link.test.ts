import { link } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("limit: hard links", () => {
  // A hard link is a second name of the same file; neither name is the real one. Guests cannot create hard links (they have no such
  // operation), and whatever creates one in the workspace could copy the file there as well.
  it("treats a file with a second name outside as the file inside (docs/security.md)", async () => {
    const { answer, workspace, outside } = await diskCall({});
    await link(join(outside, "secret.txt"), join(workspace, "same.txt"));
    expect(textOf(await answer("fs.readFile", { path: "same.txt" }))).toBe("secret");
  });

  it("offers no operation that creates one", async () => {
    const { answer } = await diskCall({ "a.txt": "a" });
    for (const name of ["fs.link", "fs.symlink"]) {
      expect(await answer(name, { from: "a.txt", to: "b.txt" })).toMatchObject({ ok: false, error: { name: "NotSupported" } });
    }
  });
});
