import { describe, expect, it } from "vitest";
import { ADD, named } from "../../support/mcp-project.ts";
import { createCliProject } from "./run-cli.ts";

const PROGRAM = new URL("../../support/scripted-mcp-server.mjs", import.meta.url).pathname;
const ARGUMENTS = "Deno" in globalThis ? ["run", "-A", "--quiet"] : [];

describe("bascule mcp-servers", () => {
  it("shows what is offered and what is new, and accepts what was shown [K3.command] [K3.diff]", { timeout: 60_000 }, async () => {
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
      /^demo \([0-9a-f]{12}\) says something else by now:\n {2}~ tool new can do more: none → execute\n {2}\+ tool new \(execute\): "Does new"\n {2}~ description of tool add: "Adds two numbers" → "Adds more"\nNot accepted\n$/,
    );
    const digest = /\(([0-9a-f]{12})\)/.exec(shown)?.[1] ?? "";
    const flag = (hex: string): readonly string[] => ["mcp-servers", "accept", "demo", `--digest=${hex}`];
    expect((await project.run(flag("0123456789ab"), { env })).error).toContain("What waits is not");
    expect((await project.run(["mcp-servers", "accept", "demo"], { env })).error).toContain("There is nobody to ask");
    expect((await project.run(flag(digest), { env })).out).toContain("Accepted: add, new\n");
    expect((await project.run(["call", "mcp__demo.add", "a=1", "b=2"], { env })).out).toBe("3\n");
  });
});
