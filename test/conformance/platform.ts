/** Requirements of every platform (architecture, decision 6). */

import { beforeEach, describe, expect, it } from "vitest";
import type { MemoryEntry } from "../../host/platform/memory/memory.ts";
import type { GuardedFiles, Platform } from "../../host/platform/platform.ts";
import type { MemoryRequest, MemoryAnswer } from "../../host/platform/memory/memory-network.ts";
import { type HttpRequest, type HttpResponse, NetworkError } from "../../host/platform/network/network-types.ts";
import type { CheckedPath } from "../../host/platform/proof.ts";
import { checkedPath, checkedUrl } from "../support/checked-path.ts";

export interface PlatformSetup {
  readonly platform: Omit<Platform, "workers">;
  /** A real, empty folder; tests grant `inside`, and do not grant `outside`. */
  readonly root: string;
  plant(path: string, entry: MemoryEntry): Promise<void>;
  /** Starts a loopback server for a test; returns its origin. */
  serve(answer: (request: MemoryRequest) => MemoryAnswer): Promise<string>;
}

type Proof = CheckedPath<"read"> & CheckedPath<"write">;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const failsWith = (code: string): object => expect.objectContaining({ name: "FileError", code }) as object;

/** Registers the suite. */
export function describePlatform(name: string, setup: () => Promise<PlatformSetup>): void {
  describeGuardedFiles(name, setup);
  describeOwnFiles(name, setup);
  describe(`${name}: further names`, () => describeNames(setup));
  describe(`${name}: clock, randomness, environment`, () => describeRest(setup));
  describe(`${name}: network`, () => describeNetwork(setup));
  describe(`${name}: local sockets`, () => describeSockets(setup));
}

/** Registers the part of the suite about files of guests. */
export function describeGuardedFiles(name: string, setup: () => Promise<PlatformSetup>): void {
  describe(`${name}: guarded files`, () => describeGuarded(setup));
}

/** Registers the part of the suite about the host's own files. */
export function describeOwnFiles(name: string, setup: () => Promise<PlatformSetup>): void {
  describe(`${name}: the host's own files`, () => describeFiles(setup));
}

