import { describe, expect, it } from "vitest";
import { toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: very long names", () => {
  it.each([
    ["a name of 256 bytes", "x".repeat(256)],
    ["a name of 256 bytes in 64 characters", "👋".repeat(64)],
    ["a path longer than PATH_MAX", "a/".repeat(3_000)],
    ["a megabyte", "x".repeat(1024 * 1024)],
    ["a megabyte of climbing", "../".repeat(350_000)],
  ])("%s is answered as such, briefly [C4.long]", async (_what, path) => {
    const { answer } = await diskCall({});
    for (const name of ["fs.readFile", "fs.writeFile", "fs.stat", "fs.mkdir"]) {
      const answered = await answer(name, { path }, toBytes("x"));
      expect(answered).toMatchObject({ ok: false, error: { code: "ENAMETOOLONG" } });
      expect(JSON.stringify(answered).length).toBeLessThan(25_000);
    }
  });

  it("a tree deeper than any path can be removed level by level", async () => {
    const { answer } = await diskCall({});
    const deep = Array.from({ length: 200 }, () => "d").join("/");
    expect(await answer("fs.mkdir", { path: deep, recursive: true })).toEqual({ ok: true, value: null });
    expect(await answer("fs.remove", { path: "d", recursive: true })).toEqual({ ok: true, value: null });
    expect(await answer("fs.stat", { path: "d" })).toMatchObject({ ok: false, error: { name: "NotFound" } });
  });
});
