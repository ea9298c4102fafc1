import { readFileSync } from "node:fs";
import { access, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { gzipSync } from "fflate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHost, type Host } from "../../host/mod.ts";
import { readArchive } from "../../plugins/archive/archive.ts";
import { placeMembers } from "../../plugins/archive/safe-path.ts";
import { tarOf, zipOf } from "../support/archives.ts";
import { memoryPlatform } from "../support/memory-platform.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(`${REPOSITORY}test/fixtures/archives/${name}`));

/** Contents of long.txt in the fixtures, lines as from `seq` (see test/fixtures/archives/README.md). */
const LONG = Array.from({ length: 400 }, (_, index) => {
  const line = index + 1;
  return `line ${line}: the quick brown fox jumps over the lazy dog, ${line * line}\n`;
}).join("");

/** Returns texts by name, or the reason why a member is unreadable. */
async function contentsOf(bytes: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const archive = await readArchive(bytes);
  const found: Record<string, string> = {};
  for (const member of archive.members.filter(({ kind }) => kind === "file"))
    found[member.name] = member.unreadable ?? new TextDecoder().decode(await archive.read(member));
  return found;
}

async function refusalOf(bytes: Uint8Array): Promise<string> {
  return await contentsOf(bytes).then(
    (found) => `read ${JSON.stringify(found)}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** Returns a zip file whose directory was edited. */
function zipWith(
  change: (view: DataView, central: number) => void,
  files: Readonly<Record<string, string>> = { a: "x".repeat(500) },
): Uint8Array {
  const bytes = zipOf(files);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  change(view, view.getUint32(bytes.length - 6, true));
  return bytes;
}

describe("readArchive()", () => {
  it.each(["lzma.7z", "lzma2.7z"])("reads archives that 7-Zip packed with LZMA and LZMA2, %s [G3.archive.7z]", async (name) => {
    const archive = await readArchive(fixture(name));
    expect(archive.members.map(({ name: member, kind, size, modified }) => ({ member, kind, size, modified }))).toEqual(
      (
        [
          ["src", "folder", 0],
          ["src/emptydir", "folder", 0],
          ["src/sub", "folder", 0],
          ["src/empty.txt", "file", 0],
          ["src/a.txt", "file", 6],
          ["src/link", "link", 5],
          ["src/long.txt", "file", LONG.length],
          ["src/random.bin", "file", 3_000],
          ["src/sub/über.txt", "file", 8],
        ] as const
      ).map(([member, kind, size]) => ({ member, kind, size, modified: "2026-01-31T12:00:00.000Z" })),
    );
    expect(await contentsOf(fixture(name))).toMatchObject({
      "src/a.txt": "hello\n",
      "src/empty.txt": "",
      "src/long.txt": LONG,
      "src/sub/über.txt": "Grüße\n",
    });
  });

  it("reads DEFLATE in a 7z file, and names the method of unreadable members [G3.archive.7z]", async () => {
    expect(await contentsOf(fixture("deflate.7z"))).toEqual({ "src/a.txt": "hello\n", "src/long.txt": LONG });
    expect(await contentsOf(fixture("ppmd.7z"))).toEqual({
      "src/a.txt": expect.stringMatching(/^it is packed by PPMd of 7z, which is not supported/u),
    });
    expect(await contentsOf(fixture("enc.7z"))).toEqual({ "src/a.txt": expect.stringMatching(/^it is encrypted/u) });
    expect(await refusalOf(fixture("enchdr.7z"))).toMatch(/^its list of members cannot be read: it is encrypted/u);
  });

  it("reads zip, tar and tar.gz by their bytes [G3.archive.zip] [G3.archive.tar]", async () => {
    const files = { "a.txt": "hello", "sub/über.txt": LONG };
    const tar = tarOf(Object.entries(files).map(([name, content]) => ({ name, content })));
    for (const bytes of [zipOf(files), tar, gzipSync(tar)]) expect(await contentsOf(bytes)).toEqual(files);
    expect(await refusalOf(new Uint8Array(100))).toBe("it is damaged or not an archive (supported: zip, tar, tar.gz, 7z)");
    expect(await refusalOf(new TextEncoder().encode("Rar!..."))).toBe(
      "it is packed with RAR, which is not supported (supported: zip, tar, tar.gz, 7z)",
    );
  });

  it("does not unpack bombs, by stated size, real size or shared data [G3.archive.bombs]", async () => {
    const zeros = "\0".repeat(6_000_000);
    expect(await refusalOf(zipOf({ zeros }))).toMatch(/unpack to 6000000, over 200 times as many/u);
    // States a small size.
    expect(await refusalOf(zipWith((view, central) => view.setUint32(central + 24, 20, true)))).toMatch(
      /damaged|unpacks to more than the 20 bytes/u,
    );
    expect(await refusalOf(gzipSync(new Uint8Array(33 * 1024 * 1024)))).toMatch(/unpacks to more than the 33554432 bytes/u);
    const overlapping = zipWith(
      (view, central) => {
        const second = central + 46 + 1 + view.getUint16(central + 30, true);
        view.setUint8(second + 46, 0x61);
        view.setUint32(second + 42, view.getUint32(central + 42, true), true);
      },
      { a: "x".repeat(500), b: "y" },
    );
    expect(await refusalOf(overlapping)).toMatch(/shares its data/u);
  });

  it("checks checksums, names in both headers, and bounds [G3.archive.damaged]", async () => {
    expect(await refusalOf(zipWith((view, central) => view.setUint32(central + 16, 7, true)))).toBe("its packed data is damaged");
    expect(await refusalOf(zipWith((view, central) => view.setUint8(central + 46, 0x62)))).toMatch(/damaged/u);
    expect(await contentsOf(zipWith((view, central) => view.setUint16(central + 8, 1, true)))).toEqual({
      a: expect.stringMatching(/^it is encrypted/u),
    });
    const tar = tarOf([{ name: "a", content: "x" }]);
    tar[0] = 0x62;
    expect(await refusalOf(tar)).toMatch(/damaged/u);
    const flipped = fixture("lzma2.7z");
    flipped[2_000] = (flipped[2_000] ?? 0) ^ 1;
    expect(await refusalOf(flipped)).toMatch(/damaged/u);
  });

  it("throws, or returns the stated members, if any byte is changed [G3.archive.damaged]", async () => {
    const originals = [fixture("deflate.7z"), fixture("lzma.7z"), zipOf({ a: LONG }), tarOf([{ name: "a", content: "x" }])];
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: originals.length - 1 }), fc.nat(), fc.nat({ max: 255 }), async (which, place, byte) => {
        const bytes = originals[which]?.slice() ?? new Uint8Array();
        bytes[place % bytes.length] = byte;
        const outcome = await sizesOf(bytes).catch((error: unknown) => error);
        // An Error of the plugin, not a RangeError from a read beyond the end.
        expect(outcome instanceof Error ? outcome.name : "read").toMatch(/^(?:Error|read)$/u);
      }),
      { numRuns: 150 },
    );
  });
});

/** Reads everything and compares with the sizes in the archive. */
async function sizesOf(bytes: Uint8Array): Promise<void> {
  const { members, read } = await readArchive(bytes);
  for (const member of members.filter(({ unreadable }) => unreadable === undefined))
    expect(await read(member).then(({ length }) => length)).toBe(member.size);
}

describe("placeMembers()", () => {
  const file = (name: string): { readonly name: string; readonly kind: "file"; readonly size: number } => ({ name, kind: "file", size: 1 });

  it.each([
    ["../../etc/cron.d/x", "it leads out of the folder"],
    ["a/../../x", "it leads out of the folder"],
    ["/etc/passwd", "it is an absolute path"],
    ["C:/x", "it is an absolute path"],
    ["\\\\server\\x", "it is an absolute path"],
    ["a\\..\\x", "its name has characters that some systems read differently, or that are invisible"],
    ["a\u202egpj.exe", "its name has characters that some systems read differently, or that are invisible"],
    ["a//b", "it is a path with empty steps"],
    ["", "it is a path with empty steps"],
    ["NUL.txt", "some systems read its name as another one"],
    ["a./b", "some systems read its name as another one"],
    ["x".repeat(256), "its name has more than 255 bytes"],
    ["d/".repeat(40) + "x", "it is more than 40 folders deep"],
  ])("refuses %j [G3.archive.slip]", (name, reason) => {
    expect(placeMembers([file(name)])).toEqual({ placed: [], skipped: [], refused: [{ name, reason }] });
  });

  it("refuses two members that are one file on some systems, and files in files [G3.archive.duplicates]", () => {
    expect(placeMembers([file("a.txt"), file("A.TXT")]).refused).toEqual([
      { name: "A.TXT", reason: 'it is the same file as "a.txt" on some systems' },
    ]);
    expect(placeMembers([file("caf\u00e9"), file("cafe\u0301")]).refused).toHaveLength(1);
    expect(placeMembers([file("a/b"), file("a")]).refused).toEqual([{ name: "a/b", reason: 'it is inside "a", which is a file' }]);
  });
});

async function archiveHost(workspace: string): Promise<Host> {
  return await createHost({
    config: { confirmation: { default: { write: "auto" } } },
    plugins: `${REPOSITORY}plugins`,
    workspace,
    loadsAtOnce: ({ name }) => name === "archive",
    grants: { archive: { read: ["$workspace"], write: [`${workspace}/out`] } },
    logger: memoryPlatform().log,
    events: { store: false },
  });
}

describe("the plugin archive", () => {
  it("lists, reads, searches and unpacks in the sandbox, within its grants [G3.archive]", async () => {
    const workspace = await temporaryFolder();
    await writeFile(`${workspace}/a.7z`, fixture("lzma2.7z"));
    await using host = await archiveHost(workspace);
    expect(await host.call("archive_open", { path: "a.7z", containing: "A.TXT" })).toMatchObject({
      ok: true,
      output: { format: "7z", members: [{ name: "src/a.txt", kind: "file", size: 6 }], memberCount: 9, complete: true },
    });
    expect((await host.call("archive_file", { path: "a.7z", member: "src/sub/über.txt", maxBytes: 3 })).output).toEqual({
      member: "src/sub/über.txt",
      size: 8,
      text: "Gr",
      nextOffset: 2,
    });
    expect((await host.call("archive_search", { path: "a.7z", pattern: "dog, 400$", regex: true })).output).toEqual({
      matches: [{ member: "src/long.txt", line: 20, column: 10, text: "line 20: the quick brown fox jumps over the lazy dog, 400" }].map(
        (match) => ({
          ...match,
          column: match.text.indexOf("dog") + 1,
        }),
      ),
      membersSearched: 4,
      membersSkipped: 1,
      complete: true,
    });
    const extracted = await host.call("archive_extract", { path: "a.7z", to: "out/x", members: ["src/sub", "src/long.txt", "src/link"] });
    expect(extracted).toMatchObject({
      ok: true,
      output: {
        files: [
          { path: "out/x/src/sub/über.txt", size: 8 },
          { path: "out/x/src/long.txt", size: LONG.length },
        ],
        skipped: [{ name: "src/link", reason: "it is a link, which could lead anywhere" }],
      },
    });
    expect(await readFile(`${workspace}/out/x/src/long.txt`, "utf8")).toBe(LONG);
    expect(await host.call("archive_extract", { path: "a.7z", to: "out/x", members: ["src/long.txt"] })).toMatchObject({
      error: { code: "tool_failed", message: expect.stringContaining('"out/x/src/long.txt" already exists, nothing was written') },
    });
    expect(await host.call("archive_extract", { path: "a.7z", to: "elsewhere" })).toMatchObject({
      ok: false,
      error: { code: "fs_denied" },
    });
  });

  it("writes nothing of an archive with a bad name, and nothing through a link that leaves its grant [G3.archive.slip] [C4]", async () => {
    const workspace = await temporaryFolder();
    await writeFile(
      `${workspace}/slip.tar`,
      tarOf([
        { name: "good.txt", content: "x" },
        { name: "../slipped.txt", content: "x" },
      ]),
    );
    await writeFile(`${workspace}/deep.zip`, zipOf({ "way/file.txt": "x" }));
    await mkdir(`${workspace}/out`);
    await mkdir(`${workspace}/secret`);
    await symlink(`${workspace}/secret`, `${workspace}/out/way`);
    await using host = await archiveHost(workspace);
    expect(await host.call("archive_extract", { path: "slip.tar", to: "out" })).toMatchObject({
      error: { message: expect.stringContaining('nothing was written: "../slipped.txt": it leads out of the folder') },
    });
    expect(await host.call("archive_extract", { path: "slip.tar", to: "out", members: ["good.txt"] })).toMatchObject({ ok: true });
    expect(await host.call("archive_extract", { path: "deep.zip", to: "out" })).toMatchObject({ ok: false });
    expect(await readdir(`${workspace}/secret`)).toEqual([]);
    expect((await readdir(`${workspace}/out`)).toSorted()).toEqual(["good.txt", "way"]);
    await expect(access(`${workspace}/slipped.txt`)).rejects.toThrow();
  });
});
