import { gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { toPluginFiles } from "../../../host/plugins/installing/archive-entry.ts";
import { PackageError } from "../../../host/plugins/installing/package-error.ts";
import { readArchive } from "../../../host/plugins/installing/read-archive.ts";
import { parseSource, readPackage } from "../../../host/plugins/installing/read-package.ts";
import { unpackTask } from "../../../host/plugins/installing/unpack-task.ts";
import { type Git, GitError } from "../../../host/platform/processes/git-types.ts";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { FOLDER_BOUNDS } from "../../../host/plugins/folder/walk.ts";
import { paxRecord, tarOf, type TarMember, zipOf } from "../../support/archives.ts";

/** Returns the extracted paths, or the error. */
function outcome(bytes: Uint8Array): readonly string[] | string {
  try {
    return [...toPluginFiles(readArchive(bytes)).keys()].toSorted();
  } catch (error) {
    if (error instanceof PackageError) return error.message;
    throw error;
  }
}

const MANIFEST = { name: "manifest.json", content: "{}" };

/** Offset of the first entry in the central directory. */
function centralOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 6, true);
}

function zipWith(change: (view: DataView, central: number) => void): Uint8Array {
  const bytes = zipOf({ "main.ts": "text ".repeat(100) });
  change(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), centralOf(bytes));
  return bytes;
}

describe("paths in archives", () => {
  it.each([
    ["../../etc/cron.d/x", /leads out/],
    ["a/../../x", /leads out/],
    ["..", /leads out/],
    ["/etc/passwd", /absolute/],
    ["C:/x", /absolute/],
    ["\\\\server\\x", /absolute/],
    ["a\\..\\..\\x", /undecodable/],
    ["a//b", /empty steps/],
    ["a/./b", /empty steps/],
    ["a\u0000b", /control|damaged|empty|lib/],
    ["a\u202eb", /control, invisible/],
    ["a\nb", /control, invisible/],
    [".git./config", /some systems change/],
    ["lib/.git /config", /some systems change/],
    [".git::$INDEX_ALLOCATION/config", /some systems change/],
    ["main.ts:hidden", /some systems change/],
    [`${"d/".repeat(FOLDER_BOUNDS.depth + 1)}x`, /nested/],
    ["n".repeat(FOLDER_BOUNDS.nameLength + 1), /name of more/],
  ])("refuses %j in a zip and in a tar [I2.traversal]", (path, expected) => {
    const zipped = outcome(zipOf({ "manifest.json": "{}", [path]: "x" }));
    const tarred = outcome(tarOf([MANIFEST, { name: "p", type: "x", content: paxRecord("path", path) }, { name: "short", content: "x" }]));
    for (const said of [zipped, tarred]) expect(said).toMatch(expected);
  });

  it.each([
    [["main.ts", "MAIN.ts"], /one file on some systems/],
    [["straße.ts", "STRASSE.ts"], /one file on some systems/],
    [["caf\u00e9.ts", "cafe\u0301.ts"], /one file on some systems/],
    [["lib/a.ts", "LIB/b.ts"], /one folder on some systems/],
    [["lib", "lib/a.ts"], /a file and a folder/],
    [["LIB", "lib/a.ts"], /a file and a folder/],
  ])("refuses %j: they collide [I2.case]", (paths, expected) => {
    expect(outcome(tarOf([MANIFEST, ...paths.map((name) => ({ name, content: "x" }))]))).toMatch(expected);
  });

  it("refuses a duplicate path, because extractors disagree on which one counts [I2.twice]", () => {
    expect(outcome(tarOf([MANIFEST, { name: "main.ts", content: "good" }, { name: "main.ts", content: "evil" }]))).toMatch(/one file/);
  });

  it("leaves out what plugins cannot load, such as hooks and packages [I2.ignored]", () => {
    const files = {
      "manifest.json": "{}",
      ".git/hooks/post-checkout": "x",
      "node_modules/x/index.js": "x",
      "a/.git/config": "x",
      "b/.GIT/config": "x",
      "lib/Node_Modules/x/index.js": "x",
      "main.ts": "x",
    };
    expect(outcome(zipOf(files))).toEqual(["main.ts", "manifest.json"]);
  });

  it("strips the folder that contains everything [I2.wrapper]", () => {
    expect(
      outcome(
        tarOf([
          { name: "package/", type: "5" },
          { name: "package/manifest.json", content: "{}" },
          { name: "package/lib/a.ts", content: "" },
        ]),
      ),
    ).toEqual(["lib/a.ts", "manifest.json"]);
  });
});

