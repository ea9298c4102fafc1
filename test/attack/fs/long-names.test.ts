import { readdir } from "node:fs/promises";
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
  ])("reports %s briefly as too long [C4.long]", async (_what, path) => {
    const { answer } = await diskCall({});
    for (const name of ["fs.readFile", "fs.writeFile", "fs.stat", "fs.mkdir"]) {
      const answered = await answer(name, { path }, toBytes("x"));
      expect(answered).toMatchObject({ ok: false, error: { code: "ENAMETOOLONG" } });
      expect(JSON.stringify(answered).length).toBeLessThan(25_000);
    }
  });

  it("removes a tree with more levels than a process may open files, with entries on every level [C4.remove]", async () => {
    const { answer, workspace } = await diskCall({});
    const deep = Array.from({ length: 1_500 }, () => "d").join("/");
    const places = ["d", deep.slice(0, 199), deep];
    expect(await answer("fs.mkdir", { path: deep, recursive: true })).toEqual({ ok: true, value: null });
    for (const place of places) {
      for (const name of ["a", "e", "e/x"].map((last) => `${place}/${last}`)) {
        const made = name.endsWith("e")
          ? await answer("fs.mkdir", { path: name })
          : await answer("fs.writeFile", { path: name }, toBytes("x"));
        expect(made).toEqual({ ok: true, value: null });
      }
    }
    expect(await answer("fs.remove", { path: "d", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(workspace)).toEqual([".keep"]);
  });
});
