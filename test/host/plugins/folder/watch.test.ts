import { describe, expect, it } from "vitest";
import type { Watcher } from "../../../../host/platform/platform.ts";
import { createFolderWatch } from "../../../../host/plugins/folder/watch.ts";

describe("createFolderWatch()", () => {
  it.each([
    ["/plugins", ["/plugins/words/main.ts", "/plugins/words", "/plugins", "/plugins2/x/main.ts"], ["words", "words"]],
    ["/", ["/words/main.ts", "/words", "/"], ["words", "words"]],
    ["C:/plugins", ["C:\\plugins\\words\\main.ts"], ["words"]],
  ])("maps paths below the root %j to plugin folders [H3]", async (root, paths, expected) => {
    const report: ((path: string) => void)[] = [];
    const watcher: Watcher = {
      watch: (_paths, onChange) => {
        report.push(onChange);
        return Promise.resolve({ close: () => Promise.resolve() });
      },
    };
    const touched: string[] = [];
    const watch = createFolderWatch(
      watcher,
      ({ folder }) => touched.push(folder),
      (why) => expect.unreachable(why),
    );
    await watch.retarget({ roots: new Map([["plugins", { rootIndex: 0, realPath: root }]]), linked: new Map() });
    for (const path of paths) report[0]?.(path);
    await watch.close();
    expect(touched).toEqual(expected);
  });
});