function describeGuarded(setup: () => Promise<PlatformSetup>): void {
  let guarded: GuardedFiles;
  let plant: PlatformSetup["plant"];
  let root: string;
  let inside: string;
  /** Returns a proof for a path below `root`, with `root/inside` granted. */
  const proof = (path: string): Proof => checkedPath(`${root}/${path}`, inside) as Proof;
  const read = async (path: string): Promise<string> => text(await guarded.readBytes(proof(path), { maxBytes: 1_000 }));
  const write = (path: string, contents: string, options: Parameters<GuardedFiles["writeBytes"]>[2] = {}): Promise<void> =>
    guarded.writeBytes(proof(path), bytes(contents), options);

  beforeEach(async () => {
    const made = await setup();
    ({ root, plant } = made);
    guarded = made.platform.guarded;
    inside = `${root}/inside`;
    await plant(`${root}/inside/a.txt`, "abc");
    await plant(`${root}/inside/folder/b.txt`, "b");
    await plant(`${root}/outside/secret.txt`, "secret");
  });

  it("reads a file, whole and in ranges [C4]", async () => {
    expect(await read("inside/a.txt")).toBe("abc");
    expect(text(await guarded.readBytes(proof("inside/a.txt"), { maxBytes: 3, offset: 1 }))).toBe("bc");
    expect(text(await guarded.readBytes(proof("inside/a.txt"), { maxBytes: 3, offset: 1, length: 1 }))).toBe("b");
    expect(text(await guarded.readBytes(proof("inside/a.txt"), { maxBytes: 3, offset: 9, length: 1 }))).toBe("");
    expect(text(await guarded.readBytes(proof("inside/a.txt"), { maxBytes: 3, length: 0 }))).toBe("");
  });

  it("keeps files open: reads, writes, appends, cuts and closes them [PB2.file]", async () => {
    const options = { read: true, write: true, append: false, truncate: false, create: false, createNew: false };
    const file = await guarded.openToWrite(proof("inside/a.txt"), options);
    expect([text(await file.read(1, 9)), text(await file.read(3, 9))]).toEqual(["bc", ""]);
    await file.write(bytes("XY"), 2);
    await file.sync(true);
    expect([text(await file.read(0, 9)), (await file.stat()).size, await read("inside/a.txt")]).toEqual(["abXY", 4, "abXY"]);
    await file.truncate(1);
    await file.close();
    await file.close();
    const added = await guarded.openToWrite(proof("inside/a.txt"), { ...options, write: false, append: true });
    await added.write(bytes("!"), "end");
    await added.close();
    const reading = await guarded.openToRead(proof("inside/a.txt"));
    expect(text(await reading.read(0, 9))).toBe("a!");
    await expect(reading.write(bytes("x"), 0)).rejects.toEqual(failsWith("other"));
    await reading.close();
    const emptied = await guarded.openToWrite(proof("inside/a.txt"), { ...options, truncate: true });
    expect((await emptied.stat()).size).toBe(0);
    await emptied.close();
    await expect(guarded.openToRead(proof("outside/secret.txt"))).rejects.toEqual(failsWith("not_capable"));
    await expect(guarded.openToWrite(proof("outside/new.txt"), { ...options, create: true })).rejects.toEqual(failsWith("not_capable"));
    await expect(guarded.openToWrite(proof("inside/none.txt"), options)).rejects.toEqual(failsWith("not_found"));
    await expect(guarded.openToWrite(proof("inside/a.txt"), { ...options, createNew: true })).rejects.toEqual(failsWith("already_exists"));
  });

  it("refuses to read more than its cap [C4]", async () => {
    await expect(guarded.readBytes(proof("inside/a.txt"), { maxBytes: 2 })).rejects.toEqual(failsWith("too_large"));
    await expect(guarded.readBytes(proof("inside/a.txt"), { maxBytes: 2, length: 3 })).rejects.toEqual(failsWith("too_large"));
  });

  it("follows links that stay inside the grant, for reading and writing [C4.symlink]", async () => {
    await plant(`${inside}/link`, { link: "folder/b.txt" });
    await plant(`${inside}/up/absolute`, { link: `${inside}/a.txt` });
    expect(await read("inside/link")).toBe("b");
    expect(await read("inside/up/absolute")).toBe("abc");
    await write("inside/link", "new");
    expect(await read("inside/folder/b.txt")).toBe("new");
    expect((await guarded.lstat(proof("inside/link"))).kind).toBe("symlink");
    expect(await guarded.realPath(proof("inside/link"))).toBe(`${inside}/folder/b.txt`);
  });

  it("answers not_capable for links that leave the grant, for every operation [C4.symlink, PA4]", async () => {
    await plant(`${inside}/file`, { link: "../outside/secret.txt" });
    await plant(`${inside}/out`, { link: `${root}/outside` });
    const refused = failsWith("not_capable");
    await expect(read("inside/file")).rejects.toEqual(refused);
    await expect(read("inside/out/secret.txt")).rejects.toEqual(refused);
    await expect(write("inside/file", "x")).rejects.toEqual(refused);
    await expect(write("inside/out/new.txt", "x")).rejects.toEqual(refused);
    await expect(guarded.list(proof("inside/out"), { maxEntries: 10 })).rejects.toEqual(refused);
    await expect(guarded.stat(proof("inside/file"))).rejects.toEqual(refused);
    await expect(guarded.lstat(proof("inside/out/secret.txt"))).rejects.toEqual(refused);
    await expect(guarded.realPath(proof("inside/file"))).rejects.toEqual(refused);
    await expect(guarded.makeDirectory(proof("inside/out/d"), { recursive: false })).rejects.toEqual(refused);
    await expect(guarded.makeDirectory(proof("inside/out/d/e"), { recursive: true })).rejects.toEqual(refused);
    await expect(guarded.remove(proof("inside/out/secret.txt"), { recursive: false })).rejects.toEqual(refused);
    await expect(guarded.remove(proof("inside/out/secret.txt"), { recursive: true })).rejects.toEqual(refused);
    await expect(guarded.rename(proof("inside/out/secret.txt"), proof("inside/stolen"))).rejects.toEqual(refused);
    await expect(guarded.rename(proof("inside/a.txt"), proof("inside/out/given"))).rejects.toEqual(refused);
    await expect(guarded.copy(proof("inside/file"), proof("inside/stolen"), { maxBytes: 100 })).rejects.toEqual(refused);
    await expect(guarded.copy(proof("inside/a.txt"), proof("inside/out/given"), { maxBytes: 100 })).rejects.toEqual(refused);
    await expect(guarded.truncate(proof("inside/file"), 0)).rejects.toEqual(refused);
    expect(await guarded.list(checkedPath(`${root}/outside`, `${root}/outside`) as Proof, { maxEntries: 10 })).toEqual([
      { name: "secret.txt", kind: "file" },
    ]);
    expect(text(await guarded.readBytes(checkedPath(`${root}/outside/secret.txt`, root) as Proof, { maxBytes: 10 }))).toBe("secret");
  });

  it("distinguishes missing from forbidden only inside the grant [C4.missing]", async () => {
    await plant(`${inside}/out`, { link: "../outside" });
    for (const path of ["inside/out/secret.txt", "inside/out/none", "inside/out/none/deeper", "inside/out/secret.txt/x"]) {
      await expect(read(path), path).rejects.toEqual(failsWith("not_capable"));
      await expect(guarded.stat(proof(path)), path).rejects.toEqual(failsWith("not_capable"));
      await expect(write(path, "x"), path).rejects.toEqual(failsWith("not_capable"));
    }
    await expect(read("inside/none")).rejects.toEqual(failsWith("not_found"));
    await expect(read("inside/none/deeper")).rejects.toEqual(failsWith("not_found"));
    await expect(read("inside/a.txt/x")).rejects.toEqual(failsWith("not_a_directory"));
  });

  it("writes through a link to a file that does not exist yet, inside the grant only [C4.symlink]", async () => {
    await plant(`${inside}/soon`, { link: "folder/soon.txt" });
    await plant(`${inside}/chain`, { link: "soon" });
    await plant(`${inside}/never`, { link: "../outside/never.txt" });
    await write("inside/chain", "made");
    expect(await read("inside/folder/soon.txt")).toBe("made");
    await expect(write("inside/never", "x")).rejects.toEqual(failsWith("not_capable"));
    await expect(write("inside/soon", "x", { createNew: true })).rejects.toEqual(failsWith("already_exists"));
    await expect(guarded.stat(checkedPath(`${root}/outside/never.txt`, root) as Proof)).rejects.toEqual(failsWith("not_found"));
  });

  it("finds no file through a link that names its target as a folder [C4.symlink]", async () => {
    await plant(`${inside}/slash`, { link: "folder/b.txt/" });
    await plant(`${inside}/dot`, { link: "folder/b.txt/." });
    for (const link of ["slash", "dot"]) await expect(read(`inside/${link}`)).rejects.toEqual(failsWith("not_a_directory"));
    await plant(`${inside}/folders`, { link: "folder/." });
    expect(await read("inside/folders/b.txt")).toBe("b");
  });

  it("answers symlink_loop for a loop", async () => {
    await plant(`${inside}/one`, { link: "two" });
    await plant(`${inside}/two`, { link: "one" });
    await expect(read("inside/one")).rejects.toEqual(failsWith("symlink_loop"));
    await expect(write("inside/one", "x")).rejects.toEqual(failsWith("symlink_loop"));
  });

  it("creates, replaces, appends and refuses by the options", async () => {
    await write("inside/new.txt", "one");
    await write("inside/new.txt", "2");
    await write("inside/new.txt", "3", { append: true });
    expect(await read("inside/new.txt")).toBe("23");
    await expect(write("inside/new.txt", "x", { createNew: true })).rejects.toEqual(failsWith("already_exists"));
    await expect(write("inside/none.txt", "x", { create: false })).rejects.toEqual(failsWith("not_found"));
    await expect(write("inside/none/new.txt", "x")).rejects.toEqual(failsWith("not_found"));
    await expect(write("inside/folder", "x")).rejects.toEqual(failsWith("is_a_directory"));
    expect(await read("inside/new.txt")).toBe("23");
  });

  it("sets modes without set-user-id, also on existing files", async () => {
    await write("inside/a.txt", "x", { mode: 0o4755 });
    expect((await guarded.stat(proof("inside/a.txt"))).mode).toBe(0o755);
  });

  it("lists a folder, with links as links, up to its cap", async () => {
    await plant(`${inside}/folder/link`, { link: "nowhere" });
    await plant(`${inside}/folder/sub/x`, "");
    const entries = await guarded.list(proof("inside/folder"), { maxEntries: 3 });
    expect(entries.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "b.txt", kind: "file" },
      { name: "link", kind: "symlink" },
      { name: "sub", kind: "directory" },
    ]);
    await expect(guarded.list(proof("inside/folder"), { maxEntries: 2 })).rejects.toEqual(failsWith("too_large"));
    expect(await guarded.list(proof("inside/folder"), { maxEntries: 3, maxNamesLength: 12 })).toHaveLength(3);
    await expect(guarded.list(proof("inside/folder"), { maxEntries: 3, maxNamesLength: 11 })).rejects.toEqual(failsWith("too_large"));
    await expect(guarded.list(proof("inside/a.txt"), { maxEntries: 2 })).rejects.toEqual(failsWith("not_a_directory"));
    await expect(read("inside/folder")).rejects.toEqual(failsWith("is_a_directory"));
  });

  it("describes files and folders", async () => {
    expect(await guarded.stat(proof("inside/a.txt"))).toMatchObject({ kind: "file", size: 3 });
    expect(await guarded.stat(proof("inside/folder"))).toMatchObject({ kind: "directory" });
    expect(await guarded.stat(proof("inside"))).toMatchObject({ kind: "directory" });
  });

  it("makes one folder, or all missing ones", async () => {
    await guarded.makeDirectory(proof("inside/one"), { recursive: false });
    await guarded.makeDirectory(proof("inside/two/three/four"), { recursive: true });
    await guarded.makeDirectory(proof("inside/two/three/four"), { recursive: true });
    expect((await guarded.stat(proof("inside/two/three/four"))).kind).toBe("directory");
    await expect(guarded.makeDirectory(proof("inside/one"), { recursive: false })).rejects.toEqual(failsWith("already_exists"));
    await expect(guarded.makeDirectory(proof("inside/x/y"), { recursive: false })).rejects.toEqual(failsWith("not_found"));
    await expect(guarded.makeDirectory(proof("inside/a.txt"), { recursive: true })).rejects.toEqual(failsWith("already_exists"));
  });

  it("makes links with any target at a free, granted path", async () => {
    await guarded.makeLink(proof("inside/made"), "../outside/secret.txt");
    expect(await guarded.readLink(proof("inside/made"))).toBe("../outside/secret.txt");
    expect((await guarded.lstat(proof("inside/made"))).kind).toBe("symlink");
    await expect(read("inside/made")).rejects.toEqual(failsWith("not_capable"));
    await expect(guarded.makeLink(proof("inside/a.txt"), "x")).rejects.toEqual(failsWith("already_exists"));
    await expect(guarded.makeLink(proof("inside/none/x"), "x")).rejects.toEqual(failsWith("not_found"));
    await plant(`${inside}/out`, { link: `${root}/outside` });
    await expect(guarded.makeLink(proof("inside/out/link"), "x")).rejects.toEqual(failsWith("not_capable"));
  });

  it("sets rights and times of files and folders, and follows no link", async () => {
    await guarded.setFacts(proof("inside/a.txt"), { mode: 0o600, modifiedMs: 1_234_567 });
    expect(await guarded.lstat(proof("inside/a.txt"))).toMatchObject({ mode: 0o600, modifiedMs: 1_234_567 });
    await guarded.makeDirectory(proof("inside/one"), { recursive: false });
    await guarded.setFacts(proof("inside/one"), { mode: 0o700 });
    expect((await guarded.lstat(proof("inside/one"))).mode & 0o777).toBe(0o700);
    await plant(`${inside}/link`, { link: "a.txt" });
    await expect(guarded.setFacts(proof("inside/link"), { mode: 0o777 })).rejects.toEqual(failsWith("not_regular"));
    expect((await guarded.lstat(proof("inside/a.txt"))).mode & 0o777).toBe(0o600);
    await expect(guarded.setFacts(proof("inside/none"), { mode: 0o600 })).rejects.toEqual(failsWith("not_found"));
  });

  it("removes files, empty folders, trees, and links without their targets", async () => {
    await plant(`${inside}/tree/link`, { link: "../../outside" });
    await plant(`${inside}/tree/deep/x.txt`, "x");
    await expect(guarded.remove(proof("inside/tree"), { recursive: false })).rejects.toEqual(failsWith("not_empty"));
    await guarded.remove(proof("inside/tree"), { recursive: true });
    await guarded.remove(proof("inside/a.txt"), { recursive: false });
    await expect(guarded.stat(proof("inside/tree"))).rejects.toEqual(failsWith("not_found"));
    await expect(guarded.remove(proof("inside/a.txt"), { recursive: true })).rejects.toEqual(failsWith("not_found"));
    expect(text(await guarded.readBytes(checkedPath(`${root}/outside/secret.txt`, root) as Proof, { maxBytes: 10 }))).toBe("secret");
  });

  it("renames files and folders", async () => {
    await guarded.rename(proof("inside/a.txt"), proof("inside/folder/b.txt"));
    expect(await read("inside/folder/b.txt")).toBe("abc");
    await guarded.rename(proof("inside/folder"), proof("inside/moved"));
    expect(await read("inside/moved/b.txt")).toBe("abc");
    await expect(guarded.rename(proof("inside/none"), proof("inside/x"))).rejects.toEqual(failsWith("not_found"));
    await expect(guarded.rename(proof("inside/moved"), proof("inside/moved/into"))).rejects.toEqual(failsWith("invalid_path"));
  });

  it("copies within its cap, and onto itself without harm", async () => {
    await guarded.copy(proof("inside/a.txt"), proof("inside/copy.txt"), { maxBytes: 3 });
    expect(await read("inside/copy.txt")).toBe("abc");
    await guarded.copy(proof("inside/a.txt"), proof("inside/a.txt"), { maxBytes: 3 });
    expect(await read("inside/a.txt")).toBe("abc");
    await expect(guarded.copy(proof("inside/a.txt"), proof("inside/b"), { maxBytes: 2 })).rejects.toEqual(failsWith("too_large"));
    await expect(guarded.stat(proof("inside/b"))).rejects.toEqual(failsWith("not_found"));
    await expect(guarded.copy(proof("inside/folder"), proof("inside/b"), { maxBytes: 2 })).rejects.toEqual(failsWith("is_a_directory"));
  });

  it("starts no long operation whose caller has stopped waiting [T3.files]", async () => {
    const given = failsWith("interrupted");
    const isOver = (): boolean => true;
    await expect(guarded.copy(proof("inside/a.txt"), proof("inside/folder/b.txt"), { maxBytes: 3, isOver })).rejects.toEqual(given);
    await expect(guarded.remove(proof("inside/folder"), { recursive: true, isOver })).rejects.toEqual(given);
    await expect(guarded.list(proof("inside/folder"), { maxEntries: 3, isOver })).rejects.toEqual(given);
    const { size } = await guarded.stat(proof("inside/folder/b.txt"));
    expect(size).toBe(1);
  });

  it("truncates and lengthens", async () => {
    await guarded.truncate(proof("inside/a.txt"), 1);
    expect(await read("inside/a.txt")).toBe("a");
    await guarded.truncate(proof("inside/a.txt"), 2);
    expect(await read("inside/a.txt")).toBe("a\0");
    await expect(guarded.truncate(proof("inside/none"), 0)).rejects.toEqual(failsWith("not_found"));
  });

  it("refuses kernel files and devices even with every grant [C4.devices]", async () => {
    for (const path of ["/proc/self/environ", "/proc", "/sys/kernel", "/dev/null", "/dev/shm/x"]) {
      const all = checkedPath(path, "") as Proof;
      await expect(guarded.readBytes(all, { maxBytes: 10 }), path).rejects.toEqual(failsWith("not_regular"));
      await expect(guarded.stat(all), path).rejects.toEqual(failsWith("not_regular"));
    }
    // A path for which a write that is wrongly allowed does no harm.
    await expect(guarded.writeBytes(checkedPath("/dev/null", "") as Proof, bytes("x"), {})).rejects.toEqual(failsWith("not_regular"));
    await plant(`${inside}/environment`, { link: "/proc/self/environ" });
    await plant("/proc/self/environ", "X=1");
    await expect(guarded.readBytes(checkedPath(`${inside}/environment`, "") as Proof, { maxBytes: 10 })).rejects.toEqual(
      failsWith("not_regular"),
    );
  });

  it("answers name_too_long for very long names", async () => {
    await expect(read(`inside/${"x".repeat(256)}`)).rejects.toEqual(failsWith("name_too_long"));
    await expect(write(`inside/${"ä".repeat(128)}`, "")).rejects.toEqual(failsWith("name_too_long"));
  });
}

