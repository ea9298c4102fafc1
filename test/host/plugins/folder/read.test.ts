import { createHash } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryPlatform, type MemoryEntry } from "../../../../host/platform/memory/memory.ts";
import { createNodePlatform } from "../../../../host/platform/node.ts";
import { FileError, type Files, type GuardedFiles } from "../../../../host/platform/platform.ts";
import type { Place } from "../../../../host/plugins/folder/discover.ts";
import { type FolderRead, readFolder, signFolder } from "../../../../host/plugins/folder/read.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const PLACE: Place = { root: "/plugins", rootIndex: 0, folder: "p" };

async function read(files: Readonly<Record<string, MemoryEntry>>): Promise<FolderRead> {
  const all = Object.fromEntries(Object.entries(files).map(([path, entry]) => [path.startsWith("/") ? path : `/plugins/p/${path}`, entry]));
  return readFolder(createMemoryPlatform({ files: all }), PLACE);
}

async function paths(files: Readonly<Record<string, MemoryEntry>>): Promise<readonly string[]> {
  const state = await read(files);
  if (state.kind !== "read") throw new Error(JSON.stringify(state));
  return [...state.files.keys()].toSorted();
}

async function problems(files: Readonly<Record<string, MemoryEntry>>): Promise<readonly string[]> {
  const state = await read(files);
  return state.kind === "refused" ? state.problems.map((problem) => problem.message) : [state.kind];
}

describe("readFolder()", () => {
  it("reads the manifest and every loadable file, and skips files that editors and tools leave behind [M11]", async () => {
    const kept = ["main.ts", "lib/a.ts", "lib/deep/b.json", "README.md", ".env"];
    const left = [
      ...[".git/config", "node_modules/x/index.js", ".bascule/settings.json", "main.ts~", ".main.ts.swp", ".#main.ts", "#main.ts#", "4913"],
      ...["lib/.a.ts.1f.tmp", ".DS_Store", "main.ts___jb_tmp___"],
    ];
    const files = Object.fromEntries(["manifest.json", ...kept, ...left].map((path) => [path, path]));
    expect(await paths(files)).toEqual(["manifest.json", ...kept].toSorted());
  });

  it("skips declaration files, so they cannot be loaded, and regenerated types change nothing [M11.declarations] [M8.no-loop]", async () => {
    const code = { "manifest.json": "{}", "main.ts": "1", "lib/a.ts": "2" };
    const types = { "bascule.d.ts": "x", "lib/types.d.mts": "y", "old.d.cts": "z" };
    const [plain, typed] = [await read(code), await read({ ...code, ...types })];
    expect(typed.kind === "read" && [...typed.files.keys()].toSorted()).toEqual(["lib/a.ts", "main.ts", "manifest.json"]);
    expect(plain.kind === "read" && typed.kind === "read" && plain.digest === typed.digest).toBe(true);
  });

  it.each([
    ["small", "bee"],
    ["large", "bee".repeat(100_000)],
  ])("hashes the sorted paths, lengths and bytes of %s files with SHA-256 [M11]", async (_size, bee) => {
    const state = await read({ "manifest.json": "{}", "b.ts": bee, "a/z.ts": "é" });
    const hash = createHash("sha256");
    for (const [path, text] of [
      ["a/z.ts", "é"],
      ["b.ts", bee],
      ["manifest.json", "{}"],
    ] as const) {
      hash.update(`${path}\0${Buffer.byteLength(text)}\0${text}`);
    }
    expect(state.kind === "read" && state.digest).toBe(hash.digest("hex"));
  });

  it.each([
    ["a file's bytes", { "manifest.json": "{}", "a.ts": "2" }],
    ["a file's name", { "manifest.json": "{}", "b.ts": "1" }],
    ["the manifest", { "manifest.json": "{ }", "a.ts": "1" }],
    ["another file", { "manifest.json": "{}", "a.ts": "1", "b.ts": "" }],
    ["bytes moved from one file to the next", { "manifest.json": "{}a", "a.ts": "1" }],
  ])("has another hash with %s changed [M11]", async (_what, files) => {
    const [before, after] = [await read({ "manifest.json": "{}", "a.ts": "1" }), await read(files)];
    expect(before.kind === "read" && after.kind === "read" && before.digest !== after.digest).toBe(true);
  });

  it("ignores a folder without a manifest at its root, even if a subfolder has one [M1]", async () => {
    const reason = "No manifest.json at its root (subfolders are not searched)";
    expect(await read({ "nested/manifest.json": "{}" })).toEqual({ kind: "ignored", signature: expect.any(String), reason });
  });

  it("does not treat manifests of subfolders as plugins [M1]", async () => {
    expect(await paths({ "manifest.json": "{}", "nested/manifest.json": "{}" })).toEqual(["manifest.json", "nested/manifest.json"]);
  });

  it("follows links that stay inside the folder [M4.symlink]", async () => {
    expect(await paths({ "manifest.json": "{}", "lib/a.ts": "", "b.ts": { link: "lib/a.ts" }, more: { link: "lib" } })).toEqual([
      ...["b.ts", "lib/a.ts", "manifest.json", "more/a.ts"],
    ]);
  });

  it("refuses links that leave the folder, and reports all of them [M4.symlink]", async () => {
    const files = {
      "manifest.json": "{}",
      "/etc/passwd": "root",
      "a.ts": { link: "/etc/passwd" },
      lib: { link: "../../etc" },
      "c.ts": { link: "../q/c.ts" },
      "/plugins/q/c.ts": "",
    };
    expect(await problems(files)).toEqual([
      '"a.ts" is a link that leaves the plugin\'s folder',
      '"c.ts" is a link that leaves the plugin\'s folder',
      '"lib" is a link that leaves the plugin\'s folder',
    ]);
  });

  it("leaves out entries that are neither file nor folder, with a warning [H1]", async () => {
    const state = await read({ "manifest.json": "{}", pipe: { other: true }, gone: { link: "nowhere" }, loop: { link: "." } });
    expect(
      state.kind === "read" && {
        paths: [...state.files.keys()],
        warnings: state.warnings.map(({ severity, message }) => `${severity}: ${message}`),
      },
    ).toEqual({
      paths: ["manifest.json"],
      warnings: [
        'warning: Left out "gone": its link target does not exist',
        'warning: Left out "loop": its link leads to a folder that contains it',
        'warning: Left out "pipe": neither a regular file nor a folder',
      ],
    });
  });

  it("reports a change if a file is written while it is read [H3.half-written]", async () => {
    const platform = createMemoryPlatform({
      files: { "/plugins/p/manifest.json": "{}", "/plugins/p/a.ts": "first", "/plugins/p/b.ts": "first" },
    });
    const guarded: typeof platform.guarded = {
      ...platform.guarded,
      async readBytes(path, options) {
        const bytes = await platform.guarded.readBytes(path, options);
        if (path.path.endsWith("/b.ts")) platform.plant("/plugins/p/a.ts", "later");
        return bytes;
      },
    };
    platform.advance(10);
    expect(await readFolder({ files: platform.files, guarded }, PLACE)).toEqual({ kind: "changing" });
  });

  it("reports a change, not a removal, if the system is out of file descriptors [H9]", async () => {
    const platform = createMemoryPlatform({ files: { "/plugins/p/manifest.json": "{}" } });
    const list: Files["list"] = () => Promise.reject(new FileError("busy", "Resource busy"));
    expect(await readFolder({ ...platform, files: { ...platform.files, list } }, PLACE)).toEqual({ kind: "changing" });
  });
});

