import { chmod, mkdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

/** Wrong command lines, their exit codes, and the one thing to do that they say. */
const WRONG: readonly (readonly [line: string, code: number, says: string, toDo: string])[] = [
  ["audit", 2, "Missing one of tail, search, verify, export, session", "Usage: bascule audit"],
  ["policy", 2, "Missing one of check, test, diff", "Usage: bascule policy"],
  ["call", 2, "Missing <tool>", "Usage: bascule call <tool>"],
  ["lsit", 2, 'Unknown command "lsit"', "Did you mean bascule list?"],
  ["list --nonsense", 2, 'Unknown option "--nonsense"', "bascule list --help shows its options"],
  ["grants a", 2, 'Command "grants" takes no argument "a"', "Usage: bascule grants"],
  ["accept nosuch", 3, 'Unknown plugin "nosuch"', "bascule list shows all plugins"],
  ["accept demo", 1, 'Nothing to accept for plugin "demo"', "bascule accept shows all that waits"],
  ["info nosuch", 3, 'Unknown plugin or tool "nosuch"', "bascule list --all shows all plugins and tools"],
  ["call zzzz", 3, 'Tool "zzzz" not found', "bascule list --all shows all tools"],
  ["call demo_pek path=a", 3, 'Tool "demo_pek" not found', "Did you mean demo_peek?"],
  ["bench demo_pek path=a", 3, 'Tool "demo_pek" not found', "Did you mean demo_peek?"],
  ["call echo {", 2, "Invalid JSON: unexpected token", "bascule info echo shows its arguments"],
  ["call echo text=a text=b", 2, 'Argument "text" is given twice', "Keep one text=…"],
  ["call echo text:={", 2, 'Argument "text:=" is not valid JSON', "Quote it for the shell"],
  ["call echo --args none.json", 2, 'Cannot read "none.json" (from --args)', "Give a JSON file, or - for stdin"],
  ["list --config none.json", 3, 'File "none.json" not found (from --config)', "Give the path of a bascule.json"],
  ["call echo text=a --out none/x.txt", 3, '"none/x.txt": No such file or directory', "a folder for output has to exist"],
  ["call echo text=a --out sub", 1, '"sub": Is a directory', "Name a file in it"],
  ["policy test none.json", 3, '"none.json": No such file or directory', "Check the path"],
  ["policy test wrong.json", 2, '"wrong.json" is not valid JSON', "Mend the file"],
  ["mcp-servers accept", 2, "Missing <server>", "bascule mcp-servers lists the servers"],
  ["mcp-servers acept x", 2, 'Unknown subcommand "mcp-servers acept"', "Choose from accept, login, logout"],
  ["mcp-servers accept x", 2, 'Unknown MCP server "x"', "bascule mcp-servers lists the servers"],
  ["mcp-servers login x", 2, 'Unknown MCP server "x" in bascule.json', "bascule mcp-servers lists the servers"],
  ["vendor --add npm:left-pad", 2, "--add needs exactly one plugin", "Example: bascule vendor demo --add"],
  ["runner -- no-such-program", 3, 'Program "no-such-program" not found', "Give its path, or a name on PATH"],
  ["rollback demo", 4, 'No earlier version of plugin "demo" is kept', "one is kept when another version replaces it"],
  ["add sub", 1, 'Not a plugin: "sub" has no manifest.json at its root', "give the folder that holds one"],
  ["add wrong.json", 1, "Not a plugin: neither a folder nor", "a zip, tar or tar.gz file"],
  ["add nosuch", 3, '"nosuch" not found', "bascule add builtin: lists the plugins that ship"],
  ["reload", 5, "no host is running", "bascule dev starts one"],
];

describe("a command that was typed wrongly", () => {
  it("says what was wrong and what to do, without stacks and absolute paths [DI6.errors]", { timeout: 120_000 }, async () => {
    await using project = await createCliProject({ "wrong.json": "{ nope" });
    await project.run(["init", "demo"]);
    await mkdir(`${project.folder}/sub`);
    const found: unknown[] = [];
    for (const [line, , ...parts] of WRONG) {
      const { code, error } = await project.run(line.split(" "));
      const isPlain = !error.includes(project.folder) && !/^ *at /mu.test(error);
      // The whole text only where it differs, so that a failure shows it.
      found.push([line, code, isPlain && parts.every((part) => error.includes(part)) ? "as expected" : error]);
    }
    expect(found).toEqual(WRONG.map(([line, code]) => [line, code, "as expected"]));
  });

  it.each([["list"], ["dev"], ["check"], ["doctor"], ["init"], ["grants"], ["serve"]])(
    "%s names an invalid bascule.json from here, and the place in it [DI6.errors]",
    async (command) => {
      await using project = await createCliProject({ "bascule.json": '{ "plugins": [,] }', "below/a.txt": "" });
      const { code, error } = await project.run([command]);
      expect({ code, error }).toEqual({
        code: 1,
        error: expect.stringMatching(/^error Invalid "bascule\.json"\n {2}document \(line 1, column 15\): Invalid JSON: .*\n$/u),
      });
      expect((await project.run([command], { cwd: "below" })).error).toContain('Invalid "../bascule.json"');
    },
  );

  it.skipIf(process.getuid?.() === 0).each([["init"], ["init demo"], ["dev"], ["serve"], ["add builtin:words"]])(
    "%s in a folder that is read-only [DI6.errors]",
    async (line) => {
      await using project = await createCliProject({});
      await chmod(project.folder, 0o555);
      const { code, error } = await project.run(line.split(" "));
      await chmod(project.folder, 0o755);
      expect({ code, error }).toEqual({
        code: 1,
        error: expect.stringMatching(/^error "plugins[^"]*": Permission denied[^]*\n {2}Choose a place that you may read and write/u),
      });
    },
  );

  it.each([
    ["init demo", "Not a directory", "Name a folder there"],
    ["add builtin:words", "File exists", "Choose another name, or remove it first"],
  ])("%s where plugins/ is a file [DI6.errors]", async (line, says, toDo) => {
    await using project = await createCliProject({ plugins: "" });
    const { code, error } = await project.run(line.split(" "));
    expect({ code, error }).toEqual({ code: 1, error: `error "plugins": ${says}\n  ${toDo}\n` });
  });

  it.each([["dev"], ["serve --port=0"], ["add sub"]])("%s does not start where plugins/ is a file [DI6.errors]", async (line) => {
    await using project = await createCliProject({ plugins: "", "sub/manifest.json": "{}" });
    expect(await project.run(line.split(" "))).toEqual({
      code: 1,
      out: "",
      error: `error "plugins" is a file, not the folder that holds the plugins
  Move it away, or name another folder under "plugins" in bascule.json
`,
    });
  });

  it("says in an empty folder how to begin [DI6.errors]", async () => {
    await using project = await createCliProject({});
    expect(await project.run(["check"])).toMatchObject({
      code: 3,
      error: "error No plugin folder found here\n  bascule init creates one\n",
    });
  });
});
