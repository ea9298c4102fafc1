import { describe, expect, it } from "vitest";
import { createCliProject } from "../cli/run-cli.ts";

const TOOL = { inputSchema: { type: "object" }, sideEffects: ["read", "execute"], description: "Does it" };
const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "media", version: "1.0.0", description: "Media" },
  permissions: { read: ["$workspace"], run: ["ffmpeg"] },
  tools: [
    { ...TOOL, name: "convert", permissions: { run: ["ffmpeg"] } },
    { ...TOOL, name: "probe", permissions: { read: ["$workspace"] }, native: true },
    { ...TOOL, name: "look", sideEffects: ["read"], permissions: { read: ["$workspace"] } },
  ],
};

describe("toPluginView()", () => {
  it("says to grant what a grant would give where the plugin runs: nothing native to the sandbox [G3.native] [C1.native]", async () => {
    await using project = await createCliProject({
      "plugins/media/manifest.json": JSON.stringify(MANIFEST),
      "plugins/media/main.ts": "export const convert = () => 1, probe = () => 2, look = () => 3;",
    });
    const sandboxed = await project.run(["list"]);
    expect(sandboxed.out).toContain("needs a grant to read");
    expect(sandboxed.out).toContain("bascule grant media --allow-read=.\n");
    // Whatever it is granted: it has to be trusted, and says so.
    for (const tool of ["convert", "probe"]) {
      const { error } = await project.run(["call", tool, "--allow-read=.", "--allow-run=ffmpeg"]);
      expect(error).toContain('it starts programs or is native code, and its route is "wasm" (list "media" in "trusted" of bascule.json');
    }
    expect((await project.run(["call", "look", "--allow-read=."])).out).toContain("3");

    await project.write(
      "bascule.json",
      JSON.stringify({ trusted: ["media"], policy: { rules: [{ tool: "media.convert", route: "host" }] } }),
    );
    expect((await project.run(["list"])).out).toContain("bascule grant media --allow-read=. --allow-run=ffmpeg\n");
  });
});
