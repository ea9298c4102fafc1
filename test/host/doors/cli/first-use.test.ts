import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../../support/source-files.ts";
import { createCliProject } from "./run-cli.ts";

const NEEDS_A_GRANT =
  "  needs a grant to read files  read: Reads the files you name, nothing else\n    bascule grant words --allow-read=.\n";
const IGNORED = "Added .bascule/ to .gitignore: grants apply to this machine only\n";

describe("bascule without a command", () => {
  it("says in a few lines what to type first in an empty folder [DI1.welcome]", async () => {
    await using project = await createCliProject();
    expect(await project.run([])).toEqual({
      code: 0,
      out: `bascule 0.1.0 runs tools of unknown authors in a sandbox

This folder has no plugins yet.
  bascule init       start here with two plugins, math and words
  bascule init demo  write a plugin of your own
  bascule --help     show all commands
`,
      error: "",
    });
    expect(await readdir(project.folder)).toEqual([]);
  });

  it("names the project's plugins, also from a subfolder [DI1.welcome]", async () => {
    await using project = await createCliProject({
      "bascule.json": `{ "plugins": ["tools"] }`,
      "tools/b/manifest.json": "{}",
      "tools/a\u001b[2J/manifest.json": "{}",
      "tools/notes/README.md": "no manifest, so no plugin",
      "below/here.txt": "",
    });
    expect(await project.run([], { cwd: "below" })).toEqual({
      code: 0,
      out: `bascule 0.1.0 runs tools of unknown authors in a sandbox

2 plugins in ../tools/: a\\x1b[2J, b
  bascule list           see their tools, and which ones need a grant
  bascule dev            serve them, and reload them on every edit
  bascule client-config  connect Claude, Cursor or another MCP client
  bascule --help         show all commands
`,
      error: "",
    });
  });
});

describe("bascule init without a name", () => {
  it("starts a project with two plugins: one call works, the other is denied until it is granted [DI1.init]", async () => {
    await using project = await createCliProject();
    expect(await project.run(["init"])).toEqual({
      code: 0,
      out: `Wrote plugins/math/ and plugins/words/
${IGNORED}
Next
  bascule call calculate expression="sqrt(2) * 10"      a tool that needs no grant
  bascule call word_count path=plugins/words/README.md  denied, because nothing is granted yet
  bascule grant words --allow-read=.                    let words read this folder, then call it again
  bascule init demo                                     write your own plugin
  bascule dev                                           serve the plugins, and reload them on every edit
  bascule add builtin:                                  see which plugins ship besides these
`,
      error: "",
    });
    expect(await project.run(["call", "calculate", "expression=sqrt(2) * 10"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("14.14"),
    });
    expect(await project.run(["call", "word_count", "path=plugins/words/README.md"])).toEqual({
      code: 4,
      out: "",
      error: `fs_denied Requires read access to "plugins/words/README.md"
  To allow it  bascule grant words --allow-read=plugins/words/README.md
`,
    });
    expect(await project.run(["grant", "words", "--allow-read=."])).toMatchObject({ code: 0 });
    expect(await project.run(["call", "word_count", "path=plugins/words/README.md"])).toMatchObject({ code: 0 });
    // Nothing else waits for a decision: the limits that math requests were accepted with it.
    expect(await project.run(["accept"])).toMatchObject({ out: "No plugin version waits to be accepted\n" });
    expect((await project.run(["check"])).out).toBe("good math  plugins/math\ngood words  plugins/words\n\n2 plugins good, 0 bad\n");
    expect((await project.run(["manifest", "--help"], { program: "npx bascule" })).out).toContain("`npx bascule dev` keeps");
  });

  it("also starts in a folder with a bascule.json, or with an empty plugin folder [DI1.init]", async () => {
    await using project = await createCliProject({ "bascule.json": `{ "plugins": ["tools"] }`, "tools/.keep": "" });
    expect(await project.run(["init"])).toMatchObject({ code: 2 });
    await using empty = await createCliProject({ "bascule.json": `{ "plugins": ["tools"] }` });
    expect(await empty.run(["init", "--json"])).toMatchObject({ code: 0, out: expect.stringContaining("path=tools/words/README.md") });
    expect((await readdir(join(empty.folder, "tools"))).toSorted()).toEqual(["math", "words"]);
  });

  it("asks for a name in a project that has plugins [DI1.init]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    expect(await project.run(["init"])).toEqual({
      code: 2,
      out: "",
      error: "error Expected the name of the plugin\n  Example: bascule init demo\n  bascule add builtin: lists the plugins that ship\n",
    });
    expect(await readdir(join(project.folder, "plugins"))).toEqual(["demo"]);
  });
});

describe("bascule dev in an empty folder", () => {
  it("starts with the same two plugins, and with none in a project that has begun [DI1.dev]", async () => {
    await using project = await createCliProject();
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    expect(dev.printed()).toMatch(/^Wrote plugins\/math\/ and plugins\/words\/\nAdded \.bascule\/ .*\nbascule 0\.1\.0 {2}2 plugins/);
    await using begun = await createCliProject({ "bascule.json": "{}" });
    const other = begun.start(["dev", "--no-tests"]);
    await other.waitFor("Press Ctrl-C");
    expect(await readdir(join(begun.folder, "plugins"))).toEqual([]);
  });
});