/** An overlay has no hard links. */
function describeNames(setup: () => Promise<PlatformSetup>): void {
  it("adds a name to a file and counts its names", async () => {
    const { platform, root, plant } = await setup();
    const { guarded } = platform;
    const proof = (path: string): Proof => checkedPath(`${root}/${path}`, `${root}/inside`) as Proof;
    await plant(`${root}/inside/a.txt`, "a");
    await plant(`${root}/outside/secret.txt`, "secret");
    await guarded.addName(proof("inside/a.txt"), proof("inside/twin"));
    await guarded.writeBytes(proof("inside/twin"), bytes("b"), {});
    expect(text(await guarded.readBytes(proof("inside/a.txt"), { maxBytes: 9 }))).toBe("b");
    const [first, second] = [await guarded.lstat(proof("inside/a.txt")), await guarded.lstat(proof("inside/twin"))];
    expect([first.inode, first.links, second.links]).toEqual([second.inode, 2, 2]);
    await guarded.remove(proof("inside/a.txt"), { recursive: false });
    expect((await guarded.lstat(proof("inside/twin"))).links).toBe(1);
    await expect(guarded.addName(proof("inside/none"), proof("inside/x"))).rejects.toEqual(failsWith("not_found"));
    await guarded.writeBytes(proof("inside/a.txt"), bytes("a"), {});
    await expect(guarded.addName(proof("inside/twin"), proof("inside/a.txt"))).rejects.toEqual(failsWith("already_exists"));
    await plant(`${root}/inside/out`, { link: `${root}/outside` });
    await expect(guarded.addName(proof("inside/out/secret.txt"), proof("inside/x"))).rejects.toEqual(failsWith("not_capable"));
    await expect(guarded.addName(proof("inside/a.txt"), proof("inside/out/x"))).rejects.toEqual(failsWith("not_capable"));
  });
}

