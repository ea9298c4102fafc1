import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { bundleOf, manifestOf } from "../../../support/bundles.ts";
import { ADD, named } from "../../../support/mcp-project.ts";
import { createCliProject } from "./run-cli.ts";

const PROGRAM = new URL("../../../support/scripted-mcp-server.mjs", import.meta.url).pathname;
const ARGUMENTS = "Deno" in globalThis ? ["run", "-A", "--quiet"] : [];

describe("bascule mcp-servers", () => {
  it("shows offered and changed tools, and accepts exactly what it showed [K3.command] [K3.diff]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({ "script.json": JSON.stringify({ tools: [ADD] }) });
    const server = {
      command: process.execPath,
      args: [...ARGUMENTS, PROGRAM, `${project.folder}/script.json`],
      toolSideEffects: { add: [] },
    };
    await project.write("bascule.json", JSON.stringify({ mcpServers: { demo: server } }));
    const env = { PATH: process.env["PATH"] ?? "" };
    expect((await project.run(["mcp-servers"], { env })).out).toBe("demo  connected  1 tool\n  mcp__demo.add  offered\n");
    await project.write("script.json", JSON.stringify({ tools: [{ ...ADD, description: "Adds\u0020more" }, named("new")] }));
    const changed = (await project.run(["mcp-servers"], { env })).out;
    expect(changed).toContain("mcp__demo.add  its description changed since it was accepted");
    expect((await project.run(["mcp-servers", "accept", "dem"], { env })).error).toContain("Did you mean demo?");
    const shown = (await project.run(["mcp-servers", "accept", "demo"], { env, answers: ["n"] })).out;
    expect(shown).toMatch(
      /^demo \([0-9a-f]{12}\) changed its tools:\n {2}~ tool new can do more: none → execute\n {2}\+ tool new \(execute\): "Does new"\n {2}~ description of tool add: "Adds two numbers" → "Adds more"\nNot accepted\n$/,
    );
    const digest = /\(([0-9a-f]{12})\)/.exec(shown)?.[1] ?? "";
    const flag = (hex: string): readonly string[] => ["mcp-servers", "accept", "demo", `--digest=${hex}`];
    expect((await project.run(flag("0123456789ab"), { env })).error).toContain("The waiting digest is ");
    expect((await project.run(["mcp-servers", "accept", "demo"], { env })).error).toContain(
      "Needs confirmation, and no terminal is attached to ask on",
    );
    expect((await project.run(flag(digest), { env })).out).toContain("Accepted: add, new\n");
    expect((await project.run(["call", "mcp__demo.add", "a=1", "b=2"], { env })).out).toBe("3\n");
    const info = await project.run(["info", "mcp__demo.add"], { env });
    expect({ code: info.code, example: info.out.split("\n").at(-2) }).toEqual({ code: 0, example: "  bascule call mcp__demo.add a=1 b=1" });
    expect((await project.run(["why", "mcp__demo.add"], { env })).code).toBe(0);
  });
});

describe("bascule call and info of a server's tool", () => {
  // The first example of docs/mcp-servers.md, with a local server.
  it("reach a tool with the name of a built-in, and start no other server [M5.mcp] [K3.one-server]", { timeout: 60_000 }, async () => {
    const schema = { type: "object", properties: { path: { type: "string", pattern: "md$" } }, required: ["path"] };
    const script = {
      tools: [named("read_file", { inputSchema: schema })],
      answers: { read_file: { content: [{ type: "text", text: "the server's" }] } },
    };
    await using project = await createCliProject({ "script.json": JSON.stringify(script), "README.md": "the project's" });
    const args = [...ARGUMENTS, PROGRAM, `${project.folder}/script.json`];
    const mcpServers = {
      files: { command: process.execPath, args, toolSideEffects: { read_file: ["read"] } },
      other: { command: "/nowhere/at-all" },
    };
    await project.write("bascule.json", JSON.stringify({ mcpServers }));
    const env = { PATH: process.env["PATH"] ?? "" };
    const called = await project.run(["call", "mcp__files.read_file", "path=README.md"], { env });
    expect([called.code, called.out, called.error]).toEqual([0, "the server's\n", ""]);
    expect((await project.run(["call", "read_file", "path=README.md"], { env })).out).toContain("the project's");
    const info = await project.run(["info", "mcp__files.read_file"], { env });
    expect([info.code, info.error]).toEqual([0, ""]);
    expect(info.out).toContain("call mcp__files.read_file path=README.md");
    expect(JSON.parse((await project.run(["info", "mcp__files.read_file", "--json"], { env })).out)).toMatchObject({
      tool: { inputSchema: schema, checks: { inputSchema: { properties: { path: { type: "string" } } } } },
    });
  });
});

describe("bascule add of an MCP bundle", () => {
  const ASKING = manifestOf({
    user_config: {
      level: { type: "number", title: "Level", description: "How much", required: true },
      key: { type: "string", title: "Key", description: "For the service", sensitive: true, required: true },
    },
  });

  it(
    "shows the program to start, needs its own confirmation, and is removed by name [M10.consent] [M10.command-line]",
    { timeout: 60_000 },
    async () => {
      await using project = await createCliProject();
      const file = `${project.folder}/demo.mcpb`;
      await writeFile(file, bundleOf(ASKING, [ADD]));
      const env = { PATH: process.env["PATH"] ?? "", DEMO_KEY: "sk-very-secret" };
      const values = ["--set=level=3", "--secret=key=DEMO_KEY"];
      for (const args of [["--yes"], ["--yes", "--json"]]) {
        const refused = await project.run(["add", "demo.mcpb", ...args, ...values], {
          env,
          ...(args.includes("--json") && { answers: ["y"] }),
        });
        expect([refused.code, `${refused.error}${refused.out}`]).toEqual([2, expect.stringContaining("--unconfined")]);
      }
      const declined = await project.run(["add", "demo.mcpb", ...values], { env, answers: ["n"] });
      for (const text of [
        "command: node ${__dirname}/server/index.mjs ${__dirname}/script.json",
        "value level: number, required: Level",
        "value key: string, sensitive, required: Key",
        "outside the sandbox with all your rights",
        "Nothing was added",
      ])
        expect(declined.out).toContain(text);
      expect(declined.code).toBe(4);
      expect((await project.run(["add", "demo.mcpb", "--unconfined", "--set=level=3"], { env })).error).toContain(
        'Value "key" needs a value',
      );

      // On a terminal, required values are asked for; for a sensitive value only the variable's name.
      const added = await project.run(["add", "demo.mcpb"], { env, answers: ["y", "3", "DEMO_KEY"] });
      expect([added.code, added.out]).toEqual([0, expect.stringContaining("Added Demo Tools 1.0.0 as the MCP server demo-tools")]);
      expect((await project.run(["call", "mcp__demo-tools.add", "a=1", "b=2"], { env, answers: ["y"] })).out).toContain("3");
      expect((await project.run(["mcp-servers"], { env })).out).toBe("demo-tools  connected  1 tool\n  mcp__demo-tools.add  offered\n");
      const again = await project.run(["add", "demo.mcpb", "--unconfined", "--json"], { env });
      expect(JSON.parse(again.out)).toMatchObject({ ok: true, bundle: { replaces: { version: "1.0.0", changes: [] } } });

      expect((await project.run(["remove", "demo-tools", "--yes"], { env })).out).toContain("Removed the MCP server demo-tools");
      expect((await project.run(["mcp-servers"], { env })).out).toBe("No MCP servers in bascule.json\n");
    },
  );
});
