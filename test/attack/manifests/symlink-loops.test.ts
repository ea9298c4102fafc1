import { describe, expect, it } from "vitest";
import { manifest } from "../../host/plugins/folder/harness.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

describe("links that form cycles", () => {
  it.each([
    ["to its own folder", { "p/loop": { link: "." } }],
    ["to a folder above, inside the plugin", { "p/a/b/loop": { link: "../.." } }],
    ["to itself", { "p/loop": { link: "loop" } }],
    ["to each other", { "p/one": { link: "two" }, "p/two": { link: "one" } }],
    ["crosswise between two folders", { "p/a/to-b": { link: "../b" }, "p/b/to-a": { link: "../a" } }],
  ])("are left out when a link leads %s, and the plugin is loaded [H1.others]", async (_what, entries) => {
    const { statusOf } = await hostileRoot({ "p/manifest.json": manifest("p"), "p/main.ts": "", ...entries });
    const status = await statusOf("p");
    expect(status).toMatchObject({ state: "loaded" });
    expect(status?.problems.every(({ severity, message }) => severity === "warning" && message.startsWith("Left out"))).toBe(true);
    expect(status?.problems.length).toBeGreaterThan(0);
  });

  it.each([
    ["the root", "."],
    ["the folder above the root", ".."],
    ["the whole disk", "/"],
    ["itself", "evil"],
  ])("are ignored when a plugin's folder is a link to %s [H9.symlink]", async (_what, link) => {
    expect(await refusalOf({ evil: { link } })).toEqual([
      expect.stringMatching(/^ignored: Its link (target does not exist|leads to a folder that contains the plugin root)$/),
    ]);
  });

  it("do not load one plugin twice [M5]", async () => {
    expect(await refusalOf({ evil: { link: "honest" } })).toEqual([
      expect.stringMatching(/^"honest" is the name of another plugin, in ".*\/honest"$/),
    ]);
  });
});
