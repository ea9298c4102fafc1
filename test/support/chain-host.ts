/** A host in real workers with plugins that call each other. */

import type { HostEvent } from "../../host/audit/events.ts";
import { createHost, type Host, type HostOptions } from "../../host/mod.ts";
import type { MemoryPlatform } from "../../host/platform/memory/memory.ts";
import type { Permissions } from "../../manifests/mod.ts";
import { memoryPlatformWithWorkers } from "./memory-platform.ts";

/** One plugin: its code, its tools by name, and the tools of others that it requests and is granted. */
export interface ChainPlugin {
  readonly main: string;
  /** Additional members of each tool's definition. */
  readonly tools?: Readonly<Record<string, object>>;
  /** Requested tools; also granted unless `granted` is given. */
  readonly calls?: readonly string[];
  readonly granted?: readonly string[];
  readonly manifest?: object;
}

export interface ChainHost extends AsyncDisposable {
  readonly host: Host;
  readonly events: HostEvent[];
  readonly platform: MemoryPlatform;
}

export async function chainHost(
  plugins: Readonly<Record<string, ChainPlugin>>,
  options: HostOptions & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<ChainHost> {
  const { files: more = {}, ...rest } = options;
  const files: Record<string, string> = { ...more };
  const grants: Record<string, Permissions> = {};
  for (const [name, { main, tools = {}, calls, granted, manifest }] of Object.entries(plugins)) {
    const definitions = Object.entries(tools).map(([tool, definition]) => ({
      ...{ name: tool, description: `Does ${tool}`, inputSchema: { type: "object" }, sideEffects: [] },
      ...definition,
    }));
    const document = {
      ...{ schemaVersion: "1.0", name, version: "1.0.0", description: `Plugin ${name}`, tools: definitions },
      ...(calls && { permissions: { tools: calls } }),
      ...manifest,
    };
    files[`plugins/${name}/manifest.json`] = JSON.stringify(document);
    files[`plugins/${name}/main.ts`] = main;
    const held = granted ?? calls;
    if (held !== undefined) grants[name] = { tools: [...held] };
  }
  const platform = memoryPlatformWithWorkers(files);
  const events: HostEvent[] = [];
  const host = await createHost({
    ...{ platform, plugins: ["./plugins"], grants, events: { publish: (event: HostEvent) => events.push(event) } },
    ...rest,
  });
  return { host, events, platform, [Symbol.asyncDispose]: () => host.close() };
}

/** Returns ended calls in order: tool, `ok` or the error code, and the index in the chain. */
export function endings(events: readonly HostEvent[]): readonly (readonly unknown[])[] {
  return events.flatMap((event) => {
    if (event.type !== "tool.completed" && event.type !== "tool.failed" && event.type !== "tool.denied") return [];
    return [[event.payload.tool, event.type === "tool.completed" ? "ok" : event.payload.code, event.chainIndex]];
  });
}
