/** Builds MCPB bundles around the scripted MCP server. */

import { readFileSync } from "node:fs";
import type { JsonObject } from "../../host/mod.ts";
import { zipOf } from "./archives.ts";

const SERVER = readFileSync(new URL("scripted-mcp-server.mjs", import.meta.url), "utf8");

/** Manifest of a node bundle that reads its tools from a file. */
export const NODE_BUNDLE: JsonObject = {
  manifest_version: "0.3",
  name: "Demo Tools",
  version: "1.0.0",
  description: "Adds numbers",
  author: { name: "A. Author" },
  server: {
    type: "node",
    entry_point: "server/index.mjs",
    mcp_config: { command: "node", args: ["${__dirname}/server/index.mjs", "${__dirname}/script.json"] },
  },
};

/** Returns the manifest with other fields. */
export function manifestOf(more: JsonObject = {}): JsonObject {
  return { ...NODE_BUNDLE, ...more };
}

/** Returns the manifest with another server configuration. */
export function launching(config: JsonObject, server: JsonObject = {}): JsonObject {
  return manifestOf({ server: { type: "node", entry_point: "server/index.mjs", mcp_config: config, ...server } });
}

/** Returns the bundle's files by path. @param tools the tools that the server lists */
export function bundleFiles(manifest: JsonObject | string = NODE_BUNDLE, tools: readonly JsonObject[] = []): Record<string, string> {
  return {
    "manifest.json": typeof manifest === "string" ? manifest : JSON.stringify(manifest, null, 2),
    "server/index.mjs": SERVER,
    "script.json": JSON.stringify({ tools }),
    "node_modules/left-pad/index.js": "module.exports = 1;",
    ".hidden": "is part of it too",
  };
}

/** Builds a `.mcpb` file. */
export function bundleOf(manifest?: JsonObject | string, tools?: readonly JsonObject[], more: Record<string, string> = {}): Uint8Array {
  return zipOf({ ...bundleFiles(manifest, tools), ...more });
}

/** Appends a signature block as `mcpb sign` does. */
export function signed(bundle: Uint8Array, signature = "any"): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, signature.length, true);
  return Buffer.concat([bundle, Buffer.from("MCPB_SIG_V1"), length, Buffer.from(signature), Buffer.from("MCPB_SIG_END")]);
}
