/** A host with one scripted MCP server over stdio. Its script can change while it runs. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { HostOptions } from "../../host/host/host-options.ts";
import { createHost, type Host, type HostEvent, type JsonObject, type McpServerStatus } from "../../host/mod.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { Log } from "../../host/platform/platform.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface McpProject {
  readonly folder: string;
  /** Command that starts the server. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** Opens a host of this project. Several can be opened one after the other. */
  open(options?: HostOptions): Promise<Host & { readonly seen: HostEvent[] }>;
  /** Changes the server's next tool list. */
  script(changed: JsonObject): Promise<void>;
}

export const ADD: JsonObject = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] },
};
export const named = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object" },
  ...more,
});

const SILENT: Log = { write: () => {}, child: () => SILENT };
const PROGRAM = new URL("./scripted-mcp-server.mjs", import.meta.url).pathname;
const ARGUMENTS = "Deno" in globalThis ? ["run", "-A", "--quiet"] : [];

export async function mcpProject(first: JsonObject, server: JsonObject = {}): Promise<McpProject> {
  const folder = await temporaryFolder();
  const file = join(folder, "script.json");
  await writeFile(file, JSON.stringify(first));
  const program = { command: process.execPath, args: [...ARGUMENTS, PROGRAM, file] };
  const config = { ...program, ...server };
  await writeFile(join(folder, "bascule.json"), JSON.stringify({ mcpServers: { demo: config }, audit: { store: false } }));
  return {
    ...{ folder, program },
    async open(options = {}) {
      const seen: HostEvent[] = [];
      const host = await createHost({
        ...{ platform: currentPlatform(), config: join(folder, "bascule.json"), logger: SILENT, plugins: [] },
        events: { publish: (event) => void seen.push(event) },
        ...options,
      });
      return { ...host, seen };
    },
    async script(changed) {
      const before = JSON.parse(await readFile(file, "utf8")) as JsonObject;
      await writeFile(file, JSON.stringify({ ...before, ...changed }));
    },
  };
}

/** Waits until a server matches. */
export async function untilServer(host: Host, request: (status: McpServerStatus) => boolean): Promise<void> {
  await expect.poll(() => host.mcpServers().some(request), { timeout: 15_000, interval: 20 }).toBe(true);
}
