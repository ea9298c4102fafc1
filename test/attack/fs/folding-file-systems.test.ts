import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createOverlay } from "../../../host/effects/overlay/overlay.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import { errorName, type TestCall, testCall, textOf, toBytes } from "../../support/bridge-context.ts";
import { foldingFolder, type Folding, withoutFolding } from "../../support/folding-folder.ts";

const missing = withoutFolding();
if (missing !== undefined) process.stderr.write(`test/attack/fs/folding-file-systems.test.ts: skipped, ${missing}\n`);

const DENIED: Permissions = {
  read: { allow: ["$workspace"], deny: ["secret-file.txt", "Private", "caf\u00e9.txt", "**/*.pem"] },
  write: { allow: ["$workspace"], deny: ["secret-file.txt", "Private", "caf\u00e9.txt", "**/*.pem", "later.txt"] },
};

interface World extends TestCall {
  readonly folder: string;
}

async function env(folding: Folding, files: Readonly<Record<string, string>>, platform?: (own: Platform) => Platform): Promise<World> {
  const folder = await foldingFolder(folding);
  for (const [path, text] of Object.entries(files)) {
    if (path.includes("/")) await mkdir(`${folder}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    await writeFile(`${folder}/${path}`, text);
  }
  const own = currentPlatform();
  return { folder, ...testCall({ platform: platform?.(own) ?? own, cwd: folder, permissions: DENIED }) };
}

const FILES = { "secret-file.txt": "s", "Private/key": "k", "caf\u00e9.txt": "c", "sub/a.pem": "p", "free.txt": "f" };

/** Other spellings of the files above. */
const SPELLINGS = [
  "SECRET-FILE.TXT",
  "secret-file.TXT",
  "secret-file.txt.",
  "SECRET~1.TXT",
  "secret~1.txt",
  "private/key",
  "PRIVATE/KEY",
  "CAF\u00c9.TXT",
  "cafe\u0301.txt",
  "sub/A.PEM",
  "SUB/a.Pem",
];

/** Every act of a plugin, on a denied file under this name; all must be refused. */
async function outcomes({ answer }: TestCall, path: string): Promise<Readonly<Record<string, string | undefined>>> {
  return {
    read: errorName(await answer("fs.readFile", { path })),
    stat: errorName(await answer("fs.stat", { path })),
    open: errorName(await answer("file.open", { path, read: true })),
    write: errorName(await answer("fs.writeFile", { path }, toBytes("x"))),
    append: errorName(await answer("fs.writeFile", { path, append: true }, toBytes("x"))),
    truncate: errorName(await answer("fs.truncate", { path })),
    copy: errorName(await answer("fs.copyFile", { from: path, to: "out.txt" })),
    over: errorName(await answer("fs.copyFile", { from: "free.txt", to: path })),
    rename: errorName(await answer("fs.rename", { from: path, to: "out.txt" })),
    replace: errorName(await answer("fs.rename", { from: "free.txt", to: path })),
    remove: errorName(await answer("fs.remove", { path })),
  };
}

const ALL_REFUSED = Object.fromEntries(
  ["read", "stat", "open", "write", "append", "truncate", "copy", "over", "rename", "replace", "remove"].map((act) => [act, "NotCapable"]),
);

describe.skipIf(missing !== undefined)("attack: a denied name in another spelling, on a file system that folds both", () => {
  it("is refused for every act [C4.folding, PA4]", async () => {
    const call = await env("case", FILES);
    // Precondition: the file system itself opens the denied file under each spelling.
    for (const path of SPELLINGS) expect((await readFile(`${call.folder}/${path}`, "utf8")).length, path).toBe(1);
    for (const path of SPELLINGS) expect(await outcomes(call, path), path).toEqual(ALL_REFUSED);
    expect(await readFile(`${call.folder}/secret-file.txt`, "utf8")).toBe("s");
    expect((await readdir(call.folder)).toSorted()).toEqual(["Private", "caf\u00e9.txt", "free.txt", "secret-file.txt", "sub"]);
  });

  it("is refused for acts on folders [C4.folding, PA5]", async () => {
    const { answer, folder } = await env("case", FILES);
    for (const path of ["private", "PRIVATE", "Private."]) {
      expect(errorName(await answer("fs.readDir", { path })), path).toBe("NotCapable");
      expect(errorName(await answer("fs.remove", { path, recursive: true })), path).toBe("NotCapable");
      expect(errorName(await answer("fs.rename", { from: path, to: "open" })), path).toBe("NotCapable");
      expect(errorName(await answer("fs.mkdir", { path: `${path}/deep/er`, recursive: true })), path).toBe("NotCapable");
    }
    expect(await readdir(`${folder}/Private`)).toEqual(["key"]);
  });

  it("cannot be created where nothing exists yet [C4.folding]", async () => {
    const { answer, folder } = await env("case", { "free.txt": "f" });
    for (const path of ["LATER.txt", "later.txt.", "\u017fecret-file.txt", "PRIVATE", "sub/x.PEM", "new/x.PEM"]) {
      expect(errorName(await answer("fs.writeFile", { path }, toBytes("x"))), path).toBe("NotCapable");
      expect(errorName(await answer("fs.mkdir", { path, recursive: true })), path).toBe("NotCapable");
      expect(errorName(await answer("fs.rename", { from: "free.txt", to: path })), path).toBe("NotCapable");
    }
    expect(await readdir(folder)).toEqual(["free.txt"]);
  });

  it("is refused where only Unicode forms are folded [C4.folding]", async () => {
    const call = await env("forms", { "caf\u00e9.txt": "c", "free.txt": "f", "na\u00efve.txt": "n" });
    expect(await outcomes(call, "cafe\u0301.txt")).toEqual(ALL_REFUSED);
    expect(errorName(await call.answer("fs.readFile", { path: "nai\u0308ve.txt" }))).toBeUndefined();
  });

  it("is refused in a folder that cannot be listed [C4.folding]", async () => {
    const { answer } = await env("exact", {});
    expect(errorName(await answer("fs.writeFile", { path: "LATER.txt" }, toBytes("x")))).toBe("NotCapable");
  });

  it("is refused in a dry run [C4.folding, E8]", async () => {
    const call = await env("case", FILES, (platform) => createOverlay({ platform, sends: "nothing" }).platform);
    for (const path of SPELLINGS) expect(await outcomes(call, path), path).toEqual(ALL_REFUSED);
  });

  it("is explained in the message [C4.folding]", async () => {
    const { answer } = await env("case", FILES);
    expect(await answer("fs.readFile", { path: "SECRET-FILE.TXT" })).toMatchObject({
      error: {
        message:
          "Requires read access to \"SECRET-FILE.TXT\", which its file system may take for a name that is denied (write it as its folder lists it): readfile 'SECRET-FILE.TXT'",
      },
    });
  });
});

describe.skipIf(missing !== undefined)("a name that differs from a denied one only in its spelling", () => {
  it("is a separate name where the file system keeps both [C4.folding]", async () => {
    const { answer } = await env("exact", { ...FILES, "Secret-File.txt": "mine", "note~1.txt": "n" });
    expect(textOf(await answer("fs.readFile", { path: "Secret-File.txt" }))).toBe("mine");
    expect(textOf(await answer("fs.readFile", { path: "note~1.txt" }))).toBe("n");
    expect(errorName(await answer("fs.writeFile", { path: "LATER.TXT" }, toBytes("x")))).toBeUndefined();
    expect(errorName(await answer("fs.readFile", { path: "secret-file.txt" }))).toBe("NotCapable");
  });

  it("does not affect names that are not denied [C4.folding]", async () => {
    const { answer } = await env("case", FILES);
    expect(textOf(await answer("fs.readFile", { path: "FREE.TXT" }))).toBe("f");
    expect(errorName(await answer("fs.writeFile", { path: "Sub/b.txt" }, toBytes("x")))).toBeUndefined();
  });
});
