/** One MCP server met twice: by the SDK's own client directly, and through a host and its MCP door. */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { transportOf } from "../../host/doors/mcp/lines.ts";
import { serveMcpLines } from "../../host/doors/mcp/mod.ts";
import type { Host, JsonObject } from "../../host/mod.ts";
import { createMemoryPair } from "../../host/platform/memory/memory-sockets.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { MODERN } from "./mcp-client.ts";

/** Differences through the host, each with its reason. Everything else is compared as it is. */
export const HONEST_DIFFERENCES: Readonly<Record<string, string>> = {
  name: "a tool's name holds that of its server, so that two servers may have tools of one name",
  description: "a tool without one is described by its server's name",
  "annotations/*Hint": "hints are the host's own: a server would praise itself; what the server says is in _meta under bascule/annotations",
  execution: "handed on where it says that there are no tasks: the door runs none",
  "arguments that do not fit": "are refused by the host, before the server is asked",
  "_meta/bascule/*": "what the host itself says, beside what the server says",
  "_meta/io.modelcontextprotocol/*": "it is about the connection to the server, and the client's connection is another one",
  "isError: false": "said where the server leaves it out, which means the same",
  "content: []": "a result without blocks has its structured content, or an empty text, as a block: models read nothing else",
  "protocol errors": "an error of the protocol is a failed tool with the server's text: its code is about the connection to the server",
};

export interface Through extends AsyncDisposable {
  readonly client: Client;
}

/** Without what a direct client would not see either. */
export function toolAsDirect(through: JsonObject, direct: JsonObject, server: string): JsonObject {
  const { annotations, _meta, ...rest } = through;
  const { annotations: said, ...original } = direct;
  const title = (annotations as JsonObject)["title"];
  const meta = ownMeta(_meta as JsonObject | undefined);
  const hints = ((_meta as JsonObject | undefined)?.["bascule/annotations"] ?? undefined) as JsonObject | undefined;
  // `title` is the one annotation that says nothing about what the tool does.
  const told = said === undefined && hints === undefined ? undefined : { ...hints, ...(title !== undefined && { title }) };
  return {
    ...rest,
    name: (through["name"] as string).replace(`mcp__${server}__`, ""),
    ...(original["description"] === undefined && { description: undefined as never }),
    ...(told && { annotations: told }),
    ...(meta && { _meta: meta }),
  };
}

/** The same for an answer. */
export function answerAsDirect(through: JsonObject, direct: JsonObject): JsonObject {
  const { _meta, ...rest } = through;
  const meta = ownMeta(_meta as JsonObject | undefined);
  const answer: Record<string, unknown> = { ...rest, ...(meta && { _meta: meta }) };
  if (answer["isError"] === false && direct["isError"] === undefined) delete answer["isError"];
  if (Array.isArray(direct["content"]) && direct["content"].length === 0) answer["content"] = [];
  return answer as JsonObject;
}

/** Without what a connection says of itself. */
export function directAnswer(direct: JsonObject): JsonObject {
  const { _meta, ...rest } = direct;
  const meta = ownMeta(_meta as JsonObject | undefined);
  return { ...rest, ...(meta && { _meta: meta }) };
}

function ownMeta(meta: JsonObject | undefined): JsonObject | undefined {
  const own = Object.entries(meta ?? {}).filter(([name]) => !name.startsWith("bascule/") && !name.startsWith("io.modelcontextprotocol/"));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

export async function directly(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Through> {
  const client = new Client({ name: "direct", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore", ...(env && { env: { ...env } }) }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** The host's MCP door over lines in memory. */
export async function throughHost(
  host: Host,
  { agrees = false, modern = false }: { readonly agrees?: boolean; readonly modern?: boolean } = {},
): Promise<Through> {
  const [near, far] = createMemoryPair();
  const serving = serveMcpLines(near, { host, platform: currentPlatform() });
  const client = new Client(
    { name: "through", version: "1" },
    { capabilities: agrees ? { elicitation: {} } : {}, ...(modern && { versionNegotiation: { mode: { pin: MODERN } } }) },
  );
  if (agrees) client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { approve: true } }));
  await client.connect(transportOf(far));
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await serving.close();
    },
  };
}

/** As JSON has it: members that are undefined are not there. */
export function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
