import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { toPluginView } from "../../../host/doors/plugin-view.ts";
import { withFrame } from "../../../host/doors/problem-frame.ts";
import { parseManifest, type Permissions } from "../../../manifests/mod.ts";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { createCliProject } from "./cli/run-cli.ts";
import { manifest, tool } from "../plugins/folder/harness.ts";

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
  it("suggests only grants that have an effect on the plugin's route: nothing native for the sandbox [G3.native] [C1.native] [I7.callable]", async () => {
    await using project = await createCliProject({
      "plugins/media/manifest.json": JSON.stringify(MANIFEST),
      "plugins/media/main.ts": "export const convert = () => 1, probe = () => 2, look = () => 3;",
    });
    const sandboxed = await project.run(["list"]);
    expect(sandboxed.out).toContain("needs a grant to read");
    expect(sandboxed.out).toContain("bascule grant media --allow-read=.\n");
    // A plugin with tools that cannot be called fails the check.
    const bad = await project.run(["check"]);
    expect([bad.code, bad.out.split("\n").at(-2)]).toEqual([1, "0 plugins good, 1 bad"]);
    for (const tool of ["convert", "probe"])
      expect(bad.out).toContain(`Tool "${tool}" cannot be called: it starts programs or is native code`);
    // Grants do not help: the error says that the plugin has to be trusted.
    for (const tool of ["convert", "probe"]) {
      const { error } = await project.run(["call", tool, "--allow-read=.", "--allow-run=ffmpeg"]);
      expect(error).toContain(
        'it starts programs or is native code, which the route "wasm" does not allow (add "media" to "trusted" in bascule.json',
      );
    }
    expect((await project.run(["call", "look", "--allow-read=."])).out).toContain("3");

    await project.write(
      "bascule.json",
      JSON.stringify({ trusted: ["media"], policy: { rules: [{ tool: "media.convert", route: "host" }] } }),
    );
    expect((await project.run(["list"])).out).toContain("bascule grant media --allow-read=. --allow-run=ffmpeg\n");
  });
});

describe("a plugin that requests folders above its own", () => {
  it("is granted exactly those by the printed command, in any working directory [PA2.suggested] [C3.suggested]", async () => {
    const asked = { ...MANIFEST, permissions: { read: ["../..", "data"] }, tools: [{ ...TOOL, name: "look", sideEffects: ["read"] }] };
    await using project = await createCliProject({
      "plugins/media/manifest.json": JSON.stringify(asked),
      "plugins/media/main.ts": "export const look = () => 3;",
    });
    const { out } = await project.run(["list"]);
    const [, flags = ""] = /bascule grant media '?(--allow-read=[^'\n]*)/u.exec(out) ?? [];
    expect(flags).toBe("--allow-read=.,$plugin/data");
    await project.run(["grant", "media", flags]);
    expect(JSON.parse(await readFile(`${project.folder}/.bascule/grants.json`, "utf8"))).toMatchObject({
      grants: [{ permissions: { read: [project.folder, "$plugin/data"] } }],
    });
    const view = JSON.parse((await project.run(["info", "media", "--json"])).out) as unknown;
    expect(view).toMatchObject({ plugin: { requested: { read: [project.folder, "$plugin/data"] }, missing: {} } });
  });
});

/** Returns the missing permissions that a door shows. */
async function missing(
  asked: object,
  granted: Permissions,
  tools: readonly unknown[] = [tool("fetch", { sideEffects: ["network"] })],
): Promise<Permissions> {
  const parsed = parseManifest(manifest("words", { permissions: asked, tools }));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const status = {
    ...({ state: "loaded", directory: "/p/words", folder: "words", name: "words", problems: [], lastGood: false } as const),
    ...{ manifest: parsed.value, requested: parsed.value.permissions },
  };
  return (await toPluginView(status, { files: memoryPlatform({}).files, tools: [], granted })).missing;
}

describe("the missing permissions of a plugin", () => {
  it.each<[string, object, Permissions, Permissions]>([
    ["a whole kind that was never granted", { net: true }, {}, { net: true }],
    ["nothing of a kind that was denied", { net: true }, { net: { deny: true } }, {}],
    ["nothing of a list if the whole kind was denied", { net: ["a.example"] }, { net: { deny: true } }, {}],
    ["the items that were not denied", { net: ["a.example", "b.example"] }, { net: { deny: ["a.example"] } }, { net: ["b.example"] }],
    ["nothing if each item was denied", { net: ["api.a.example:443"] }, { net: { deny: ["*.a.example"] } }, {}],
    ["nothing of a partly granted kind", { net: ["a.example", "b.example"] }, { net: ["a.example"] }, {}],
    ["the reason", { net: { allow: ["a.example"], reason: "news" } }, {}, { net: { allow: ["a.example"], reason: "news" } }],
    [
      "items as a grant needs them: absolute or with a token, never relative to the plugin's folder",
      {
        read: ["..", "../..", "data", "./", "a/../b/**", "/etc/x", "$workspace"],
        write: { allow: ["../out"], reason: "x" },
      },
      {},
      {
        read: ["/p", "/", "$plugin/data", "$plugin", "$plugin/b/**", "/etc/x", "$workspace"],
        write: { allow: ["/p/out"], reason: "x" },
      },
    ],
    ["nothing that was denied by its absolute path", { read: ["../out", "../in"] }, { read: { deny: ["/p/out"] } }, { read: ["/p/in"] }],
  ])("is %s [C2.missing] [PA2.suggested]", async (_what, asked, granted, expected) => {
    expect(await missing(asked, granted)).toEqual(expected);
  });

  it("are those of the tools, if each tool that can use the kind requests less than its plugin [C2.missing]", async () => {
    const narrow = (name: string, host: string): unknown => tool(name, { sideEffects: ["network"], permissions: { net: [host] } });
    const pure = tool("pure");
    expect(await missing({ net: true }, {}, [narrow("a", "a.example"), narrow("b", "b.example"), pure])).toEqual({
      net: ["a.example", "b.example"],
    });
    expect(await missing({ net: true }, {}, [narrow("a", "a.example"), tool("b", { sideEffects: ["network"] })])).toEqual({ net: true });
    const readsOnly = tool("a", { sideEffects: ["network"], permissions: { read: ["$workspace"] } });
    expect(await missing({ net: true, read: ["$workspace"] }, {}, [readsOnly])).toEqual({ read: ["$workspace"] });
  });
});

describe("withFrame()", () => {
  it("reads a file of a plugin whose folder is the root of the file system [P1]", async () => {
    const { files } = createMemoryPlatform({ files: { "/main.ts": "first\nsecond\n" } });
    const problem = { severity: "error", pointer: "", message: "m", file: "main.ts", line: 1 } as const;
    expect((await withFrame(problem, "/", files)).frame).toBeDefined();
  });
});
