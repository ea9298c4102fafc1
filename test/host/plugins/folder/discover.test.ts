import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { discover, MAX_FOLDERS } from "../../../../host/plugins/folder/discover.ts";

describe("discover()", () => {
  it("finds the direct children of every root that are folders or links to one, by root and name [H1]", async () => {
    const { files } = createMemoryPlatform({
      files: {
        "/one/b/manifest.json": "{}",
        "/one/a/deep/manifest.json": "{}",
        "/one/notes.txt": "no folder",
        "/two/c/x": "",
        "/elsewhere/linked/manifest.json": "{}",
        "/two/link": { link: "/elsewhere/linked" },
        "/two/file-link": { link: "/one/notes.txt" },
      },
    });
    expect((await discover(files, ["/one", "/two"])).folders).toEqual([
      { place: { root: "/one", rootIndex: 0, folder: "a" } },
      { place: { root: "/one", rootIndex: 0, folder: "b" } },
      { place: { root: "/two", rootIndex: 1, folder: "c" } },
      { place: { root: "/two", rootIndex: 1, folder: "link" }, linkTarget: "/elsewhere/linked" },
    ]);
  });

  it("ignores hidden folders and links that are dangling or circular, with the reason [M1]", async () => {
    const { files } = createMemoryPlatform({
      files: {
        "/project/plugins/.hidden/manifest.json": "{}",
        "/project/plugins/node_modules/x/manifest.json": "{}",
        "/project/plugins/broken": { link: "/nowhere" },
        "/project/plugins/self": { link: "/project/plugins" },
        "/project/plugins/up": { link: "/project" },
      },
    });
    const { folders } = await discover(files, ["/project/plugins"]);
    expect(Object.fromEntries(folders.map(({ place, ignored }) => [place.folder, ignored]))).toEqual({
      ".hidden": "Hidden and temporary folders are ignored",
      broken: "Its link target does not exist",
      node_modules: "Hidden and temporary folders are ignored",
      self: "Its link leads to a folder that contains the plugin root",
      up: "Its link leads to a folder that contains the plugin root",
    });
  });

  it("reads a root once, however often it is named, also through a link [H1]", async () => {
    const { files } = createMemoryPlatform({ files: { "/plugins/a/manifest.json": "{}", "/same": { link: "/plugins" } } });
    expect((await discover(files, ["/plugins", "/same", "/plugins"])).folders).toHaveLength(1);
  });

  it("reports roots that are missing or not folders, and reads the others [H1]", async () => {
    const { files } = createMemoryPlatform({ files: { "/plugins/a/manifest.json": "{}", "/file": "" } });
    const { folders, notices } = await discover(files, ["/gone", "/file", "/plugins"]);
    expect(folders).toHaveLength(1);
    expect(notices).toEqual([
      'Plugin root "/gone" does not exist (create it, or remove it from "plugins")',
      'Plugin root "/file" is not a folder (name the folder that holds the plugins)',
    ]);
  });

  it("reads a bounded number of folders in a root, and reports it", async () => {
    const files = Object.fromEntries(
      Array.from({ length: MAX_FOLDERS + 1 }, (_, index) => [`/plugins/p${String(index).padStart(5, "0")}/x`, ""]),
    );
    const { folders, notices } = await discover(createMemoryPlatform({ files }).files, ["/plugins"]);
    expect(folders).toHaveLength(MAX_FOLDERS);
    expect(notices).toEqual([`Plugin root "/plugins" holds ${MAX_FOLDERS + 1} folders: only the first ${MAX_FOLDERS} by name are used`]);
  });
});
