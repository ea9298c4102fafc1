/** The server that `mcp-stdio.ts` starts: the two tools, written as in the SDK's documentation. */

import { PLUGIN_2KB } from "../plugin-2kb.ts";
import { importPackage } from "./peer.ts";
import { TOOLS, type ToolName } from "./work.ts";

/** The part of the SDK and of its schema library that is used. */
interface ServerModule {
  readonly McpServer: new (info: { readonly name: string; readonly version: string }) => McpServer;
}
interface McpServer {
  registerTool(
    name: string,
    options: object,
    call: (args: unknown) => { readonly content: readonly { readonly type: "text"; readonly text: string }[] },
  ): void;
  connect(transport: object): Promise<void>;
}
interface TransportModule {
  readonly StdioServerTransport: new () => object;
}
interface Zod {
  readonly z: { string(): object; number(): object };
}

const { McpServer } = await importPackage<ServerModule>("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = await importPackage<TransportModule>("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = await importPackage<Zod>("zod");
const tools = await importPackage<Readonly<Record<ToolName, (args: unknown) => unknown>>>(
  `data:text/javascript,${encodeURIComponent(PLUGIN_2KB)}`,
);

const INPUTS = { echo: { a: z.number(), b: z.string() }, words: { text: z.string(), limit: z.number() } };

const server = new McpServer({ name: "bench", version: "1.0.0" });
for (const name of TOOLS) {
  server.registerTool(name, { description: "Answers from its arguments", inputSchema: INPUTS[name] }, (args) => ({
    content: [{ type: "text", text: JSON.stringify(tools[name](args)) }],
  }));
}
await server.connect(new StdioServerTransport());