describe("bascule add builtin:<name>", () => {
  it("copies the plugin, loads it, and says which grant it needs [DI1.builtin]", async () => {
    await using project = await createCliProject();
    expect(await project.run(["add", "builtin:words"])).toEqual({
      code: 0,
      out: `Added words 1.0.0 to plugins/words: word_count, grep, outline\n${NEEDS_A_GRANT}${IGNORED}`,
      error: "",
    });
    // An editor finds no schema in a project without the package.
    const [shipped, copied] = await Promise.all(
      [`${REPOSITORY}plugins/words`, join(project.folder, "plugins/words")].map((folder) =>
        readFile(join(folder, "manifest.json"), "utf8"),
      ),
    );
    expect(copied).toBe(shipped?.replace(/^ {2}"\$schema".*\n/mu, ""));
    expect((await readdir(join(project.folder, "plugins/words"), { recursive: true })).toSorted()).toEqual(
      (await readdir(`${REPOSITORY}plugins/words`, { recursive: true })).toSorted(),
    );
    expect(await project.run(["test", "words"])).toMatchObject({ code: 0 });
  });

  it("refers to the schema of a package that the project has [DI1.builtin]", async () => {
    await using project = await createCliProject({ "node_modules/bascule/manifests/manifest.schema.json": "{}" });
    await project.run(["add", "builtin:plot"]);
    expect(await readFile(join(project.folder, "plugins/plot/manifest.json"), "utf8")).toMatch(
      /^\{\n {2}"\$schema": "\.\.\/\.\.\/node_modules\/bascule\/manifests\/manifest\.schema\.json",\n/,
    );
  });

  it("adds it to a running host, and gives it no grants of a former plugin of that name [DI1.builtin]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "words"]);
    await project.run(["grant", "words", "--allow-read=."]);
    await rm(join(project.folder, "plugins/words"), { recursive: true });
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    expect(await project.run(["add", "builtin:words"])).toMatchObject({ code: 0 });
    expect(await project.run(["call", "word_count", "path=.gitignore"])).toMatchObject({ code: 4 });
    expect(await project.run(["grants"])).toMatchObject({ out: expect.stringContaining("No grants") });
  });

  it("lists what ships if no name is given [DI1.builtin]", async () => {
    await using project = await createCliProject();
    const { code, out } = await project.run(["add", "builtin:"]);
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 3)).toEqual([
      "bascule add <name> copies one of these into the project",
      "  builtin:archive  Lists, reads, searches and unpacks zip, tar and 7z files (asks to read files and write files)",
      "  builtin:canvas   Lets the user view and edit a reasoning, as a canvas of cards or a Markdown file in the folder canvases/ (asks to read files and write files)",
    ]);
    const shipped = (await readdir(`${REPOSITORY}plugins`, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const names = shipped.map(({ name }) => name).toSorted();
    expect([...out.matchAll(/^ {2}builtin:(\w+)/gm)].map(([, name]) => name)).toEqual(names);
    const { plugins } = JSON.parse((await project.run(["add", "builtin:", "--json"])).out) as {
      readonly plugins: readonly { readonly name: string }[];
    };
    expect(plugins.map(({ name }) => name)).toEqual(names);
  });

  it.each(["wrods", "../words", "words/../words", ""])(
    "refuses %j if it ships no such plugin, or one is there [DI1.builtin]",
    async (name) => {
      await using project = await createCliProject({ "plugins/words/mine.txt": "mine" });
      const { code, error } = await project.run(["add", `builtin:${name === "" ? "words" : name}`]);
      expect({ code, error: error.split("\n")[0] }).toEqual(
        name === ""
          ? { code: 1, error: 'error "plugins/words" already exists' }
          : { code: 3, error: expect.stringMatching(/^error No plugin ".*" ships with bascule$/) },
      );
      expect(await readdir(join(project.folder, "plugins"), { recursive: true })).toEqual(["words", "words/mine.txt"]);
    },
  );

  it("is named by a call of a tool that a plugin has which ships, and by other words for it [DI1.builtin]", async () => {
    await using project = await createCliProject();
    expect((await project.run(["call", "calculate", "expression=1"])).error.split("\n")[1]).toBe(
      "  math, which ships with bascule, has it: bascule add builtin:math",
    );
    expect((await project.run(["call", "math.calculate", "expression=1"])).error).toContain("bascule add builtin:math");
    expect((await project.run(["call", "no_such_tool"])).error).not.toContain("builtin:");
    expect(await project.run(["add", "words"])).toEqual({
      code: 3,
      out: "",
      error: `error "words" not found
  Give a folder, an archive, or the URL of a repository
  bascule add builtin: lists the plugins that ship with bascule
`,
    });
  });
});
