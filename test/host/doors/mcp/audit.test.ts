import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { createMcpHandler } from "../../../../host/doors/mcp/mod.ts";
import { createHost } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { fetchOf } from "../../../support/mcp-client.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

// A project on disk, because the journal is on disk.
it("serves a session's own audit over MCP, and never another session's [I3.audit] [AU3.mcp]", async () => {
  const folder = await temporaryFolder();
  const real = currentPlatform({ log: { level: "error" } });
  const platform = { ...real, environment: { ...real.environment, cwd: folder } };
  await using host = await createHost({ platform, config: false, events: { store: true } });
  const handler = createMcpHandler({ host, platform });
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: fetchOf(handler.fetch) }));
    return client;
  };
  const [mine, other] = [await connect(), await connect()];
  await mine.callTool({ name: "echo", arguments: { text: "mine" } });
  await other.callTool({ name: "echo", arguments: { text: "not yours" } });

  const read = async (uri: string): Promise<string> => {
    const [content] = (await mine.readResource({ uri })).contents;
    return content !== undefined && "text" in content ? content.text : "";
  };
  const whole = await read("bascule://audit");
  expect(whole).toContain('"mine"');
  expect(whole).not.toContain("not yours");
  const called = JSON.parse(await read("bascule://audit?type=tool.called")) as { readonly events: readonly { readonly type: string }[] };
  expect(called.events.map(({ type }) => type)).toEqual(["tool.called"]);
  // Only an admin sees grants.
  expect(whole).toContain('"because"');
  expect(whole).not.toContain('"grants"');
  expect(await read("bascule://audit?until=1")).toBe('{\n  "events": []\n}');
  await Promise.all([mine.close(), other.close()]);
  await handler.close();
});
