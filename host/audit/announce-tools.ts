/** Emits `tool.registered` and `tool.unregistered` in the tick of the swap (SPEC AU1, H8). */

import type { Registry } from "../tools/registry.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { EmitEvent, EventSubject, ToolRegisteredPayload } from "./events.ts";

/** Announces the tools that are registered already, then every change, until `stop`. */
export function announceTools(registry: Registry, emit: EmitEvent): { stop(): void } {
  const registered = (tool: RegisteredTool): void => emit({ type: "tool.registered", ...subjectOf(tool), payload: payloadOf(tool) });
  for (const tool of registry.snapshot().tools) registered(tool);
  const stop = registry.onChange(({ added, removed }) => {
    for (const tool of removed) emit({ type: "tool.unregistered", ...subjectOf(tool), payload: payloadOf(tool) });
    for (const tool of added) registered(tool);
  });
  return { stop };
}

function subjectOf(tool: RegisteredTool): EventSubject {
  if (tool.plugin === undefined) return {};
  return { plugin: tool.plugin, ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }) };
}

function payloadOf(tool: RegisteredTool): ToolRegisteredPayload {
  return { toolId: tool.id, tool: tool.qualifiedName, source: tool.source, capabilities: tool.definition.sideEffects };
}