function describeFiles(setup: () => Promise<PlatformSetup>): void {
  let made: PlatformSetup;
  beforeEach(async () => {
    made = await setup();
  });

  it("creates a file for one of several concurrent callers, and for none if it exists [H7.processes]", async () => {
    const { platform, root } = made;
    const tries = await Promise.all(["a", "b", "c"].map((text) => platform.files.createNew(`${root}/turn`, text)));
    expect(tries.filter((isMade) => isMade)).toHaveLength(1);
    expect(await platform.files.readText(`${root}/turn`)).toBe("abc".charAt(tries.indexOf(true)));
    await expect(platform.files.createNew(`${root}/none/turn`, "")).rejects.toEqual(failsWith("not_found"));
  });

  it("writes and reads back, replacing whole files", async () => {
    const { platform, root } = made;
    await platform.files.makeDirectory(`${root}/a/b`);
    await platform.files.writeAtomic(`${root}/a/b/c.txt`, "one");
    await platform.files.writeAtomic(`${root}/a/b/c.txt`, bytes("two"));
    expect(await platform.files.readText(`${root}/a/b/c.txt`)).toBe("two");
    expect(await platform.files.readBytes(`${root}/a/b/c.txt`)).toEqual(bytes("two"));
    expect(await platform.files.list(`${root}/a/b`)).toEqual([{ name: "c.txt", kind: "file" }]);
    await expect(platform.files.readBytes(`${root}/a/b/c.txt`, 2)).rejects.toEqual(failsWith("too_large"));
    await expect(platform.files.readText(`${root}/a`)).rejects.toEqual(failsWith("is_a_directory"));
    await expect(platform.files.readText(`${root}/none`)).rejects.toEqual(failsWith("not_found"));
  });

  it("removes, renames and resolves", async () => {
    const { platform, root, plant } = made;
    await plant(`${root}/a/x.txt`, "x");
    await plant(`${root}/link`, { link: "a/x.txt" });
    expect(await platform.files.realPath(`${root}/link`)).toBe(`${root}/a/x.txt`);
    expect((await platform.files.stat(`${root}/link`))?.kind).toBe("file");
    expect((await platform.files.lstat(`${root}/link`))?.kind).toBe("symlink");
    await platform.files.rename(`${root}/a`, `${root}/b`);
    expect(await platform.files.readText(`${root}/b/x.txt`)).toBe("x");
    await platform.files.remove(`${root}/b`);
    await platform.files.remove(`${root}/b`);
    expect(await platform.files.stat(`${root}/b/x.txt`)).toBeUndefined();
    expect(await platform.files.stat(`${root}/link`)).toBeUndefined();
    expect((await platform.files.lstat(`${root}/link`))?.kind).toBe("symlink");
  });

  it("reports what changes in a watched folder", async () => {
    const { platform, root } = made;
    const seen: string[] = [];
    const watching = await platform.watcher.watch(
      [root],
      (path) => seen.push(path),
      (error) => expect.unreachable(error.message),
    );
    await platform.files.writeAtomic(`${root}/new.txt`, "x");
    await expect.poll(() => seen.includes(`${root}/new.txt`), { timeout: 5_000 }).toBe(true);
    await watching.close();
  });
}