describe("tar files", () => {
  it.each<[string, readonly TarMember[], RegExp]>([
    ["a symbolic link", [{ name: "x", type: "2" }], /"x" is a link/],
    ["a hard link", [{ name: "x", type: "1" }], /"x" is a link/],
    ["a device", [{ name: "x", type: "3" }], /neither a file nor a folder/],
    ["a FIFO", [{ name: "x", type: "6" }], /neither a file nor a folder/],
    ["a file with holes", [{ name: "x", type: "S" }], /holes/],
    ["a size beyond the end", [{ name: "x", size: 10_000_000 }], /damaged/],
    ["the largest possible size", [{ name: "x", size: 8 ** 11 - 1 }], /damaged/],
    [
      "a second size",
      [
        { name: "h", type: "x", content: paxRecord("size", "0") },
        { name: "x", content: "y" },
      ],
      /two sizes/,
    ],
    ["a path for all files", [{ name: "h", type: "g", content: paxRecord("path", "x") }], /header for all files/],
    ["an invalid pax header", [{ name: "h", type: "x", content: "99999 path=x\n" }], /damaged/],
    ["a pax header of length zero", [{ name: "h", type: "x", content: "0 path=x\n" }], /damaged/],
    ["a name that is not UTF-8", [{ name: "h", type: "L", content: Uint8Array.of(0xff, 0) }], /UTF-8/],
    [
      "a file without a name",
      [
        { name: "h", type: "L", content: "\0" },
        { name: "x", content: "y" },
      ],
      /without a name/,
    ],
  ])("refuse %s [I2.tar]", (_what, members, expected) => {
    expect(outcome(tarOf([MANIFEST, ...members]))).toMatch(expected);
  });

  it("refuse a modified header, and one that is cut off [I2.tar]", () => {
    const tar = tarOf([MANIFEST]);
    const changed = tar.slice();
    changed[0] = 0x6e;
    for (const bytes of [changed, tar.slice(0, 600), tar.slice(0, 1024)]) expect(outcome(bytes)).toMatch(/damaged/);
  });

  it("read long names in every format [I2.tar]", () => {
    const long = `${"d".repeat(90)}/${"f".repeat(90)}.ts`;
    const members: readonly TarMember[] = [
      MANIFEST,
      { name: "g", type: "g", content: paxRecord("comment", "a commit") },
      { name: "h", type: "x", content: paxRecord("path", `pax/${long}`) },
      { name: "short" },
      { name: "h", type: "L", content: `gnu/${long}\0` },
      { name: "short" },
      { name: `${"f".repeat(90)}.ts`, prefix: `ustar/${"d".repeat(90)}` },
    ];
    expect(outcome(tarOf(members))).toEqual([`gnu/${long}`, "manifest.json", `pax/${long}`, `ustar/${long}`]);
  });

  it("hold no more than a plugin's folder may [I2.bomb]", () => {
    const many = Array.from({ length: FOLDER_BOUNDS.entries + 1 }, (_, index) => ({ name: `f${index}` }));
    expect(outcome(tarOf(many))).toMatch(/more than 6000 files/);
    const large = new Uint8Array(FOLDER_BOUNDS.totalBytes + 1);
    expect(outcome(tarOf([{ name: "x", content: large }]))).toMatch(/more than 32 MiB/);
  });
});

describe("compressed bombs", () => {
  it("stop at the bound of a tar.gz, before they are unpacked [I2.bomb]", () => {
    // Ten members in one gzip file, each of 16 MiB of zeros.
    const piece = gzipSync(new Uint8Array(16 * 1024 * 1024));
    expect(outcome(Buffer.concat(Array.from({ length: 10 }, () => piece)))).toMatch(/Holds more than \d+ bytes/);
  });

  it("stop in a zip at the declared size, which is bounded [I2.bomb]", () => {
    const bytes = zipSync({ x: new Uint8Array(4 * 1024 * 1024) });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    view.setUint32(centralOf(bytes) + 24, 10, true);
    expect(outcome(bytes)).toMatch(/more than 10 bytes/);
    view.setUint32(centralOf(bytes) + 24, 0xfffffffe, true);
    expect(outcome(bytes)).toMatch(/more than 32 MiB/);
  });
});

