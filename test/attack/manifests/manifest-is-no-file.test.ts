import { describe, expect, it } from "vitest";
import { manifest } from "../../host/plugins/folder/harness.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

describe("a manifest.json that is not a regular file", () => {
  it("does not hang the host when it is a FIFO without a writer [H1.others]", async () => {
    expect(await refusalOf({ "evil/manifest.json": { other: true }, "evil/main.ts": "" })).toEqual([
      '"manifest.json" is not a regular file',
    ]);
  });

  it("is refused when it is a folder [H1.others]", async () => {
    expect(await refusalOf({ "evil/manifest.json/manifest.json": manifest("evil") })).toEqual(['"manifest.json" is not a regular file']);
  });

  it.each([
    ["nothing", { link: "nowhere" }],
    ["itself", { link: "manifest.json" }],
    ["its own folder", { link: "." }],
  ])("is refused when it is a link to %s [M4.symlink]", async (_what, entry) => {
    expect(await refusalOf({ "evil/manifest.json": entry, "evil/main.ts": "" })).toEqual(['"manifest.json" is not a regular file']);
  });

  it.each(["/dev/zero", "/dev/stdin", "/proc/self/environ"])("is refused when it is a link to %s [M4.symlink]", async (link) => {
    const [message] = await refusalOf({ "evil/manifest.json": { link }, "evil/main.ts": "" });
    expect(message).toMatch(/leaves the plugin's folder|not a regular file/);
  });

  it.each([
    ["Manifest.json", "Manifest.json"],
    ["a name with a trailing space", "manifest.json "],
    ["a name with a Cyrillic letter", "mаnifest.json"],
    ["plugin.json", "plugin.json"],
  ])("is not recognised under another name: %s [M1]", async (_what, name) => {
    expect(await refusalOf({ [`evil/${name}`]: manifest("evil"), "evil/main.ts": "" })).toEqual([
      "ignored: No manifest.json at its root (subfolders are not searched)",
    ]);
  });

  it("does not hang the host when a module or any other entry is a FIFO [H1.others]", async () => {
    expect(await refusalOf({ "evil/manifest.json": manifest("evil"), "evil/main.ts": { other: true } })).toEqual([
      expect.stringContaining("main.ts"),
    ]);
    const { statusOf } = await hostileRoot({
      "main/manifest.json": manifest("main"),
      "main/main.ts": { other: true },
      "pipes/manifest.json": manifest("pipes"),
      "pipes/main.ts": "",
      "pipes/pipe": { other: true },
    });
    // The reason why the file is unusable comes before the message that it is missing.
    expect((await statusOf("main"))?.problems).toMatchObject([
      { message: 'Left out "main.ts": neither a regular file nor a folder', fix: "put a regular file in its place, or remove it" },
      { message: 'Module "main.ts" is not in the plugin\'s folder' },
    ]);
    expect(await statusOf("pipes")).toMatchObject({
      state: "loaded",
      problems: [{ severity: "warning", message: 'Left out "pipe": neither a regular file nor a folder' }],
    });
  });
});
