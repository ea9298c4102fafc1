import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../../../../host/doors/cli/mcp-clients.ts";
import { createCliProject } from "./run-cli.ts";

describe("bascule client-config", () => {
  it("prints, for every client, a setting that starts this program for this project by absolute paths [I2.client-config]", async () => {
    await using project = await createCliProject({ "bascule.json": "{}" });
    const { code, out } = await project.run(["client-config", "--json"]);
    expect(code).toBe(0);
    const { server, clients } = JSON.parse(out) as {
      readonly server: { readonly command: string; readonly args: readonly string[] };
      readonly clients: readonly { readonly client: string; readonly text: string }[];
    };
    expect(server.command).toBe(process.execPath);
    expect(server.args.slice(-3)).toEqual(["mcp", "--project", project.folder]);
    expect(clients.map(({ client }) => client)).toEqual(CLIENTS.map(({ name }) => name));
    for (const { text } of clients) expect(text).toContain(project.folder);
    const cursor = clients.find(({ client }) => client === "cursor");
    expect(JSON.parse(cursor?.text ?? "")).toEqual({ mcpServers: { bascule: { command: server.command, args: server.args } } });
  });

  it("quotes special characters for a shell [I2.client-config-quotes]", () => {
    const setting = CLIENTS.find(({ name }) => name === "claude-code")?.setting({
      name: "bascule",
      command: "/bin/node",
      args: ["/a b/it's.mjs", "mcp"],
    });
    expect(setting?.text).toBe(`claude mcp add bascule -- /bin/node '/a b/it'\\''s.mjs' mcp`);
  });

  it("writes a client's file after showing the change, keeps everything else, and undoes it [I2.client-write]", async () => {
    const before = '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "a" }\n  }\n}\n';
    await using project = await createCliProject({ ".cursor/mcp.json": before });
    const file = join(project.folder, ".cursor/mcp.json");
    const text = (): Promise<string> => readFile(file, "utf8");
    await chmod(file, 0o640);
    expect(await project.run(["client-config", "cursor", "--write"])).toMatchObject({ code: 2 });
    const denied = await project.run(["client-config", "cursor", "--write"], { answers: ["n"] });
    expect(denied).toMatchObject({ code: 4, out: expect.stringContaining('+    "bascule": {\n') });
    expect(denied.out).toMatch(/^--- \.cursor\/mcp\.json\n\+\+\+ \.cursor\/mcp\.json\n/u);
    expect(await text()).toBe(before);
    expect(await project.run(["client-config", "cursor", "--write"], { answers: ["y"] })).toMatchObject({ code: 0 });
    const after = await text();
    expect(after.replace(/ {4}"bascule": \{[^]*?\n {4}\},\n/u, "")).toBe(before);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await stat(`${file}.before-bascule`)).mode & 0o777).toBe(0o600);
    expect((await project.run(["client-config", "cursor", "--write"])).out).toContain("has these settings already\n");
    expect(await project.run(["client-config", "cursor", "--undo", "--yes"])).toMatchObject({ code: 0 });
    expect(await text()).toBe(before);
    expect(await project.run(["client-config", "cursor", "--undo", "--yes"])).toMatchObject({ code: 3 });
  });

  it("undoes nothing if something else has changed the file since [I2.client-write]", async () => {
    await using project = await createCliProject({ ".cursor/mcp.json": '{\n  "mcpServers": {}\n}\n' });
    const file = join(project.folder, ".cursor/mcp.json");
    expect(await project.run(["client-config", "cursor", "--write", "--yes"])).toMatchObject({ code: 0 });
    const changed = (await readFile(file, "utf8")).replace('"mcpServers": {', '"mcpServers": {\n    "later": { "command": "b" },');
    await project.write(".cursor/mcp.json", changed);
    const refused = await project.run(["client-config", "cursor", "--undo", "--yes"]);
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("changed after it was written, and --undo would lose that") });
    expect(refused.error).toContain('Remove "bascule" from "mcpServers" by hand');
    expect(await readFile(file, "utf8")).toBe(changed);
    // A change while the user reads the way back is noticed too.
    await project.write(".cursor/mcp.json", changed.replace('\n    "later": { "command": "b" },', ""));
    const answer = Promise.withResolvers<string>();
    const asked = project.start(["client-config", "cursor", "--undo"], { answers: [answer.promise] });
    await asked.waitFor("+++");
    await project.write(".cursor/mcp.json", changed);
    answer.resolve("y");
    expect(await asked.ended).toMatchObject({ code: 1, error: expect.stringContaining("changed after the change was shown") });
    expect(await readFile(file, "utf8")).toBe(changed);
  });

  it("creates a file that is missing, and undo deletes it; refuses one that it cannot read [I2.client-write]", async () => {
    await using project = await createCliProject({ ".vscode/mcp.json": "{ nope" });
    expect(await project.run(["client-config", "claude-code", "--write", "--yes"])).toMatchObject({ code: 0 });
    const file = join(project.folder, ".mcp.json");
    expect(Object.keys((JSON.parse(await readFile(file, "utf8")) as { readonly mcpServers: object }).mcpServers)).toEqual(["bascule"]);
    expect(await project.run(["client-config", "claude-code", "--undo", "--yes"])).toMatchObject({ code: 0 });
    expect((await readdir(project.folder)).toSorted()).not.toContain(".mcp.json");
    expect(await project.run(["client-config", "vscode", "--write", "--yes"])).toMatchObject({ code: 1 });
    expect(await readFile(join(project.folder, ".vscode/mcp.json"), "utf8")).toBe("{ nope");
    expect((await project.run(["client-config", "codex", "--write"])).error).toContain("append to ~/.codex/config.toml");
  });

  it("knows the file of each client by the given folders [I2.client-write]", () => {
    const server = { name: "bascule", command: "/bin/node", args: ["mcp"] };
    const paths = (os: "linux" | "darwin"): readonly (string | undefined)[] =>
      CLIENTS.map(({ file }) => file?.(server, { root: "/p", home: "/h", os }).path);
    expect(paths("linux")).toEqual([
      "/p/.mcp.json",
      "/h/.config/Claude/claude_desktop_config.json",
      "/p/.cursor/mcp.json",
      "/p/.vscode/mcp.json",
      "/h/.codeium/windsurf/mcp_config.json",
      "/h/.config/zed/settings.json",
      "/p/.gemini/settings.json",
      undefined,
    ]);
    expect(paths("darwin")[1]).toBe("/h/Library/Application Support/Claude/claude_desktop_config.json");
  });

  it("suggests the nearest client [I2.client-config-near]", async () => {
    await using project = await createCliProject();
    const { code, error } = await project.run(["client-config", "cursr"]);
    expect(code).toBe(2);
    expect(error).toContain("Did you mean cursor?");
  });
});
