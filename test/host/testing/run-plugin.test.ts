import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { readManifest } from "../../../host/plugins/types/read-manifest.ts";
import { OWN_WORKSPACE, runPlugin } from "../../../host/testing/run-plugin.ts";
import { createSandbox, createSharedSandbox, type WorkerLauncher } from "../../../sandbox/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { createCliProject, type CliProject } from "../doors/cli/run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Is tested",
  permissions: { read: ["$workspace"] },
  tools: [
    {
      name: "size",
      description: "Counts characters",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      sideEffects: ["read"],
      requires: [{ capability: "read", arg: "path" }],
    },
  ],
};
const MAIN = `export const size = async ({ path }: { path: string }): Promise<number> => (await Deno.readTextFile(path)).length;`;

function demo(files: Readonly<Record<string, string>>, more: object = {}): Promise<CliProject> {
  const inside = { "manifest.json": JSON.stringify({ ...MANIFEST, ...more }), "main.ts": MAIN, ...files };
  return createCliProject(Object.fromEntries(Object.entries(inside).map(([path, text]) => [`plugins/demo/${path}`, text])));
}

/** Removes the durations. */
const text = (out: string): string => out.replace(/\([\d.]+m?s\)/g, "(time)");

describe("runPlugin()", () => {
  it("starts no worker of its own if it is given a sandbox, and leaves nothing loaded in it [I7.warm]", async () => {
    const platform = currentPlatform({ log: { level: "error" } });
    const cases = [{ name: "counts", tool: "size", args: { path: "a.txt" }, files: { "a.txt": "123" }, grants: { read: ["$workspace"] } }];
    await using project = await demo({
      "cases/size.json": JSON.stringify(cases.map((one) => ({ ...one, expect: { ok: true, output: 3 } }))),
      "main.test.ts": 'Deno.test("one", () => {});',
    });
    const directory = join(project.folder, "plugins/demo");
    const read = await readManifest(platform, directory);
    if (read?.ok !== true) throw new Error("The manifest is valid");
    const inner = createSandbox(platform.workers);
    const loaded: string[] = [];
    const shared = createSharedSandbox({
      ...inner,
      load: (source) => (loaded.push(source.digest), inner.load(source)),
      unload: (digest) => (loaded.splice(loaded.indexOf(digest), 1), inner.unload(digest)),
    });
    const workers: WorkerLauncher = {
      ...platform.workers,
      start: () => {
        throw new Error("A worker was started");
      },
    };
    const run = { platform: { ...platform, workers }, manifest: read.manifest, directory, grants: OWN_WORKSPACE };
    try {
      const outcomes = await runPlugin({ ...run, sandbox: shared });
      expect(outcomes.map(({ file, results }) => [file, results.map(({ status }) => status)])).toEqual([
        ["cases/size.json", ["ok"]],
        ["main.test.ts", ["ok"]],
      ]);
      expect(loaded).toEqual([]);
      const alone = await runPlugin(run);
      expect(alone.flatMap(({ results }) => results.map(({ status }) => status))).toEqual(["failed"]);
    } finally {
      await shared.close();
    }
  });
});

