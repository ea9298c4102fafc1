/** Redacts secrets from a server's own text: the server knows its token, and could repeat it in a description or an error (SPEC C7). */

import type { Tool } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import type { Slices } from "../../platform/platform.ts";
import type { Secrets } from "../../capabilities/secrets/secrets.ts";
import type { McpClient } from "./client.ts";

/** Redacts tool definitions, which are pinned in a file and shown to models and users. Results of calls are redacted with all others. */
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
    // The tool came as JSON; its interface only lacks an index signature.
    tools.push(redact(tool as unknown as JsonValue) as unknown as Tool);
    yield;
  }
  return tools;
}

/** Redacts an error's message, which may contain any answer of a server. */
export function redactedError(error: unknown, redact: Secrets["redact"]): Error {
  const text = redact(errorText(error));
  return new Error(typeof text === "string" ? text : "", { cause: error });
}
