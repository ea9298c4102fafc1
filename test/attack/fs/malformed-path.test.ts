import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errorName, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: paths that are cut or changed on their way", () => {
  it.each(["a.txt\0", "\0", "a.txt\0.png", "../outside/secret.txt\0", "a\ud800.txt", "\udc00", "a.txt\udfff"])(
    "refuses %j [C4.malformed]",
    async (path) => {
      const { answer, workspace } = await diskCall({ "a.txt": "a" });
      for (const name of ["fs.readFile", "fs.writeFile", "fs.mkdir", "fs.remove", "fs.stat", "workspace.exists"]) {
        expect(errorName(await answer(name, { path }, toBytes("x"))), name).toBe("TypeError");
      }
      expect(errorName(await answer("fs.rename", { from: "a.txt", to: path }))).toBe("TypeError");
      expect((await readdir(workspace)).toSorted()).toEqual([".keep", "a.txt"]);
    },
  );

  it("returns messages without lone surrogates", async () => {
    const { answer } = await diskCall({});
    expect(await answer("fs.readFile", { path: "a\ud800" })).toMatchObject({
      ok: false,
      error: { message: "file name is not valid Unicode: readfile 'a\ufffd'" },
    });
  });
});