describe("bascule test", () => {
  it("refuses a case that grants itself permissions, unless a flag allows it or the case has answers [I7.self-grant]", async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, "secret.txt"), "12345");
    const options = { tool: "size", args: { path: join(outside, "secret.txt") }, expect: { ok: true } };
    const cases = [
      { ...options, name: "reads outside", grants: { read: [outside] } },
      { ...options, name: "reads all", grants: { read: true } },
      {
        ...options,
        name: "sends",
        args: { path: "a.txt" },
        files: { "a.txt": "1" },
        grants: { read: ["$workspace"], net: ["evil.example"] },
      },
      { ...options, name: "writes", grants: { write: [outside] } },
      { ...options, name: "starts", grants: { run: ["sh"] } },
      { ...options, name: "knows", grants: { env: ["HOME"] } },
      {
        ...options,
        name: "touches nothing",
        grants: { read: [outside] },
        answers: [{ operation: "fs.readFile", args: { path: join(outside, "secret.txt") }, text: "1" }],
        expect: { ok: true, output: 1 },
      },
    ];
    await using project = await demo(
      { "cases/size.json": JSON.stringify(cases) },
      { permissions: { read: true, write: true, net: true, run: ["sh"], env: true } },
    );
    const { out } = await project.run(["test"]);
    expect(out.match(/^size .*(?:ok|FAILED)/gmu)).toEqual([
      ...["reads outside", "reads all", "sends", "writes", "starts", "knows"].map((name) => `size ${name} ... FAILED`),
      "size touches nothing ... ok",
    ]);
    for (const item of [`read: ${outside}`, "net: evil.example", `write: ${outside}`, "run: sh", "env: HOME"])
      expect(out).toContain(`The case grants ${item}, which a plugin's own file cannot grant`);
    // Flags come from the user.
    const allowed = await project.run(["test", "--filter=reads outside", `--allow-read=${outside}`]);
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining("size reads outside ... ok")]);
  });

  it("runs each case in its own workspace with its own grants [I7.cases]", async () => {
    const cases = [
      {
        name: "reads",
        tool: "size",
        args: { path: "a.txt" },
        files: { "a.txt": "12345" },
        grants: { read: ["$workspace"] },
        expect: { ok: true, output: 5, files: { "a.txt": "12345", "b.txt": null } },
      },
      {
        name: "is refused",
        tool: "size",
        args: { path: "a.txt" },
        files: { "a.txt": "12345" },
        expect: { ok: false, error: { code: "fs_denied" } },
      },
      {
        name: "is wrong",
        tool: "size",
        args: { path: "a.txt" },
        files: { "a.txt": "1" },
        grants: { read: ["$workspace"] },
        expect: { ok: true, output: 2 },
      },
      {
        name: "misses a file",
        tool: "size",
        args: { path: "a.txt" },
        files: { "a.txt": "1" },
        grants: { read: ["$workspace"] },
        expect: { ok: true, files: { "b.txt": "b" } },
      },
    ];
    await using project = await demo({ "cases/size.json": JSON.stringify(cases) });
    const { code, out, error } = await project.run(["test"]);
    expect({ code, error, out: text(out) }).toEqual({
      code: 1,
      error: "",
      out: `running 4 tests from plugins/demo/cases/size.json
size reads ... ok (time)
size is refused ... ok (time)
size is wrong ... FAILED (time)
size misses a file ... FAILED (time)

ERRORS

size is wrong => plugins/demo/cases/size.json
error: Expected output 2, got output 1

size misses a file => plugins/demo/cases/size.json
error: Expected file "b.txt" to be "b", got null

FAILURES

size is wrong => plugins/demo/cases/size.json
size misses a file => plugins/demo/cases/size.json

FAILED | 2 passed | 2 failed (time)
`,
    });
  });

  it("runs test files in the sandbox with the grants of the run, and shows the author's positions [I7.test] [PB3.test] [H5.positions]", async () => {
    await using project = await demo({
      "size_test.ts": `import { size } from "./main.ts";
enum Kind { File = "a file" }
Deno.test("reads", async () => {
  console.log("seen", Kind.File);
  await size({ path: "a.txt" });
});
Deno.test("process", () => { (globalThis as unknown as { process: { exit(): void } }).process.exit(); });
`,
    });
    const denied = await project.run(["test", "demo", "--allow-write"]);
    expect({ code: denied.code, out: text(denied.out) }).toEqual({
      code: 1,
      out: `running 2 tests from plugins/demo/size_test.ts
------- output -------
seen a file
----- output end -----
reads ... FAILED (time)
process ... FAILED (time)

ERRORS

reads => plugins/demo/size_test.ts:3:10
error: NotCapable: Requires read access to "a.txt", grant it with: bascule grant demo --allow-read='$workspace/a.txt'
    at size (main.ts:1:100)
    at <anonymous> (size_test.ts:5:13)

process => plugins/demo/size_test.ts:7:10
error: TypeError: cannot read property 'exit' of undefined
    at <anonymous> (size_test.ts:7:94)

FAILURES

reads => plugins/demo/size_test.ts:3:10
process => plugins/demo/size_test.ts:7:10

FAILED | 0 passed | 2 failed (time)
`,
    });
    const allowed = await project.run(["test", "demo", "--allow-read", "--filter", "reads"]);
    expect(text(allowed.out)).toContain("error: NotFound: No such file or directory (os error 2): readfile 'a.txt'");
  });

  it("fails a test that leaves an operation unfinished, with the sanitizer [I7.sanitizers]", async () => {
    await using project = await demo({ "leak_test.ts": `Deno.test("leaks", () => { void Deno.stat(".").catch(() => {}); });` });
    expect((await project.run(["test", "--allow-read"])).code).toBe(0);
    const { code, out } = await project.run(["test", "--allow-read", "--sanitize-ops"]);
    expect({ code, told: out.includes('An async operation ("fs.stat") was started in this test, but never completed') }).toEqual({
      code: 1,
      told: true,
    });
  });

  it("continues in another call after a test that exceeds a limit [I7.limits] [B3]", { timeout: 60_000 }, async () => {
    await using project = await demo({
      "limits_test.ts": `let runs = 0;
Deno.test.beforeEach(() => { runs += 1; });
Deno.test("before", () => {});
Deno.test("timers", () => { for (;;) setTimeout(() => {}, 1_000); });
Deno.test("after", () => { if (runs !== 1) throw new Error("not afresh: " + runs); });`,
    });
    const { out } = await project.run(["test"]);
    expect(text(out)).toContain("before ... ok (time)\ntimers ... FAILED (time)\nafter ... ok (time)\n");
    expect(out).toContain("error: resource_exhausted: ");
  });

  it("prints one document with --json, selects tests with --filter, and leaves no files behind [I7.json]", async () => {
    await using project = await demo({
      "a_test.ts": `Deno.test("one", async (t) => { await t.step("s", () => {}); });\nDeno.test("two", () => {});`,
    });
    const { code, out } = await project.run(["test", "--json", "--filter", "/^o.e$/"]);
    const ms = expect.any(Number) as number;
    expect({ code, document: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      document: {
        ...{ ok: true, passed: 1, failed: 0, ignored: 0, filtered: 1, passedSteps: 1, failedSteps: 0, ignoredSteps: 0, ms },
        files: [
          {
            ...{ plugin: "demo", file: "a_test.ts", kind: "tests", filtered: 1, usedOnly: false },
            results: [
              {
                name: "one",
                status: "ok",
                ms,
                place: "a_test.ts:1:10",
                steps: [{ name: "s", status: "ok", ms, place: "a_test.ts:1:45", steps: [] }],
              },
            ],
          },
        ],
      },
    });
    expect((await readdir(join(project.folder, "plugins/demo"))).toSorted()).toEqual(["a_test.ts", "main.ts", "manifest.json"]);
  });

  it.each([
    ["an invalid file of cases", { "cases/x.json": "{" }, "error: The file is not a list of cases"],
    [
      "a case with a path outside of the workspace",
      { "cases/x.json": `[{"name":"n","tool":"size","files":{"../x":""},"expect":{"ok":true}}]` },
      'error: Case 1: "files" must hold text by relative path',
    ],
    [
      "an unknown field of a case",
      { "cases/x.json": `[{"name":"n","tool":"size","grant":{},"expect":{"ok":true}}]` },
      'error: Case 1: Unknown field "grant"',
    ],
    ["a test file that does not parse", { "x_test.ts": "const a: = 1;" }, "(x_test.ts:1:10)"],
    ["a test file that throws", { "x_test.ts": "\nthrow new Error('top');" }, "error: top\n    at <anonymous> (x_test.ts:2:"],
  ])("reports %s [I7.wrong]", async (_what, files, told) => {
    await using project = await demo(files);
    const { code, out } = await project.run(["test"]);
    expect(code).toBe(1);
    expect(out).toContain(told);
  });

  it("refuses an invalid filter, and an unknown plugin [I2]", async () => {
    await using project = await demo({});
    expect(await project.run(["test", "--filter", "/(/"])).toMatchObject({ code: 2 });
    expect(await project.run(["test", "unknown"])).toMatchObject({ code: 3 });
  });
});
