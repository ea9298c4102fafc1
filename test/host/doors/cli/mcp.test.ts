import { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { transportOf } from "../../../../host/doors/mcp/lines.ts";
import { createCliProject } from "./run-cli.ts";

const PLUGIN = {
  "plugins/demo/manifest.json": JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version: "1.0.0",
    description: "Logs",
    permissions: { write: ["$workspace"] },
    tools: [
      { name: "log", description: "Logs", inputSchema: { type: "object" }, sideEffects: [] },
      { name: "put", description: "Writes", inputSchema: { type: "object" }, sideEffects: ["write"] },
      { name: "hidden", description: "Is hidden", inputSchema: { type: "object" }, sideEffects: [], visibility: { roles: ["boss"] } },
    ],
  }),
  "plugins/demo/main.ts": `
    export function log() { console.log('{"jsonrpc":"2.0","id":1,"result":{}}'); return "logged"; }
    export const put = () => "put";
    export const hidden = () => "seen";
  `,
};

describe("bascule mcp", () => {
  it("writes only protocol messages to stdout, and ends when its client disconnects [I2.mcp-stdout]", async () => {
    await using project = await createCliProject(PLUGIN);
    const command = project.start(["mcp", "--allow-write=."]);
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transportOf(command.client));
    expect((await client.callTool({ name: "demo__log", arguments: {} })).content).toEqual([{ type: "text", text: "logged" }]);
    expect(command.printed()).toContain("jsonrpc");
    await client.close();
    const { code, out } = await command.ended;
    expect({ code, out }).toEqual({ code: 0, out: "" });
  });

  it("lets approve answer confirmations of this host that its client does not support [I2.mcp-approve] [E5.approve-mcp]", async () => {
    await using project = await createCliProject(PLUGIN);
    const command = project.start(["mcp", "--allow-write=."]);
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transportOf(command.client));
    const { structuredContent } = await client.callTool({ name: "demo__put", arguments: {} });
    const { error } = structuredContent as { readonly error: { readonly details: { readonly requestId: string } } };
    const approved = await project.run(["approve", error.details.requestId], { answers: ["y"] });
    expect(approved.code).toBe(0);
    await expect
      .poll(async () => (await client.callTool({ name: "demo__put", arguments: {} })).content, { timeout: 15_000 })
      .toEqual([{ type: "text", text: "put" }]);
    await client.close();
    await command.ended;
  });

  it("names the program in a denial as the user types it [DI1.program]", async () => {
    await using project = await createCliProject();
    await project.run(["init"]);
    const command = project.start(["mcp"], { program: "npx bascule" });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transportOf(command.client));
    const denied = await client.callTool({ name: "words__word_count", arguments: { path: "plugins/words/README.md" } });
    const typed = "npx bascule grant words --allow-read='$workspace/plugins/words/README.md'";
    expect(denied).toMatchObject({
      content: [{ type: "text", text: `Requires read access to "plugins/words/README.md"\nTo allow it: ${typed}` }],
      _meta: { "bascule/error": { hint: { command: typed } } },
    });
    expect(JSON.stringify(denied)).not.toMatch(/(?<!npx )bascule grant/u);
    await client.close();
    await command.ended;
  });

  it("refuses calls that need confirmation if another host has the project's socket [I2.mcp-second]", async () => {
    await using project = await createCliProject(PLUGIN);
    const first = project.start(["mcp", "--allow-write=."]);
    const one = new Client({ name: "test", version: "1.0.0" });
    await one.connect(transportOf(first.client));
    const second = project.start(["mcp", "--role", "boss", "--allow-write=."]);
    const two = new Client({ name: "test", version: "1.0.0" });
    await two.connect(transportOf(second.client));
    expect((await one.listTools()).tools.map(({ name }) => name)).not.toContain("demo__hidden");
    expect((await two.listTools()).tools.map(({ name }) => name)).toContain("demo__hidden");
    expect(await two.callTool({ name: "demo__put", arguments: {} })).toMatchObject({
      structuredContent: { error: { code: "user_denied" } },
    });
    expect(second.printed()).toContain("Another host serves this project's commands");
    await Promise.all([one.close(), two.close()]);
    await Promise.all([first.ended, second.ended]);
  });
});