function describeRest(setup: () => Promise<PlatformSetup>): void {
  it("makes version 7 identifiers that sort by time, also within a millisecond", async () => {
    const { platform } = await setup();
    const ids = Array.from({ length: 10_000 }, () => platform.random.uuidv7());
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.abs(Number.parseInt((ids[0] ?? "").replaceAll("-", "").slice(0, 12), 16) - platform.clock.now())).toBeLessThan(5_000);
  });

  it("returns the requested number of random bytes", async () => {
    const { platform } = await setup();
    expect(platform.random.bytes(0)).toHaveLength(0);
    expect(platform.random.bytes(33)).toHaveLength(33);
    expect(platform.random.bytes(16)).not.toEqual(platform.random.bytes(16));
  });

  it("reads own variables only", async () => {
    const { platform } = await setup();
    expect(platform.environment.get("toString")).toBeUndefined();
    expect(platform.environment.get("__proto__")).toBeUndefined();
    expect(platform.environment.names().every((name) => typeof platform.environment.get(name) === "string")).toBe(true);
  });
}

const LIMITS = {
  connectMs: 5_000,
  headMs: 5_000,
  idleMs: 5_000,
  headBytes: 65_536,
  fields: 100,
  bodyBytes: 200_000,
  ratio: 100,
  ratioFromBytes: 1_000,
};

