/** An MCP server over stdio, made with the official SDK: one kept connection, or a new server for each call. */

import { fileURLToPath } from "node:url";
import { importPackage, type Peer } from "./peer.ts";

/** The part of the SDK that is used. */
interface ClientModule {
  readonly Client: new (info: { readonly name: string; readonly version: string }) => Client;
}
interface TransportModule {
  readonly StdioClientTransport: new (options: { readonly command: string; readonly args: readonly string[] }) => object;
}
interface Client {
  connect(transport: object): Promise<void>;
  callTool(request: {
    readonly name: string;
    readonly arguments: unknown;
  }): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  close(): Promise<void>;
}

export const mcpStdio: Peer = {
  id: "mcp-stdio",
  name: "MCP server over stdio",
  fresh: "server process",
  gives: { boundary: "process with the user's rights", limits: "by ending the process", runs: "in a process" },
  async start() {
    const { Client } = await importPackage<ClientModule>("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await importPackage<TransportModule>("@modelcontextprotocol/sdk/client/stdio.js");
    const server = fileURLToPath(new URL("mcp-server.ts", import.meta.url));
    const open = async (): Promise<Client> => {
      const client = new Client({ name: "bench", version: "1.0.0" });
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
      return client;
    };
    const kept = await open();
    return {
      warm: (tool, argsText) => call(kept, tool, argsText),
      async fresh(tool, argsText) {
        const client = await open();
        const answer = await call(client, tool, argsText);
        await client.close();
        return answer;
      },
      close: () => kept.close(),
    };
  },
};

async function call(client: Client, name: string, argsText: string): Promise<string | undefined> {
  const { content } = await client.callTool({ name, arguments: JSON.parse(argsText) });
  return content[0]?.text;
}
