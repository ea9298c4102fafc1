import { describe, expect, it } from "vitest";
import { errorName, textOf, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

const DENYING = {
  read: { allow: ["$workspace"], deny: ["$workspace/secret.txt", "$workspace/caf\u00e9"] },
  write: { allow: ["$workspace"], deny: ["$workspace/secret.txt"] },
} as const;

describe("attack: another spelling of a denied path", () => {
  it.each([
    "secret.txt/",
    "secret.txt/.",
    "./secret.txt",
    ".//secret.txt",
    "sub/../secret.txt",
    "secret.txt//",
    "secret.txt/../secret.txt",
  ])("%s is the denied path [C4.spelling]", async (path) => {
    const { answer } = await diskCall({ "secret.txt": "s", "sub/x": "" }, DENYING);
    expect(errorName(await answer("fs.readFile", { path }))).toBe("NotCapable");
    expect(errorName(await answer("fs.writeFile", { path }, toBytes("x")))).toBe("NotCapable");
  });

  it("a link to a denied path is denied too [PA4, C4.spelling]", async () => {
    const { answer, contents, workspace } = await diskCall(
      { "secret.txt": "s", link: { link: "secret.txt" }, here: { link: "." } },
      DENYING,
    );
    expect(errorName(await answer("fs.readFile", { path: "link" }))).toBe("NotCapable");
    expect(errorName(await answer("fs.readFile", { path: "here/secret.txt" }))).toBe("NotCapable");
    expect(errorName(await answer("fs.writeFile", { path: "here/link" }, toBytes("x")))).toBe("NotCapable");
    expect(errorName(await answer("fs.rename", { from: "here/secret.txt", to: "free.txt" }))).toBe("NotCapable");
    expect(await contents(`${workspace}/secret.txt`)).toBe("s");
  });

  // Where names differ by case or Unicode form they are other files; where they do not, `folding-file-systems.test.ts` tries.
  it("another case or Unicode form is never a way to the denied file [C4.spelling]", async () => {
    const { answer } = await diskCall({ "secret.txt": "s", "caf\u00e9": "c" }, DENYING);
    for (const path of ["SECRET.TXT", "Secret.txt", "cafe\u0301", "\uff53ecret.txt"]) {
      const read = await answer("fs.readFile", { path });
      expect(["NotFound", "NotCapable"], path).toContain(errorName(read));
    }
  });

  it("names of other scripts and shapes are plain names", async () => {
    const { answer } = await diskCall({});
    for (const name of ["имя", "名前", "e\u0301", "a b", "-rf", "~", "$HOME", "a'b\"c", "x\ny", "%2e%2e", "..x", "...", " "]) {
      expect(await answer("fs.writeFile", { path: name }, toBytes(name)), name).toMatchObject({ ok: true });
      expect(textOf(await answer("fs.readFile", { path: name })), name).toBe(name);
    }
  });
});
