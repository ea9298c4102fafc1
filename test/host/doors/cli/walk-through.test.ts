import { mkdir, readdir, readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const README = "# Title\n\nsome text\n";

describe("bascule init", () => {
  it("creates a plugin that passes check, adds .bascule to .gitignore, and shows next steps [I7.init] [C3.gitignore]", async () => {
    await using project = await createCliProject({ "README.md": README, ".gitignore": "node_modules" });
    const init = await project.run(["init", "demo"]);
    expect(init).toMatchObject({ code: 0, error: "" });
    expect(init.out).toContain("bascule call demo_peek path=README.md");
    expect((await readdir(join(project.folder, "plugins/demo"))).sort()).toEqual([
      "README.md",
      "bascule-globals.d.ts",
      "bascule.d.ts",
      "cases",
      "main.test.ts",
      "main.ts",
      "manifest.json",
      "tsconfig.json",
    ]);
    expect(await project.run(["types", "--check"])).toMatchObject({ code: 0, error: "" });
    expect(await readFile(join(project.folder, ".gitignore"), "utf8")).toBe("node_modules\n.bascule/\n");
    expect(await project.run(["check"])).toMatchObject({ code: 0, out: "good demo  plugins/demo\n\n1 plugin good, 0 bad\n" });
    expect(await project.run(["check", "demo"])).toMatchObject({ code: 0, out: expect.stringContaining("1 plugin good, 0 bad") });
    expect(await project.run(["test", "demo"])).toMatchObject({ code: 0, out: expect.stringContaining("ok | 4 passed | 0 failed") });
    expect(await project.run(["check", "dmo"])).toMatchObject({
      code: 3,
      error: 'error Unknown plugin "dmo"\n  Did you mean demo?\n',
    });
  });

  it("does not overwrite a folder, and accepts only valid names [I7.init]", async () => {
    await using project = await createCliProject({ "plugins/demo/mine.txt": "mine" });
    expect(await project.run(["init", "demo"])).toMatchObject({
      code: 1,
      error: 'error "plugins/demo" already exists\n  Choose another name, or remove it first\n',
    });
    expect(await project.run(["init", "../evil"])).toMatchObject({ code: 2 });
    expect(await project.run(["init", "My Plugin"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("Example: bascule init my-plugin\n"),
    });
    expect(await readdir(join(project.folder, "plugins"))).toEqual(["demo"]);
  });

  it("lists the created files with --json [I2.json]", async () => {
    await using project = await createCliProject();
    const { out } = await project.run(["init", "my-demo", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      plugin: "my-demo",
      tool: "my_demo_peek",
      files: [
        "manifest.json",
        "main.ts",
        "bascule.d.ts",
        "bascule-globals.d.ts",
        "tsconfig.json",
        "main.test.ts",
        "cases/peek.json",
        "README.md",
      ],
    });
  });
});

describe("a plugin's first calls", () => {
  it("are refused with the exact grant command, and succeed after it [I2.call] [X3.command] [C3.grant] [I2.exit-codes]", async () => {
    await using project = await createCliProject({ "README.md": README });
    await project.run(["init", "demo"]);

    const listed = await project.run(["list"]);
    expect(listed.out).toContain(
      "needs a grant to read files  read: Reads the file that you name\n    bascule grant demo --allow-read=.\n",
    );

    const refused = await project.run(["call", "demo_peek", "path=README.md"]);
    expect(refused).toEqual({
      code: 4,
      out: "",
      error: 'fs_denied Requires read access to "README.md"\n  To allow it  bascule grant demo --allow-read=README.md\n',
    });

    expect(await project.run(["grant", "demo", "--allow-read=README.md"])).toEqual({
      code: 0,
      out: "Granted: demo may read README.md\n",
      error: "",
    });
    const answered = await project.run(["call", "demo_peek", "path=README.md", "lines=1"]);
    expect({ ...answered, out: JSON.parse(answered.out) as unknown }).toEqual({
      code: 0,
      error: "",
      out: { first: ["# Title"], total: 3 },
    });

    expect((await project.run(["list"])).out).not.toContain("needs a grant");
    expect(await project.run(["grants"])).toMatchObject({ code: 0, out: "demo  may read README.md\n" });
    expect(await project.run(["revoke", "demo"])).toMatchObject({ code: 0, out: "Revoked: demo may now do nothing that needs a grant\n" });
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 4 });
  });

  it("accept arguments as words, JSON, a file or stdin, and set the exit code by the outcome [I2.arguments] [I2.exit-codes]", async () => {
    await using project = await createCliProject({ "README.md": README, "args.json": '{"path": "README.md", "lines": 1}' });
    await project.run(["init", "demo"]);
    await project.run(["grant", "demo", "--allow-read=."]);
    const answer = { code: 0, error: "", out: expect.stringContaining('"# Title"') };
    expect(await project.run(["call", "demo_peek", '{"path":"README.md"}'])).toEqual(answer);
    expect(await project.run(["call", "demo.demo_peek", "--args", "args.json"])).toEqual(answer);
    expect(await project.run(["call", "demo_peek", "-"], { input: '{"path":"README.md"}' })).toEqual(answer);

    expect(await project.run(["call", "demo_peek", "-"], { input: '{"path":' })).toMatchObject({
      code: 2,
      error: "invalid_args Invalid JSON: unexpected token at position 8\n  bascule info demo.demo_peek shows its arguments\n",
    });
    expect(await project.run(["call", "demo_peek", "lines=1"])).toMatchObject({
      code: 2,
      error: "invalid_args Invalid arguments at /path: Is missing\n  bascule info demo.demo_peek shows its arguments\n",
    });
    expect(await project.run(["call", "demo_pek"])).toMatchObject({ code: 3, error: expect.stringContaining("Did you mean demo_peek?") });
    expect(await project.run(["call", "demo_peek", "path=missing.md"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("NotFound"),
    });
    const document = JSON.parse((await project.run(["call", "demo_peek", "path=../x", "--json"])).out) as unknown;
    expect(document).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("apply one-run permissions to that run only [C3.one-run]", async () => {
    await using project = await createCliProject({ "README.md": README });
    await project.run(["init", "demo"]);
    expect(await project.run(["call", "demo_peek", "path=README.md", "--allow-read=."])).toMatchObject({ code: 0 });
    expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 4 });
    await project.run(["grant", "demo", "--allow-read=."]);
    expect(await project.run(["call", "demo_peek", "path=README.md", "--deny-read=README.md", "--allow-read=README.md"])).toMatchObject({
      code: 4,
    });
  });

  it("show the tool's result as inert text [I2.inert]", async () => {
    await using project = await createCliProject({ "evil.txt": "\x1b]0;owned\x07\u202e\n" });
    await project.run(["init", "demo"]);
    const { out } = await project.run(["call", "demo_peek", "path=evil.txt", "--allow-read"]);
    expect(out).toContain("\\u001b]0;owned");
    expect(out).not.toMatch(/[\x1b\x07\u202e]/u);
  });
});

describe("a call that writes", () => {
  const PLUGIN = {
    "plugins/pen/manifest.json": JSON.stringify({
      schemaVersion: "1.0",
      name: "pen",
      version: "1.0.0",
      description: "Writes",
      permissions: { write: ["$workspace"] },
      tools: [
        {
          name: "pen_write",
          description: "Writes a file",
          inputSchema: { type: "object", properties: { text: { type: "string" } } },
          sideEffects: ["write"],
        },
      ],
    }),
    "plugins/pen/main.ts": 'export const pen_write = async (args) => { await Deno.writeTextFile("out.txt", args.text); };\n',
  };

  it("asks y/N with tool, class and inert arguments, and runs only after y [E1.terminal] [E5.terminal]", async () => {
    await using project = await createCliProject(PLUGIN);
    await project.run(["grant", "pen", "--allow-write=."]);
    const no = await project.run(["call", "pen_write", "text=a\x1b[2J"], { answers: ["n"] });
    expect(no.code).toBe(4);
    expect(no.error).toContain(
      '? Tool pen.pen_write of plugin pen wants to run\n  class      write\n  arguments  {\n               "text": "a\\u001b[2J"\n             }\n' +
        "  It will make exactly these changes:\n  created   out.txt  5 bytes\n    @@ -0,0 +1,1 @@\n    +a\\x1b[2J\n" +
        "    \\ No newline at end of file\nAllow it? [y/N] ",
    );
    expect(no.error).toContain("user_denied User denied this operation.");
    expect((await project.run(["call", "pen_write", "text=b"], { answers: [""] })).code).toBe(4);
    expect((await project.run(["call", "pen_write", "text=c"], { answers: ["y"] })).code).toBe(0);
    expect(await readFile(join(project.folder, "out.txt"), "utf8")).toBe("c");
  });

  it("is refused without a terminal, with the setting that allows it [E1.no-terminal]", async () => {
    await using project = await createCliProject(PLUGIN);
    await project.run(["grant", "pen", "--allow-write=."]);
    const refused = await project.run(["call", "pen_write", "text=a"]);
    expect(refused).toMatchObject({
      code: 4,
      error: expect.stringContaining('Set {"confirmation":{"perTool":{"pen.pen_write":"auto"}}} in bascule.json'),
    });
    await project.write("bascule.json", '{"confirmation":{"perTool":{"pen.pen_write":"auto"}}}');
    expect(await project.run(["call", "pen_write", "text=d"])).toMatchObject({ code: 0 });
  });
});

describe("names and problems", () => {
  it("include the alias of a built-in tool, whose arguments are parsed like those of its name [G2.alias] [I2.arguments]", async () => {
    await using project = await createCliProject();
    for (const name of ["echo", "Echo"]) {
      expect(await project.run(["call", name, "text=1"])).toMatchObject({ code: 0, out: '{\n  "text": "1"\n}\n' });
    }
    expect(await project.run(["info", "Echo"])).toMatchObject({ code: 0 });
  });

  it("in code are shown by list and check with file, line, column and source [H5.frame] [I7.check]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    await project.write("plugins/demo/main.ts", "export function demo_peek() {\n  return = 1;\n}\n");
    const frame = [
      "error plugins/demo/main.ts:2:10 Expression expected",
      "    1 | export function demo_peek() {",
      "  > 2 |   return = 1;",
      "      |          ^",
      "    3 | }",
    ];
    const indented = frame.map((line) => `  ${line}\n`).join("");
    expect((await project.run(["list"])).out).toContain(`demo 0.1.0  failed  Shows the beginning of text files\n`);
    expect((await project.run(["list"])).out).toContain(indented);
    const check = await project.run(["check", "plugins/demo"]);
    expect(check).toMatchObject({ code: 1, error: "" });
    expect(check.out).toContain(`bad  demo  plugins/demo\n${indented}`);
    expect(await project.run(["call", "demo_peek", "path=x"])).toMatchObject({ code: 5, error: expect.stringContaining("main.ts") });
  });

  it("such as a missing export are shown by check [I7.check]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    await project.write("plugins/demo/main.ts", "export function peek() {}\n");
    const check = await project.run(["check"]);
    expect(check).toMatchObject({ code: 1, out: expect.stringContaining('"demo_peek"') });
  });

  it("in a manifest are shown all at once with positions and fixes [M4.check] [I7.check]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    const manifest = await readFile(join(project.folder, "plugins/demo/manifest.json"), "utf8");
    await project.write(
      "plugins/demo/manifest.json",
      manifest.replace('"version": "0.1.0"', '"version": 1').replace('"description": "Shows', '"descripton": "Shows'),
    );
    const { code, out } = await project.run(["check"]);
    expect(code).toBe(1);
    expect(out).toContain("error plugins/demo/manifest.json:4:14 /version ");
    expect(out).toContain('  > 4 |   "version": 1,\n');
    expect(out).toContain('fix did you mean "description"?');
  });

  it("in a manifest's format are fixed by check --fix [M9.fix] [I7.check]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    const path = join(project.folder, "plugins/demo/manifest.json");
    await project.write("plugins/demo/manifest.json", JSON.stringify(JSON.parse(await readFile(path, "utf8"))));
    expect(await project.run(["check", "--fix"])).toMatchObject({ code: 0, out: expect.stringContaining("(manifest rewritten)") });
    const fixed = await readFile(path, "utf8");
    expect(fixed).toMatch(/^\{\n {2}"/u);
    expect(await project.run(["check", "--fix"])).toMatchObject({ code: 0, out: expect.not.stringContaining("(manifest rewritten)") });
    expect(await readFile(path, "utf8")).toBe(fixed);
  });

  it("in the grants file are reported, disable all grants, and leave the file unchanged [C3.broken]", async () => {
    await using project = await createCliProject({ ".bascule/grants.json": '{"version": 1' });
    await project.run(["init", "demo"]);
    expect(await project.run(["grants"])).toMatchObject({
      code: 1,
      error: expect.stringContaining('error Cannot read ".bascule/grants.json", so nothing is granted\n'),
    });
    expect(await project.run(["list"])).toMatchObject({
      code: 0,
      error: expect.stringContaining("error .bascule/grants.json cannot be read, so nothing is granted\n"),
    });
    expect(await project.run(["grant", "demo", "--allow-read=."])).toMatchObject({ code: 1 });
    expect(await readFile(join(project.folder, ".bascule/grants.json"), "utf8")).toBe('{"version": 1');
  });

  it("in bascule.json are shown with positions [P1.problems]", async () => {
    await using project = await createCliProject({ "bascule.json": '{\n  "plugins": 7,\n  "polcy": {}\n}\n' });
    const { code, error } = await project.run(["list"]);
    expect(code).toBe(1);
    expect(error).toContain("/plugins (line 2, column ");
    expect(error).toContain('did you mean "policy"?');
  });

  it("in names are answered with the nearest name [I2.nearest] [I2.exit-codes]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    expect(await project.run(["info", "dmeo"])).toMatchObject({
      code: 3,
      error: 'error Unknown plugin or tool "dmeo"\n  Did you mean "demo"?\n',
    });
    expect(await project.run(["why", "xyzzy"])).toMatchObject({
      code: 3,
      error: 'error Unknown plugin or tool "xyzzy"\n  bascule list --all shows all plugins and tools\n',
    });
    expect(await project.run(["grant", "demo_peek", "--allow-read"])).toMatchObject({
      code: 3,
      error: expect.stringContaining('"demo_peek" is a tool of plugin "demo"'),
    });
    expect(await project.run(["grant", "demo"])).toMatchObject({
      code: 2,
      error: `error Missing permission flags for plugin "demo"\n  To grant what it requests: bascule grant demo --allow-read=.\n`,
    });
    expect(await project.run(["revoke", "demo"])).toMatchObject({ code: 3 });
  });
});

