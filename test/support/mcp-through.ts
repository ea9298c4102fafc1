/** Connects the SDK's client to an MCP server directly, and through a host and its MCP door, to compare both. */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { transportOf } from "../../host/doors/mcp/lines.ts";
import { serveMcpLines } from "../../host/doors/mcp/mod.ts";
import type { Host, JsonObject } from "../../host/mod.ts";
import { createMemoryPair } from "../../host/platform/memory/memory-sockets.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { MODERN } from "./mcp-client.ts";

/** Expected differences through the host, each with its reason. Everything else must be equal. */
export const HONEST_DIFFERENCES: Readonly<Record<string, string>> = {
  name: "a tool's name contains its server's name, so that two servers can have tools with the same name",
  description: "a tool without a description gets one with its server's name",
  "annotations/*Hint":
    "the host computes the hints, because a server could understate its effects; the server's own hints are in _meta under bascule/annotations",
  execution: "passed on only if it excludes tasks, because the door runs none",
  "arguments that do not fit": "the host refuses them before it calls the server",
  "_meta/bascule/*": "added by the host",
  "_meta/io.modelcontextprotocol/*": "describes the connection to the server, not the client's connection",
  "isError: false": "always present; the server may omit it with the same meaning",
  "content: []": "a result without blocks gets its structured content, or an empty text, as a block, because models read only blocks",
  "protocol errors":
    "a protocol error becomes a failed tool with the server's text, because its code describes the connection to the server",
};

export interface Through extends AsyncDisposable {
  readonly client: Client;
}

/** Returns a tool as seen through the host, without the expected differences. */
export function toolAsDirect(through: JsonObject, direct: JsonObject, server: string): JsonObject {
  const { annotations, _meta, ...rest } = through;
  const { annotations: said, ...original } = direct;
  const title = (annotations as JsonObject)["title"];
  const meta = ownMeta(_meta as JsonObject | undefined);
  const hints = ((_meta as JsonObject | undefined)?.["bascule/annotations"] ?? undefined) as JsonObject | undefined;
  // `title` is the only annotation that does not describe the tool's effects.
  const told = said === undefined && hints === undefined ? undefined : { ...hints, ...(title !== undefined && { title }) };
  return {
    ...rest,
    name: (through["name"] as string).replace(`mcp__${server}__`, ""),
    ...(original["description"] === undefined && { description: undefined as never }),
    ...(told && { annotations: told }),
    ...(meta && { _meta: meta }),
  };
}

/** Returns a result as seen through the host, without the expected differences. */
export function answerAsDirect(through: JsonObject, direct: JsonObject): JsonObject {
  const { _meta, ...rest } = through;
  const meta = ownMeta(_meta as JsonObject | undefined);
  const answer: Record<string, unknown> = { ...rest, ...(meta && { _meta: meta }) };
  if (answer["isError"] === false && direct["isError"] === undefined) delete answer["isError"];
  if (Array.isArray(direct["content"]) && direct["content"].length === 0) answer["content"] = [];
  return answer as JsonObject;
}

/** Returns a direct result without metadata of the connection. */
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

/** Connects a client to the host's MCP door over lines in memory. */
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

/** Converts a value to JSON, which drops undefined members. */
export function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
