/** MCPB bundles as tests need them, around the scripted MCP server. */

import { readFileSync } from "node:fs";
import type { JsonObject } from "../../host/mod.ts";
import { zipOf } from "./archives.ts";

const SERVER = readFileSync(new URL("scripted-mcp-server.mjs", import.meta.url), "utf8");

/** A node bundle whose tools are in a file of its own. */
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

/** The manifest with other fields. */
export function manifestOf(more: JsonObject = {}): JsonObject {
  return { ...NODE_BUNDLE, ...more };
}

/** The manifest with another configuration of its server. */
export function launching(config: JsonObject, server: JsonObject = {}): JsonObject {
  return manifestOf({ server: { type: "node", entry_point: "server/index.mjs", mcp_config: config, ...server } });
}

/** Its files by path; `tools` is what the server lists. */
export function bundleFiles(manifest: JsonObject | string = NODE_BUNDLE, tools: readonly JsonObject[] = []): Record<string, string> {
  return {
    "manifest.json": typeof manifest === "string" ? manifest : JSON.stringify(manifest, null, 2),
    "server/index.mjs": SERVER,
    "script.json": JSON.stringify({ tools }),
    "node_modules/left-pad/index.js": "module.exports = 1;",
    ".hidden": "is part of it too",
  };
}

/** A `.mcpb` file. */
export function bundleOf(manifest?: JsonObject | string, tools?: readonly JsonObject[], more: Record<string, string> = {}): Uint8Array {
  return zipOf({ ...bundleFiles(manifest, tools), ...more });
}

/** As `mcpb sign` leaves it. */
export function signed(bundle: Uint8Array, signature = "any"): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, signature.length, true);
  return Buffer.concat([bundle, Buffer.from("MCPB_SIG_V1"), length, Buffer.from(signature), Buffer.from("MCPB_SIG_END")]);
}
