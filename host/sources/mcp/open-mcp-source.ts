/** Loads the source of MCP tools when there is a server: most hosts have none. */

import type { createMcpSource, McpActs, McpSource } from "./mod.ts";

type Options = Parameters<typeof createMcpSource>[0];

/** @returns the same interface as `createMcpSource`; its operations wait until it is loaded */
export function openMcpSource(options: Options): McpSource {
  let loading: Promise<McpSource> | undefined;
  let loaded: McpSource | undefined;

  function load(): Promise<McpSource> {
    loading ??= import("./mod.ts").then((module) => (loaded = module.createMcpSource(options)));
    return loading;
  }

  const acts: McpActs = {
    addMcpServer: async (name, server) => await (await load()).acts.addMcpServer(name, server),
    removeMcpServer: async (name) => (await loaded?.acts.removeMcpServer(name)) ?? false,
    mcpServers: () => loaded?.acts.mcpServers() ?? [],
    acceptMcpTools: async (...args) => await (await load()).acts.acceptMcpTools(...args),
  };
  return {
    acts,
    async apply() {
      if (loading === undefined && Object.keys(options.places.project.config().mcpServers).length === 0) return;
      await (await load()).apply();
    },
    close: async () => await (await loading)?.close(),
  };
}
