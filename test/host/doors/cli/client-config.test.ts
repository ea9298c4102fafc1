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

  it("suggests the nearest client [I2.client-config-near]", async () => {
    await using project = await createCliProject();
    const { code, error } = await project.run(["client-config", "cursr"]);
    expect(code).toBe(2);
    expect(error).toContain("Did you mean cursor?");
  });
});