describe("bascule list --all", () => {
  it("shows why a folder is ignored, and the built-in tools [M1.list]", async () => {
    await using project = await createCliProject({ "plugins/notes.txt": "x", "plugins/empty/readme.md": "x" });
    const few = await project.run(["list"]);
    expect(few.out).not.toContain("empty");
    const all = await project.run(["list", "--all"]);
    expect(all.out).toMatch(/^empty {2}ignored\n {2}warning plugins\/empty No manifest\.json/mu);
    expect(all.out).toContain("built-in  Tools that come with bascule\n");
  });

  it("creates nothing in a folder without plugins [I2.list]", async () => {
    await using project = await createCliProject();
    expect(await project.run(["list"])).toMatchObject({ code: 0, out: "No plugins found. bascule init starts with two\n" });
    expect(await readdir(project.folder)).toEqual([]);
    // A folder of a project without bascule.json.
    await mkdir(join(project.folder, ".bascule"), { recursive: true });
    await mkdir(join(project.folder, "sub/deep"), { recursive: true });
    const inside = await project.run(["list"], { cwd: "sub/deep" });
    expect(inside.out).toContain(`To use the plugins of ${await realpath(project.folder)} from here, create a bascule.json there`);
  });
});

describe("bascule why", () => {
  it("shows the verdict of each layer, the deciding one, and the grant that helps [P6.act]", async () => {
    await using project = await createCliProject({ "README.md": README });
    await project.run(["init", "demo"]);
    const before = await project.run(["why", "demo_peek", "read=README.md"]);
    expect(before.out).toMatch(/^demo\.demo_peek read README\.md {2}not yet: not granted\n/u);
    expect(before.out).toMatch(/^ {2}manifest +granted {2}\$workspace$/mu);
    expect(before.out).toMatch(/^ {2}user grant +prompt {2}← decides$/mu);
    expect(before.out).toContain("  To allow it  bascule grant demo --allow-read=README.md\n");

    await project.run(["grant", "demo", "--allow-read=.", "--deny-read=secret"]);
    expect((await project.run(["why", "demo", "read=README.md"])).out).toContain("  yes\n");
    const denied = await project.run(["why", "demo", "read=secret/key", "--json"]);
    expect(JSON.parse(denied.out)).toMatchObject({ ok: true, tools: [{ tool: "demo.demo_peek", act: { state: "denied", kind: "read" } }] });
    expect((await project.run(["why", "demo", "write=x"])).out).toContain("  no\n");
  });

  it("explains whether a tool can be called [P6.tool]", async () => {
    await using project = await createCliProject({ "bascule.json": '{"policy":{"rules":[{"tool":"demo_peek","allow":false}]}}' });
    await project.run(["init", "demo"]);
    const { out } = await project.run(["why", "demo_peek"]);
    expect(out).toMatch(/^demo\.demo_peek {2}denied\n {2}decided by +rule: .*demo_peek/u);
    expect(await project.run(["call", "demo_peek", "path=x"])).toMatchObject({
      code: 4,
      error: "permission_denied Permission denied: tool 'demo_peek' is disabled by policy\n",
    });
  });

  it("reports that a tool is hidden from a role, regardless of its permissions [P6.hidden] [R4]", async () => {
    await using project = await createCliProject({
      "plugins/ops/manifest.json": JSON.stringify({
        schemaVersion: "1.0",
        name: "ops",
        version: "1.0.0",
        description: "Is for admins",
        permissions: { read: ["$workspace"] },
        tools: [
          { name: "wipe", description: "Wipes", inputSchema: { type: "object" }, sideEffects: ["read"], visibility: { roles: ["admin"] } },
        ],
      }),
      "plugins/ops/main.ts": "export const wipe = () => 1;",
      "bascule.json": JSON.stringify({ roles: { admin: {}, guest: {} } }),
    });
    const hidden = `visibility: hidden from the role "guest", or one that delegated to it by its "visibility": a call answers tool_not_found`;
    const why = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await project.run(["why", ...args])).out.split("\n").slice(0, 2);
    expect(await why("wipe", "--role", "guest")).toEqual(["ops.wipe  denied", `  decided by    ${hidden}`]);
    expect((await project.run(["call", "wipe", "--role", "guest"])).code).toBe(3);
    expect((await why("wipe", "--role", "admin"))[0]).toBe("ops.wipe  allowed");
    expect((await why("wipe"))[1]).toContain('hidden from a session without a role by its "visibility": a call answers tool_not_found');
    await project.run(["grant", "ops", "--allow-read=."]);
    expect(await why("wipe", "read=x", "--role", "guest")).toEqual(["ops.wipe read x  yes", `  cannot be called (denied): ${hidden}`]);
  });

  it("explains a request by its method, and names the granted methods [P6.method] [C6.method]", async () => {
    const net = [{ host: "api.test", methods: ["GET", "HEAD"], paths: ["/v1"] }];
    await using project = await createCliProject({
      "plugins/api/manifest.json": JSON.stringify({
        schemaVersion: "1.0",
        name: "api",
        version: "1.0.0",
        description: "Asks",
        permissions: { net: [{ host: "api.test", methods: ["GET", "HEAD"] }] },
        tools: [{ name: "ask", description: "Asks", inputSchema: { type: "object" }, sideEffects: ["network"] }],
      }),
      "plugins/api/main.ts": "export const ask = () => 1;",
      "bascule.json": JSON.stringify({ policy: { rules: [{ plugin: "api", grants: { net } }] } }),
    });
    const why = async (act: string): Promise<readonly string[]> => (await project.run(["why", "ask", act])).out.split("\n").slice(0, 2);
    expect((await why("net=GET https://api.test/v1/x"))[0]).toBe("api.ask net GET api.test:443  yes");
    expect((await why("net=get https://api.test/v2"))[0]).not.toContain("yes");
    expect((await why("net=POST https://api.test/v1"))[0]).toBe("api.ask net POST api.test:443  no");
    expect(await why("net=https://api.test/v1")).toEqual([
      "api.ask net api.test:443  no",
      '  yes for GET, HEAD; to check one request, give its method: net="GET api.test:443"',
    ]);
  });

  it("applies --role and task flags, as call does [P5.cli] [P6.layers]", async () => {
    const config = { roles: { guest: { forbiddenTools: ["demo_peek"] } } };
    await using project = await createCliProject({ "README.md": README, "bascule.json": JSON.stringify(config) });
    await project.run(["init", "demo"]);
    expect((await project.run(["why", "demo_peek"])).out).not.toContain("layer");
    const { out } = await project.run(["why", "demo_peek", "--role", "guest", "--read-only"]);
    expect(out).toMatch(/^demo\.demo_peek {2}denied\n {2}decided by +role guest: forbiddenTools demo_peek\n/u);
    expect(out).toMatch(/^ {2}role layer +role guest: denied \(forbiddenTools demo_peek\)\n {2}task layer +readOnly: passes/mu);
    const call = ["call", "demo_peek", "path=README.md", "--allow-read=."];
    expect(await project.run([...call, "--role", "guest"])).toMatchObject({ code: 4 });
    expect(await project.run([...call, "--role", "other"])).toMatchObject({ code: 0 });
    expect(await project.run(["call", "write_file", "path=x", "content=y", "--read-only"])).toMatchObject({ code: 4 });
    expect(await project.run(["call", "write_file", "path=x", "content=y", "--no-web", "--json"])).toMatchObject({
      out: expect.stringContaining("user_denied"),
    });
  });

  it("refuses an unknown act with the nearest one [I2.nearest]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    expect(await project.run(["why", "demo", "raed=x"])).toMatchObject({
      code: 2,
      error: 'error Unknown act "raed"\n  Did you mean read?\n',
    });
  });
});