function describeNetwork(setup: () => Promise<PlatformSetup>): void {
  const readWhole = async (response: HttpResponse): Promise<string> => {
    let whole = "";
    for (let piece = await response.read(); piece !== undefined; piece = await response.read()) whole += text(piece);
    return whole;
  };
  const signal = new AbortController().signal;

  it("sends a request with the proof's method and reads the answer [C6]", async () => {
    const { platform, serve } = await setup();
    const origin = await serve(({ method, url, fields, body }) => ({
      status: 404,
      statusText: "Not Found",
      fields: [["x-a", "b"]],
      body: `${method} ${new URL(url).pathname} ${fields.find(([name]) => name === "x-b")?.[1] ?? ""} ${text(body)} ${"x".repeat(100_000)}`,
    }));
    const send = (body?: HttpRequest["body"]): Promise<HttpResponse> =>
      platform.network.exchange(checkedUrl(`${origin}/p?q`, "PUT"), {
        fields: [["x-b", "c"]],
        signal,
        limits: LIMITS,
        ...(body && { body }),
      });
    const response = await send(bytes("hello"));
    expect([response.status, response.statusText, response.fields.filter(([name]) => name === "x-a")]).toEqual([
      404,
      "Not Found",
      [["x-a", "b"]],
    ]);
    expect(await readWhole(response)).toBe(`PUT /p c hello ${"x".repeat(100_000)}`);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield bytes("hel");
      yield bytes("lo");
    }
    expect((await readWhole(await send(pieces()))).slice(0, 15)).toBe("PUT /p c hello ");
  });

  it("does not connect to an address that the proof does not permit [C6]", async () => {
    const { platform, serve } = await setup();
    let requests = 0;
    const origin = await serve(() => (requests++, {}));
    const asked: string[] = [];
    const refusing = checkedUrl(origin, "GET", (address) => (asked.push(address), false));
    await expect(platform.network.exchange(refusing, { fields: [], signal, limits: LIMITS })).rejects.toMatchObject({
      name: "NetworkError",
      code: "not_capable",
      address: "127.0.0.1",
    });
    expect([asked, requests]).toEqual([["127.0.0.1"], 0]);
  });

  it("caps a body, and stops at an abort or a close [C6]", async () => {
    const { platform, serve } = await setup();
    const origin = await serve(() => ({ body: "x".repeat(300_000) }));
    const send = (over: AbortSignal = signal): Promise<HttpResponse> =>
      platform.network.exchange(checkedUrl(origin, "GET"), { fields: [], signal: over, limits: LIMITS });
    await expect(send().then(readWhole)).rejects.toMatchObject({ code: "body_too_large" });
    const closed = await send();
    closed.close();
    closed.close();
    await expect(closed.read()).rejects.toBeInstanceOf(NetworkError);
    const abort = new AbortController();
    const aborted = await send(abort.signal);
    abort.abort();
    await expect(aborted.read()).rejects.toBeInstanceOf(NetworkError);
    await expect(send(abort.signal)).rejects.toMatchObject({ code: "aborted" });
  });
}

