/** A server's own words without the secrets that it was sent: it knows its token, and can say it in a description or an error (SPEC C7). */

import type { Tool } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import type { Secrets } from "../../capabilities/secrets/secrets.ts";
import type { McpClient } from "./client.ts";

/** What tools say of themselves is pinned in a file, shown to models and to people; results of calls are looked through where all are. */
export function redactedClient(client: McpClient, redact: Secrets["redact"], slices: Slices): McpClient {
  return {
    listTools: async (...args) => {
      const list = await client.listTools(...args).catch((error: unknown) => {
        throw redactedError(error, redact);
      });
      const tools = await slices.run(redactedTools(list.tools, redact));
      return { ...list, tools };
    },
    callTool: (...args) => client.callTool(...args),
    close: () => client.close(),
  };
}

function* redactedTools(given: readonly Tool[], redact: Secrets["redact"]): Generator<void, Tool[]> {
  const tools: Tool[] = [];
  for (const tool of given) {
    // Came as JSON; its interface just has no index signature.
    tools.push(redact(tool as unknown as JsonValue) as unknown as Tool);
    yield;
  }
  return tools;
}

/** An error's message may hold whatever a server answered. */
export function redactedError(error: unknown, redact: Secrets["redact"]): Error {
  const text = redact(error instanceof Error ? error.message : String(error));
  return new Error(typeof text === "string" ? text : "", { cause: error });
}