describe("zip files", () => {
  it.each<[string, (view: DataView, central: number) => void, RegExp]>([
    ["a link", (view, at) => view.setUint32(at + 38, (0o120777 << 16) >>> 0, true), /is a link/],
    ["a device", (view, at) => view.setUint32(at + 38, (0o020666 << 16) >>> 0, true), /neither/],
    ["an encrypted file", (view, at) => view.setUint16(at + 8, 1, true), /encrypted/],
    ["another method", (view, at) => view.setUint16(at + 10, 12, true), /unsupported/],
    ["another method before the data", (view) => view.setUint16(8, 0, true), /damaged/],
    ["another checksum", (view, at) => view.setUint32(at + 16, 1, true), /does not match the size/],
    ["another size", (view, at) => view.setUint32(at + 24, 501, true), /does not match the size/],
    ["another name before the data", (view) => view.setUint8(30, 0x6e), /damaged/],
    ["data beyond the directory", (view, at) => view.setUint32(at + 20, 0x7fffffff, true), /damaged/],
    ["a header elsewhere", (view, at) => view.setUint32(at + 42, at, true), /damaged/],
    ["an entry that overruns the directory", (view, at) => view.setUint16(at + 30, 0xffff, true), /damaged/],
    [
      "more entries than there are",
      (view) => (view.setUint16(view.byteLength - 14, 2, true), view.setUint16(view.byteLength - 12, 2, true)),
      /damaged/,
    ],
    ["zip64", (view) => view.setUint16(view.byteLength - 12, 0xffff, true), /zip64/],
    ["a directory elsewhere", (view) => view.setUint32(view.byteLength - 6, 0, true), /damaged/],
  ])("refuse %s [I2.zip]", (_what, change, expected) => {
    expect(outcome(zipWith(change))).toMatch(expected);
  });

  it("refuse data before and after the archive [I2.zip]", () => {
    const bytes = zipOf({ "main.ts": "x" });
    expect(outcome(Buffer.concat([bytes, Uint8Array.of(0)]))).toMatch(/damaged/);
    expect(outcome(Buffer.concat([zipOf({ "other.ts": "x" }), bytes]))).toMatch(/damaged/);
  });

  it("are detected by content, not by name [I2.zip]", () => {
    expect([outcome(zipOf({ "main.ts": "x" })), outcome(new TextEncoder().encode("#!/bin/sh"))]).toEqual([
      ["main.ts"],
      expect.stringMatching(/neither a folder nor a zip/),
    ]);
  });
});

describe("URLs of repositories", () => {
  it.each([
    "ext::sh -c touch% /tmp/x",
    "file:///etc",
    "FILE:///etc",
    "git://host/x",
    "ftp://host/x",
    "http://host/x",
    "http://127.0.0.1.evil.test/x",
    "fd::17/foo",
    "https://-oProxyCommand=x/y",
    "ssh://-oProxyCommand=x/y",
    "ssh://user@-oProxyCommand=x/y",
    "user@-oProxyCommand:x",
    "user@host:-x",
    "https://host/x#--upload-pack=x",
    "https://host/x#a..b c",
    "https://host/x y",
    "https://host/x#a#b",
  ])("refuse %s [I2.git]", (url) => {
    expect(() => parseSource(url)).toThrow(PackageError);
  });

  it("keep the branch or tag in the lock, for an update [I2.update]", async () => {
    const { origin } = await readPackage(
      { ...createMemoryPlatform(), git: { fetch: () => Promise.resolve({ commit: "a".repeat(40), tar: tarOf([MANIFEST]) }) } },
      parseSource("https://token@host/x.git#v1.0.0"),
      (bytes) => unpackTask({ bytes, as: "plugin" }),
      new AbortController().signal,
    );
    expect(origin).toEqual({ kind: "git", from: "https://host/x.git#v1.0.0", commit: "a".repeat(40) });
  });

  it("accept https, ssh, and http on this machine [I2.git]", () => {
    expect(parseSource("https://host/x.git#v1.0.0")).toEqual({ kind: "git", url: "https://host/x.git", ref: "v1.0.0" });
    expect(parseSource("git@host.test:me/x.git")).toEqual({ kind: "git", url: "git@host.test:me/x.git" });
    expect(parseSource("http://127.0.0.1:8080/x")).toEqual({ kind: "git", url: "http://127.0.0.1:8080/x" });
    expect(parseSource("./plugins/x")).toEqual({ kind: "path", path: "./plugins/x" });
  });

  it.each([
    ["https://user:pass@host/x.git", "https://host/x.git"],
    ["https://token@host/x.git", "https://host/x.git"],
    ["https://user:p@ss@host/x.git", "https://host/x.git"],
    ["ssh://git:pass@host/x.git", "ssh://git@host/x.git"],
    ["ssh://git@host/x.git", "ssh://git@host/x.git"],
    ["git@host:x.git", "git@host:x.git"],
  ])("keep the secret of %s out of the lock and of errors [I2.git]", async (url, from) => {
    const commit = "a".repeat(40);
    const read = (fetch: Git["fetch"]): ReturnType<typeof readPackage> =>
      readPackage(
        { ...createMemoryPlatform(), git: { fetch } },
        parseSource(url),
        (bytes) => unpackTask({ bytes, as: "plugin" }),
        new AbortController().signal,
      );
    expect((await read(async () => ({ commit, tar: tarOf([MANIFEST]) }))).origin).toEqual({ kind: "git", from, commit });
    await expect(read(() => Promise.reject(new GitError(`could not read Password for '${url}'`)))).rejects.toThrow(
      `Cannot fetch "${from}": could not read Password for '${from}'`,
    );
  });
});