function describeSockets(setup: () => Promise<PlatformSetup>): void {
  it("carries lines in both directions", async () => {
    const { platform, root } = await setup();
    const listening = await platform.sockets.listen(`${root}/host.sock`, (connection) => {
      connection.onLine((line) => connection.send(`${line}!`));
    });
    const connection = await platform.sockets.connect(`${root}/host.sock`);
    const answers: string[] = [];
    connection?.onLine((line) => void answers.push(line));
    connection?.send("one");
    connection?.send("zwölf 👋");
    await expect.poll(() => answers).toEqual(["one!", "zwölf 👋!"]);
    expect(() => connection?.send("a\nb")).toThrow("A line cannot contain a newline");
    let closed = false;
    connection?.onClose(() => (closed = true));
    connection?.close();
    await expect.poll(() => closed).toBe(true);
    await listening.close();
  });

  it("has one listener for each path", async () => {
    const { platform, root } = await setup();
    expect(await platform.sockets.connect(`${root}/host.sock`)).toBeUndefined();
    const listening = await platform.sockets.listen(`${root}/host.sock`, () => {});
    await expect(platform.sockets.listen(`${root}/host.sock`, () => {})).rejects.toEqual(failsWith("already_exists"));
    await listening.close();
    expect(await platform.sockets.connect(`${root}/host.sock`)).toBeUndefined();
    await (await platform.sockets.listen(`${root}/host.sock`, () => {})).close();
  });
}
