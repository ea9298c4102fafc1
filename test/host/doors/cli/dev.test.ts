import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { withFrame } from "../../../../host/doors/problem-frame.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { describe, expect, it } from "vitest";
import { createCliProject, type CliProject } from "./run-cli.ts";

const GOOD = "export const demo_peek = (args) => ({ first: [args.path], total: 1 });\n";
const NOTE = "(using the host running in this folder)\n";

async function projectWithDemo(): Promise<CliProject> {
  const project = await createCliProject({ "README.md": "# Title\n" });
  await project.run(["init", "demo"]);
  return project;
}

describe("bascule dev", () => {
  it("shows loaded and failed plugins, missing grants, and next steps [I2.start-screen] [H6.start-screen]", async () => {
    await using project = await projectWithDemo();
    await project.run(["init", "broken"]);
    await project.write("plugins/broken/main.ts", "export const = 1;\n");
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    const screen = dev.printed();
    expect(screen).toContain("2 plugins, 1 tool  in plugins\n");
    expect(screen).toMatch(/^ {2}✗ broken {2}does not load: .+ {2}bascule list broken\n {2}! demo {4}wants read +bascule grant demo\n/mu);
    expect(screen).toContain("Next, in another terminal: bascule call demo_peek path=README.md\n");
    expect((await project.run(["list", "broken"])).out).toContain("error plugins/broken/main.ts:1:14 ");
    dev.interrupt();
    expect(await dev.ended).toMatchObject({ code: 0 });
  });

  it("marks assumed side effects of a legacy manifest that declares none [M9.assumed]", async () => {
    const manifest = {
      schema_version: "1.0",
      name: "older",
      version: "1.0.0",
      description: "Older",
      tools: [{ name: "look", description: "Looks" }],
    };
    await using project = await createCliProject({
      "plugins/older/manifest.json": JSON.stringify(manifest),
      "plugins/older/main.ts": "export const look = () => 1;\n",
    });
    expect((await project.run(["list"])).out).toMatch(/^ {2}look +\(network is assumed\) Looks$/mu);
    expect((await project.run(["info", "look"])).out).toMatch(/^ *class +network \(assumed: the manifest declares no side effects\)$/mu);
    const { tool } = JSON.parse((await project.run(["info", "look", "--json"])).out) as { readonly tool: object };
    expect(tool).toMatchObject({ sideEffects: ["network"], assumed: true });
  });

  it("names what each argument takes in info, unions too [I2.info]", async () => {
    const properties = {
      any: {},
      one: { const: 1 },
      some: { enum: ["a", 2] },
      tags: { description: "Marks", anyOf: [{ type: "string" }, { oneOf: [{ type: "null" }, { type: "string" }] }] },
      shape: { anyOf: [{ type: "object" }, { $ref: "#/$defs/other" }] },
    };
    const inputSchema = { type: "object", properties, required: ["one"], $defs: { other: { type: "string" } } };
    await using project = await createCliProject({
      "plugins/draw/manifest.json": JSON.stringify({
        ...{ schemaVersion: "1.0", name: "draw", version: "1.0.0", description: "Draws" },
        tools: [{ name: "draw", description: "Draws", inputSchema, sideEffects: [] }],
      }),
      "plugins/draw/main.ts": "export const draw = () => 1;\n",
    });
    const shown = (await project.run(["info", "draw.draw"])).out.split("\n");
    const first = shown.indexOf("Arguments") + 1;
    expect(shown.slice(first, first + 5)).toEqual([
      "  any    anything, optional",
      "  one    1",
      '  some   "a" | 2, optional',
      "  tags   string | null, optional  Marks",
      "  shape  anything, optional",
    ]);
  });

  it("runs a plugin's cases and tests on every reload, and summarises failures [I7.dev]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    await project.write("plugins/demo/main.ts", GOOD);
    await dev.waitFor("tests    demo  2 passed, 2 failed\n");
    await dev.waitFor("bascule test demo shows details\n");
    expect(dev.printed()).toMatch(
      /^ {9}failed demo_peek shows the first lines => plugins\/demo\/cases\/peek\.json\n {11}Expected output /mu,
    );
    expect(dev.printed()).not.toContain("ERRORS");
    await project.write("plugins/demo/main.test.ts", 'Deno.test("one", () => {});');
    await project.write("plugins/demo/cases/peek.json", "[]");
    await dev.waitFor("tests    demo  1 passed\n");
    dev.interrupt();
    expect(await dev.ended).toMatchObject({ code: 0 });
  });

  it("does not give the run's flags to tests of a version that is not loaded [I7.dev-held]", async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    const manifestOf = (more: object): string =>
      JSON.stringify({
        ...{ schemaVersion: "1.0", name: "demo", version: "1.0.0", description: "Is tested", permissions: { read: true }, ...more },
        tools: [{ name: "one", description: "Says one", inputSchema: { type: "object" }, sideEffects: [] }],
      });
    await project.write("plugins/demo/manifest.json", manifestOf({}));
    await project.write("plugins/demo/main.ts", "export const one = () => 1;");
    const dev = project.start(["dev", `--allow-read=${project.folder}`]);
    await dev.waitFor("Press Ctrl-C");
    const reading = `Deno.test("reads", async () => { await Deno.readTextFile(${JSON.stringify(`${project.folder}/README.md`)}); });`;
    await project.write("plugins/demo/main.test.ts", reading);
    await dev.waitFor("tests    demo  1 passed\n");
    // This version requests more permissions and is not accepted.
    await project.write("plugins/demo/manifest.json", manifestOf({ permissions: { read: true, net: true } }));
    await dev.waitFor("tests    demo  0 passed, 1 failed\n");
    expect(dev.printed()).toMatch(/held +demo/);
    dev.interrupt();
    await dev.ended;
  });

  it("runs no tests with --no-tests [I7.no-tests]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    await project.write("plugins/demo/main.ts", GOOD);
    await dev.waitFor("reloaded demo");
    // Wait for a later load of another plugin: output about the first one would appear before it.
    await project.run(["init", "other"]);
    await dev.waitFor("loaded   other");
    dev.interrupt();
    expect((await dev.ended).out).not.toContain("tests    ");
  });

  it("shows the source line that threw, in dev and in the calling command [I7.frame]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    await project.write(
      "plugins/demo/main.ts",
      'export const demo_peek = ({ path }: { path: string }) => {\n  const what: string = path;\n  throw new TypeError("not " + what);\n};\n',
    );
    await project.run(["grant", "demo", "--allow-read=."]);
    await dev.waitFor("reloaded demo");
    const frame = [
      "error plugins/demo/main.ts:3:22 thrown here",
      "    1 | export const demo_peek = ({ path }: { path: string }) => {",
      "    2 |   const what: string = path;",
      '  > 3 |   throw new TypeError("not " + what);',
    ];
    expect((await project.run(["call", "demo_peek", "path=README.md"])).error).toContain(frame.map((line) => `  ${line}\n`).join(""));
    await dev.waitFor("thrown here\n");
    expect(dev.printed()).toContain(frame.map((line) => `${" ".repeat(9)}${line}\n`).join(""));
    // The folder no longer contains the version that throws, so its lines would be wrong.
    await project.write("plugins/demo/main.ts", "export const = 1;\n\n\n");
    await dev.waitFor("the last good version still serves");
    const stale = await project.run(["call", "demo_peek", "path=README.md"]);
    expect(stale.error).toContain("at demo_peek (main.ts:3:22)");
    expect(stale.error).not.toContain("thrown here");
  });

  it("shows no line of a file outside the plugin that its stack or a link names [I7.frame]", async () => {
    const platform = memoryPlatform({
      "plugins/demo/main.ts": "one\ntwo",
      "plugins/demo/lib": { link: "/home/user/.ssh" },
      "plugins/demo/key.ts": { link: "/home/user/.ssh/id" },
      "plugins/other/main.ts": "three",
    });
    platform.plant("/home/user/.ssh/id", "a key");
    const framed = async (file: string): Promise<readonly string[] | undefined> =>
      (await withFrame({ severity: "error", pointer: "", message: "m", file, line: 1 }, `${WORKSPACE}/plugins/demo`, platform.files)).frame
        ?.lines;
    expect(await framed("main.ts")).toEqual(["one", "two"]);
    for (const file of ["lib/id", "key.ts", "../other/main.ts", "lib/../main.ts", "/home/user/.ssh/id", "nothing.ts"])
      expect(await framed(file), file).toBeUndefined();
  });

  it("writes one JSON value per line with --json [I7.json]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--json"]);
    await dev.waitFor('"type":"ready"');
    await project.write("plugins/demo/main.ts", GOOD);
    await dev.waitFor('"type":"tests"');
    dev.interrupt();
    const entries = (await dev.ended).out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries[0]).toMatchObject({
      type: "ready",
      status: { plugins: 1 },
      plugins: expect.arrayContaining([expect.objectContaining({ name: "demo" })]),
    });
    expect(entries).toContainEqual(expect.objectContaining({ type: "plugin.reloaded", plugin: "demo" }));
    expect(entries).toContainEqual(expect.objectContaining({ type: "tests", plugin: "demo", passed: 2, failed: 2 }));
  });

  it("applies a bascule.json that is created while it runs [P1.appears]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--allow-read=."]);
    await dev.waitFor("Press Ctrl-C");
    await project.write("bascule.json", '{ "policy": { "rules": [{ "plugin": "demo", "allow": "no" }] } }');
    await dev.waitFor("bascule.json has errors");
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 0 });
    await project.write("bascule.json", '{ "policy": { "rules": [{ "plugin": "demo", "allow": false }] } }');
    await dev.waitFor("bascule.json reloaded");
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 4 });
  });

  it("creates a missing plugins folder and reports it [I2.creates-root]", async () => {
    await using project = await createCliProject({ "bascule.json": "{}" });
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    expect(dev.printed()).toContain("Created plugins/: put each plugin into its own folder there\n");
    expect((await stat(join(project.folder, "plugins"))).isDirectory()).toBe(true);
  });

  it("answers commands of other terminals, which note it, and shows their calls [I2.running]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");

    expect(await project.run(["call", "demo_peek", "path=README.md"])).toEqual({
      code: 4,
      out: "",
      error: `${NOTE}fs_denied Requires read access to "README.md"\n  To allow it  bascule grant demo --allow-read=README.md\n`,
    });
    expect(await project.run(["grant", "demo", "--allow-read=."])).toMatchObject({ code: 0, error: NOTE });
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 0, error: NOTE });
    await dev.waitFor("done     demo.demo_peek");
    expect(dev.printed()).toContain("denied   demo.demo_peek path=README.md  fs_denied ");
    expect(dev.printed()).toContain("grants   of demo changed\n");
    expect(await project.run(["call", "demo_peek", "path=README.md", "--role", "guest", "--read-only"])).toMatchObject({
      code: 0,
      error: NOTE,
    });
    for (const args of [["list"], ["info", "demo_peek"], ["grants"], ["why", "demo"], ["reload"], ["revoke", "demo"]]) {
      expect({ args, ...(await project.run(args)) }).toMatchObject({ args, code: 0, error: NOTE });
    }
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 4 });
  });

  it("handles a new folder, an edit and a removal, with one line each [H3.dev] [H9.dev]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--allow-read=."]);
    await dev.waitFor("Press Ctrl-C");
    await project.run(["init", "second"]);
    await dev.waitFor("loaded   second 0.1.0  second_peek\n");
    expect(await project.run(["call", "second_peek", "path=README.md"])).toMatchObject({ code: 0 });
    await project.write("plugins/demo/main.ts", GOOD);
    await dev.waitFor("reloaded demo 0.1.0  demo_peek\n");
    expect((await project.run(["call", "demo_peek", "path=README.md"])).out).toContain("/README.md");
    await rm(join(project.folder, "plugins/second"), { recursive: true });
    await dev.waitFor("removed  second\n");
    expect(await project.run(["call", "second_peek", "path=README.md"])).toMatchObject({ code: 3 });
  });

  it("keeps serving the last good version of a broken plugin, shows the error's source line, and loads the repaired one [H5.dev]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--allow-read=."]);
    await dev.waitFor("Press Ctrl-C");
    await project.write("plugins/demo/main.ts", `${GOOD}const = 2;\n`);
    await dev.waitFor("error plugins/demo/main.ts:2:7 ");
    expect(dev.printed()).toContain("failed   demo  (the last good version still serves)\n");
    expect(dev.printed()).toContain("  > 2 | const = 2;\n");
    expect((await project.run(["call", "demo_peek", "path=README.md"])).out).toContain("# Title");
    expect((await project.run(["list"])).out).toContain("the last good version serves");
    await project.write("plugins/demo/main.ts", GOOD);
    await dev.waitFor("reloaded demo");
    expect((await project.run(["call", "demo_peek", "path=README.md"])).out).toContain("/README.md");
  });

  it("asks for confirmation on the terminal of the caller [I2.confirm]", async () => {
    await using project = await projectWithDemo();
    await project.write("plugins/demo/manifest.json", manifestThatWrites());
    await project.write("plugins/demo/main.ts", "export const demo_peek = () => ({ first: [], total: 0 });\n");
    const dev = project.start(["dev"], { answers: [] });
    await dev.waitFor("Press Ctrl-C");
    expect(await project.run(["call", "demo_peek"], { answers: ["y"] })).toMatchObject({ code: 0 });
    expect(await project.run(["call", "demo_peek"], { answers: ["n"] })).toMatchObject({ code: 4 });
    await dev.waitFor("failed   demo.demo_peek  user_denied ");
  });

  it("asks on its own terminal about calls that wait, and runs the call after a yes [E5.dev]", async () => {
    await using project = await projectWithDemo();
    await project.write("plugins/demo/manifest.json", manifestThatWrites());
    await project.write("plugins/demo/main.ts", "export const demo_peek = () => ({ first: [], total: 0 });\n");
    const [yes, no] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const dev = project.start(["dev"], { answers: [yes.promise, no.promise] });
    await dev.waitFor("Press Ctrl-C");
    expect((await project.run(["call", "demo_peek"])).error).toContain("approval_required");
    // After this answer the host has noticed that the first caller is gone.
    await project.run(["approve"]);
    yes.resolve("y");
    await dev.waitFor("done     demo.demo_peek");
    expect((await project.run(["call", "demo_peek"])).error).toContain("approval_required");
    await project.run(["approve"]);
    no.resolve("no");
    await dev.waitFor("failed   demo.demo_peek  user_denied ");
    const shown = dev.printed();
    expect(shown).toMatch(/waiting {2}demo\.demo_peek \{\}\n\n\? Tool demo\.demo_peek of plugin demo wants to run\n/u);
    // The prompt is the confirmation, so no command for another terminal is shown.
    expect(shown).not.toContain("bascule approve");
  });

  it("stores exactly the permission that it showed after an answer always, and nothing after a yes [E5.dev-always]", async () => {
    await using project = await projectWithDemo();
    await project.write("notes/a.txt", "one");
    await project.write(
      "plugins/demo/main.ts",
      `export const demo_peek = async ({ path }: { path: string }) => {
  await Deno.permissions.request({ name: "read", path });
  return { first: [await Deno.readTextFile(path)], total: 1 };
};
`,
    );
    const manifest = JSON.parse(await readFile(join(project.folder, "plugins/demo/manifest.json"), "utf8")) as {
      readonly tools: readonly object[];
    };
    const tools = manifest.tools.map((tool) => ({ ...tool, requires: [] }));
    await project.write("plugins/demo/manifest.json", JSON.stringify({ ...manifest, tools }));
    const dev = project.start(["dev", "--no-tests"], { answers: ["y", "a"] });
    await dev.waitFor("Press Ctrl-C");
    // The caller's own terminal gives no answer.
    const call = async (): Promise<number> => (await project.run(["call", "demo_peek", "path=notes/a.txt"], { answers: [] })).code;
    expect(await call()).toBe(0);
    expect((await project.run(["grants", "--json"])).out).toContain('"grants": []');
    expect(await call()).toBe(0);
    await dev.waitFor("grants   of demo changed");
    expect(dev.printed()).toContain("  always     bascule grant demo --allow-read=notes/a.txt\n");
    const stored = JSON.parse((await project.run(["grants", "--json"])).out) as { readonly grants: readonly object[] };
    expect(stored.grants).toEqual([expect.objectContaining({ plugin: "demo", permissions: { read: [`${project.folder}/notes/a.txt`] } })]);
    expect(await call()).toBe(0);
  });

  it("shows one line for each call, with its arguments, outcome and time, and marks dry runs [I7.line]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev", "--no-tests", "--allow-read=."]);
    await dev.waitFor("Press Ctrl-C");
    await project.run(["call", "demo_peek", "path=README.md", "lines=1"]);
    await dev.waitFor("done     ");
    await project.run(["call", "demo_peek", "path=README.md", "--dry-run"]);
    await dev.waitFor("(dry run)");
    await project.run(["call", "demo_peek", "path=none.txt"]);
    await project.run(["call", "demo_peek", "lines=1"]);
    await dev.waitFor("refused  ");
    const lines = dev.printed().split("\n");
    const calls = lines.filter((line) => line.includes("demo.demo_peek")).map((line) => line.replace(/[\d.]+ m?s$/u, "(time)"));
    expect(calls.map((line) => line.slice("00:00:00 ".length))).toEqual([
      "done     demo.demo_peek path=README.md lines=1  (time)",
      "done     demo.demo_peek (dry run) path=README.md  (time)",
      expect.stringMatching(/^failed {3}demo\.demo_peek path=none\.txt {2}tool_failed NotFound: .* {2}\(time\)$/u),
      "refused  demo.demo_peek lines=1  1 wrong argument",
    ]);
    expect(lines.filter((line) => line.startsWith("{"))).toEqual([]);
  });

  it("shows progress below the other lines on a terminal, and as lines otherwise [I7.progress]", async () => {
    await using project = await projectWithDemo();
    await project.write(
      "plugins/demo/main.ts",
      `export const demo_peek = (_args: object, context: { progress(value: object): void }) => {
  context.progress({ progress: 1, total: 4, message: "first\\x1b[2J" });
  return { first: [], total: 0 };
};
`,
    );
    const bar = "█████░░░░░░░░░░░░░░░  25 %  first\\x1b[2J";
    for (const [options, shown, end] of [
      [{}, `progress demo.demo_peek ${bar}\n`, ""],
      [{ answers: [] }, `\r\x1b[Kdemo.demo_peek ${bar}`, "\r\x1b[K"],
    ] as const) {
      const dev = project.start(["dev", "--no-tests", "--allow-read=."], options);
      await dev.waitFor("Press Ctrl-C");
      await project.run(["call", "demo_peek", "path=README.md"]);
      await dev.waitFor("done     demo.demo_peek path=README.md");
      expect(dev.printed().split(shown)).toHaveLength(2);
      expect(dev.printed().split(shown)[1]).toMatch(new RegExp(`^${end.replace("[", "\\[")}[0-9:]{8} done`, "u"));
      dev.interrupt();
      await dev.ended;
    }
  });

  it("keeps a call without a terminal waiting until the user approves or denies it [E5.cli] [E6.cli]", async () => {
    await using project = await projectWithDemo();
    await project.write("plugins/demo/manifest.json", manifestThatWrites());
    await project.write("plugins/demo/main.ts", "export const demo_peek = () => ({ first: [], total: 0 });\n");
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    expect((await project.run(["approve"])).out).toBe("No call waits for confirmation\n");
    const asked = await project.run(["call", "demo_peek"]);
    expect(asked).toMatchObject({
      code: 4,
      error: expect.stringContaining("approval_required Tool 'demo.demo_peek' waits for confirmation\n"),
    });
    // The message must not tell the caller how to approve.
    expect(asked.error).not.toContain("bascule approve");
    const waiting = async (): Promise<string> => / {2}([0-9a-f-]{36})\n/u.exec((await project.run(["approve"])).out)?.[1] ?? "";
    const id = await waiting();
    await dev.waitFor(`bascule approve ${id}\n`);
    expect((await project.run(["approve"])).out).toContain(
      `1 call waits for confirmation\n\n? Tool demo.demo_peek of plugin demo wants to run\n`,
    );
    expect(await project.run(["approve", `${id}0`])).toMatchObject({ code: 3, error: expect.stringContaining(`Did you mean ${id}?`) });
    for (const args of [[id], [id, "--json"]]) {
      expect(await project.run(["approve", ...args])).toMatchObject({ code: 4 });
      expect(await waiting()).toBe(id);
    }
    expect(await project.run(["approve", id], { answers: ["n"] })).toMatchObject({ code: 4, out: expect.stringContaining("Not approved") });
    expect((await project.run(["approve", id], { answers: ["y"] })).out).toMatch(
      /^\n\? Tool demo\.demo_peek[^]*\napproved\n\{\n {2}"first": \[\],\n {2}"total": 0\n\}\n$/u,
    );
    await dev.waitFor("done     demo.demo_peek");
    expect(await project.run(["deny", id])).toMatchObject({ code: 3 });
    await project.run(["call", "demo_peek"]);
    const other = await waiting();
    expect((await project.run(["deny", other])).out).toContain("denied\n");
    await dev.waitFor("failed   demo.demo_peek  user_denied ");
  });

  it("shows the console output of plugins as inert text, without its own event log [B6.terminal] [I2.inert]", async () => {
    await using project = await projectWithDemo();
    await project.write(
      "plugins/demo/main.ts",
      'export const demo_peek = () => { console.log("hello\\x1b[2J"); return { first: [], total: 0 }; };\n',
    );
    const dev = project.start(["dev", "--allow-read=."]);
    await dev.waitFor("Press Ctrl-C");
    await project.run(["call", "demo_peek", "path=README.md"]);
    await dev.waitFor("info     demo.demo_peek hello\\x1b[2J\n");
    expect(dev.printed()).not.toContain("\x1b[2J");
    expect(dev.printed()).not.toContain("tool.called");
  });

  it("refuses to run twice in a project [I2.one]", async () => {
    await using project = await projectWithDemo();
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    expect(await project.run(["dev"])).toMatchObject({
      code: 5,
      error: expect.stringContaining("error A host is already running in this project\n"),
    });
    dev.interrupt();
    await dev.ended;
    expect(await readdir(join(project.folder, ".bascule"))).not.toContain("host.sock");
    expect(await project.run(["reload"])).toMatchObject({ code: 5, error: expect.stringContaining("no host is running in this project") });
  });

  it("waits for a running call after Ctrl-C [T5.dev]", async () => {
    await using project = await projectWithDemo();
    await project.write(
      "plugins/demo/main.ts",
      'export const demo_peek = async (_args, context) => { context.progress("begun"); await new Promise((done) => setTimeout(done, 300)); return { first: ["late"], total: 1 }; };\n',
    );
    await project.run(["grant", "demo", "--allow-read=."]);
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    const call = project.run(["call", "demo_peek", "path=README.md"]);
    await dev.waitFor("progress demo.demo_peek begun");
    dev.interrupt();
    expect(await call).toMatchObject({ code: 0, out: expect.stringContaining("late") });
    expect(await dev.ended).toMatchObject({ code: 0 });
  });
});

function manifestThatWrites(): string {
  const tool = { name: "demo_peek", description: "Writes", inputSchema: { type: "object" }, sideEffects: ["write"] };
  return JSON.stringify({ schemaVersion: "1.0", name: "demo", version: "0.1.0", description: "Writes", tools: [tool] });
}
