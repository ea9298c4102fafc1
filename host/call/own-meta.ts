/** `_meta` of a tool or its server, as in MCP (SPEC K3). */

import type { JsonObject } from "../../manifests/mod.ts";

/** Reserved prefixes: `io.modelcontextprotocol/serverInfo` and similar describe one connection, and the client's is another. */
const RESERVED: readonly string[] = ["bascule/", "io.modelcontextprotocol/"];

/** Removes names that are reserved for the host or the protocol, because a client would trust them as such. */
export function ownMeta(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !RESERVED.some((prefix) => name.startsWith(prefix))));
}
