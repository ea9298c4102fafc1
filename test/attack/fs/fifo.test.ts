import { describe, expect, it } from "vitest";
import { errorName, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe.runIf(process.platform !== "win32")("attack: a FIFO waits for a peer that never comes", () => {
  it("is refused at once, more often than there are threads to block [C4.devices]", async () => {
    const { answer } = await diskCall({ pipe: { other: true }, link: { link: "pipe" }, "a.txt": "a" });
    const acts = Array.from({ length: 8 }, () => [
      answer("fs.readFile", { path: "pipe" }),
      answer("fs.readFile", { path: "link" }),
      answer("fs.writeFile", { path: "pipe" }, toBytes("x")),
      answer("fs.writeFile", { path: "pipe", append: true }, toBytes("x")),
      answer("fs.truncate", { path: "pipe" }),
      answer("fs.copyFile", { from: "pipe", to: "b" }),
      answer("fs.copyFile", { from: "a.txt", to: "pipe" }),
      answer("workspace.read", { path: "pipe" }),
      answer("workspace.patch", { path: "pipe", old: "a", replacement: "b" }),
    ]).flat();
    expect(new Set((await Promise.all(acts)).map(errorName))).toEqual(new Set(["NotCapable"]));
  });

  it("can be inspected and removed [C4.devices]", async () => {
    const { answer } = await diskCall({ pipe: { other: true } });
    expect(await answer("fs.stat", { path: "pipe" })).toMatchObject({
      ok: true,
      value: { isFile: false, isDirectory: false, isSymlink: false },
    });
    expect(await answer("fs.remove", { path: "pipe" })).toEqual({ ok: true, value: null });
  });
});