describe("bascule audit", () => {
  it("shows, verifies and exports the journal, and detects changes in it [AU3.cli] [I2.audit]", async () => {
    await using project = await createCliProject({ "README.md": README });
    expect(await project.run(["audit", "tail"])).toMatchObject({ code: 0, out: "Nothing has been recorded yet\n" });
    await project.run(["init", "demo"]);
    await project.run(["call", "demo_peek", "path=README.md"]);
    // A control character and a bidi override: U+009B, U+202E.
    await project.run(["call", "demo_peek", "path=\u009b2J\u202etxt"]);
    await project.run(["call", "demo_peek", "path=README.md", "--allow-read=."]);
    const shown = (await project.run(["audit", "export"])).out;
    expect(shown).toContain("\\u009b2J\\u202etxt");
    expect(shown).not.toMatch(/[\u009b\u202e]/u);
    const tail = await project.run(["audit", "tail"]);
    expect(tail.out).toMatch(/ tool\.denied +demo\.demo_peek {2}fs_denied/u);
    expect(tail.out).toMatch(/ capability\.used +demo {2}read {2}.*README\.md {2}granted$/mu);
    expect((await project.run(["audit", "search", "--type=tool.completed", "--since=1h"])).out.split("\n")).toHaveLength(2);
    expect((await project.run(["audit", "search", "nothing like it"])).out).toBe("No matching events\n");
    const verified = await project.run(["audit", "verify"]);
    expect(verified.out).toMatch(
      /^good (\d+) records, unchanged\ncheckpoint: record \1, \S+, key [0-9a-f]{88}\nhead [0-9a-f]{64} \(record \1\)\n$/u,
    );
    const [, seal = ""] = /head ([0-9a-f]{64})/u.exec(verified.out) ?? [];
    expect(await project.run(["audit", "verify", "--head", seal])).toMatchObject({ code: 0 });
    expect(
      (await project.run(["audit", "export"])).out
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
    ).toContainEqual(expect.objectContaining({ number: 1, event: expect.objectContaining({ type: "session.opened" }) }));
    const { events } = JSON.parse((await project.run(["audit", "tail", "--json"])).out) as { events: { event: { sessionId: string } }[] };
    expect((await project.run(["audit", "session", events.at(-1)?.event.sessionId ?? ""])).out).toContain("demo.demo_peek  completed");

    await rm(join(project.folder, ".bascule/audit"), { recursive: true });
    await project.run(["call", "demo_peek", "path=README.md"]);
    expect(await project.run(["audit", "verify", "--head", seal])).toMatchObject({
      code: 1,
      error: expect.stringContaining("The journal was changed after it was written\n  no row has the expected seal"),
    });
    // Without --head, the checkpoints detect it.
    expect(await project.run(["audit", "verify"])).toMatchObject({ code: 1, error: expect.stringContaining("the checkpoint of ") });
    expect(await project.run(["audit", "verify", "--accept"])).toMatchObject({ code: 0 });
    expect(await project.run(["audit", "verify"])).toMatchObject({ code: 0, out: expect.stringContaining(", with these problems:\n  ") });
    expect(await project.run(["audit", "tial"])).toMatchObject({ code: 2, error: expect.stringContaining("Did you mean audit tail?") });
  });
});

describe("a removed plugin", () => {
  it("stays in the list of grants, marked as unused [C3.unused]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    await project.run(["grant", "demo", "--allow-read=."]);
    await rm(join(project.folder, "plugins/demo"), { recursive: true });
    expect((await project.run(["grants"])).out).toBe("demo  may read .  (unused: plugin not found in plugins/demo)\n");
  });
});
