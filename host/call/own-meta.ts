/** Words of a tool or its server for programs: `_meta` as MCP has it (SPEC K3). */

import type { JsonObject } from "../../manifests/mod.ts";

/** `io.modelcontextprotocol/serverInfo` and its like are about one connection, and the client's is another. */
const RESERVED: readonly string[] = ["bascule/", "io.modelcontextprotocol/"];

/** Without names that are the host's or the protocol's own: a client would take them for theirs. */
export function ownMeta(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !RESERVED.some((prefix) => name.startsWith(prefix))));
}
