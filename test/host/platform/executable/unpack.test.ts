import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unpack } from "../../../../host/platform/executable/unpack.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const FILES = new Map([
  ["main.js", Buffer.from("run();")],
  ["deep/down/data.bin", Buffer.from([0, 255, 1])],
]);

describe("unpack()", () => {
  it("writes the files with modes for the user alone, and nothing else [DI2.unpacked]", async () => {
    const parent = join(await temporaryFolder(), "made", "unpacked");
    const folder = unpack(parent, "program-1", FILES);
    expect({ folder, all: everythingIn(parent) }).toEqual({
      folder: join(parent, "program-1"),
      all: {
        "program-1": "700",
        "program-1/deep": "700",
        "program-1/deep/down": "700",
        "program-1/deep/down/data.bin": "600",
        "program-1/main.js": "600",
      },
    });
    expect(readFileSync(join(folder, "deep/down/data.bin"))).toEqual(Buffer.from([0, 255, 1]));
  });

  it("leaves files alone that are as they should be [DI2.unpacked]", async () => {
    const parent = await temporaryFolder();
    const { ino } = statSync(unpack(parent, "program-1", FILES));
    expect(statSync(unpack(parent, "program-1", FILES)).ino).toBe(ino);
  });

  it.each<readonly [what: string, plant: (folder: string) => void]>([
    ["a changed file of the same size", (folder) => writeFileSync(join(folder, "main.js"), "evil()")],
    ["an added file", (folder) => writeFileSync(join(folder, "deep/more.js"), "")],
    ["an added folder", (folder) => mkdirSync(join(folder, "node_modules"))],
    ["a missing file", (folder) => rmSync(join(folder, "main.js"))],
    ["a link to an equal file", (folder) => linkInstead(folder, "main.js")],
    ["a link to an equal folder", (folder) => linkInstead(folder, "deep")],
    ["a link in place of everything", (folder) => linkInstead(folder, "")],
    ["a folder in place of a file", (folder) => (rmSync(join(folder, "main.js")), mkdirSync(join(folder, "main.js")))],
    ["a file that others can write", (folder) => chmodSync(join(folder, "main.js"), 0o606)],
    ["a folder that others can write", (folder) => chmodSync(join(folder, "deep"), 0o707)],
  ])("replaces everything if it finds %s [DI2.planted]", async (_what, plant) => {
    const parent = await temporaryFolder();
    const before = unpack(parent, "program-1", FILES);
    const [expected, text] = [everythingIn(before), readFileSync(join(before, "main.js"), "utf8")];
    plant(before);
    const after = unpack(parent, "program-1", FILES);
    expect([everythingIn(after), readFileSync(join(after, "main.js"), "utf8"), lstatSync(after).isDirectory()]).toEqual([
      expected,
      text,
      true,
    ]);
    expect(readdirSync(parent).filter((name) => name.includes("program-1."))).toEqual([]);
  });

  it.runIf(process.platform === "linux")("refuses a folder that other users can write to, or one above it [DI2.own-cache]", async () => {
    const above = join(await temporaryFolder(), "above");
    mkdirSync(above);
    chmodSync(above, 0o777);
    const parent = join(above, "unpacked");
    expect(() => unpack(parent, "program-1", FILES)).toThrow(
      `Cannot unpack files of the executable into "${parent}/program-1": other users can write to "${above}" (set XDG_CACHE_HOME to a folder of your own)`,
    );
    expect(everythingIn(parent)).toEqual({});
    chmodSync(above, 0o700);
    chmodSync(parent, 0o1777);
    expect(() => unpack(parent, "program-1", FILES)).toThrow(`other users can write to "${parent}"`);
  });

  // Only root can give a folder away.
  it.runIf(process.getuid?.() === 0)(
    "refuses a folder below one of another user, who can put another in its place [DI2.own-cache]",
    async () => {
      const above = join(await temporaryFolder(), "above");
      const parent = join(above, "unpacked");
      mkdirSync(parent, { recursive: true, mode: 0o700 });
      chownSync(above, 12_345, 0);
      const refused = `"${above}" belongs to another user (set XDG_CACHE_HOME to a folder of your own)`;
      expect(() => unpack(parent, "program-1", FILES)).toThrow(refused);
      const link = join(await temporaryFolder(), "link");
      symlinkSync(parent, link);
      expect(() => unpack(link, "program-1", FILES)).toThrow(refused);
      expect(everythingIn(parent)).toEqual({});
    },
  );

  it("removes what other versions left a day ago, when it writes its own [DI2.unpacked]", async () => {
    const parent = await temporaryFolder();
    for (const name of ["program-0", "program-0.killed"]) utimesSync(unpack(parent, name, FILES), 1, 1);
    unpack(parent, "package-1", FILES);
    unpack(parent, "program-1", FILES);
    expect(readdirSync(parent).toSorted()).toEqual(["package-1", "program-1"]);
  });
});

/** Moves a part of the folder away and links to it. */
function linkInstead(folder: string, path: string): void {
  const [from, to] = [join(folder, path), `${folder}-elsewhere`];
  const files = path === "main.js" ? new Map([["main.js", FILES.get("main.js") ?? Buffer.of()]]) : FILES;
  unpack(to, "copy", files);
  rmSync(from, { recursive: true });
  symlinkSync(path === "" ? join(to, "copy") : join(to, "copy", path), from);
}

/** Returns the mode of everything below a folder, by path. */
function everythingIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(names.map((name) => [name, (lstatSync(join(folder, name)).mode & 0o777).toString(8)]));
}
