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
  ])("treats %s as the denied path [C4.spelling]", async (path) => {
    const { answer } = await diskCall({ "secret.txt": "s", "sub/x": "" }, DENYING);
    expect(errorName(await answer("fs.readFile", { path }))).toBe("NotCapable");
    expect(errorName(await answer("fs.writeFile", { path }, toBytes("x")))).toBe("NotCapable");
  });

  it("denies a link to a denied path too [PA4, C4.spelling]", async () => {
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

  // On this file system, names that differ by case or Unicode form are other files; `folding-file-systems.test.ts` tests the others.
  it("does not reach the denied file by another case or Unicode form [C4.spelling]", async () => {
    const { answer } = await diskCall({ "secret.txt": "s", "caf\u00e9": "c" }, DENYING);
    for (const path of ["SECRET.TXT", "Secret.txt", "cafe\u0301", "\uff53ecret.txt"]) {
      const read = await answer("fs.readFile", { path });
      expect(["NotFound", "NotCapable"], path).toContain(errorName(read));
    }
  });

  it("accepts names of other scripts as plain names", async () => {
    const { answer } = await diskCall({});
    for (const name of ["имя", "名前", "e\u0301", "a b", "-rf", "~", "$HOME", "a'b\"c", "x\ny", "%2e%2e", "..x", "...", " "]) {
      expect(await answer("fs.writeFile", { path: name }, toBytes(name)), name).toMatchObject({ ok: true });
      expect(textOf(await answer("fs.readFile", { path: name })), name).toBe(name);
    }
  });
});