describe("readFolder() in a brief process", () => {
  it("reads the same folder, plain files at once without the guarded way [DI5.cold-start] [M4.symlink]", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, "p/lib"), { recursive: true });
    const written = { "manifest.json": "{}", "main.ts": "export {}", "lib/a.ts": "1" };
    for (const [path, text] of Object.entries(written)) await writeFile(join(root, "p", path), text);
    await symlink("lib", join(root, "p/linked"));
    const place: Place = { root, rootIndex: 0, folder: "p" };
    const [slow, brief] = [createNodePlatform(), createNodePlatform({ brief: true })];
    const guarded: string[] = [];
    const readBytes: GuardedFiles["readBytes"] = (path, options) => (guarded.push(path.path), brief.guarded.readBytes(path, options));
    const read = await readFolder({ files: brief.files, guarded: { ...brief.guarded, readBytes } }, place);
    expect(read).toEqual(await readFolder(slow, place));
    expect(read.kind === "read" && [...read.files.keys()].toSorted()).toEqual(["lib/a.ts", "linked/a.ts", "main.ts", "manifest.json"]);
    expect(guarded).toEqual([]);
  });
});

describe("signFolder()", () => {
  it("changes with every file, time and folder, and not with ignored names [H3]", async () => {
    const platform = createMemoryPlatform({ files: { "/plugins/p/manifest.json": "{}", "/plugins/p/lib/a.ts": "1" } });
    const sign = async (): Promise<string | undefined> => (await signFolder(platform.files, PLACE))?.signature;
    let before = await sign();
    const changes: readonly (() => unknown)[] = [
      () => platform.plant("/plugins/p/lib/a.ts", "2"),
      () => platform.plant("/plugins/p/lib/b.ts", ""),
      () => platform.files.remove("/plugins/p/lib/b.ts"),
      () => platform.files.rename("/plugins/p/lib", "/plugins/p/lob"),
      () => platform.files.remove("/plugins/p/manifest.json"),
      () => platform.files.remove("/plugins/p"),
    ];
    for (const change of changes) {
      platform.advance(10);
      await Promise.resolve(change());
      const after = await sign();
      expect(after).not.toBe(before);
      platform.plant("/plugins/unrelated/x", "");
      expect(await sign()).toBe(after);
      before = after;
    }
  });

  it("does not change with a temporary file of an editor [H3]", async () => {
    const platform = createMemoryPlatform({ files: { "/plugins/p/manifest.json": "{}" } });
    const before = await signFolder(platform.files, PLACE);
    platform.advance(10);
    platform.plant("/plugins/p/.manifest.json.swp", "x");
    expect(await signFolder(platform.files, PLACE)).toEqual(before);
  });
});
