/** Aliases of event types, for readers with other conventions (SPEC AU1). Events themselves have one name. */

import type { EventType, HostEvent } from "./events.ts";

const ALIASES: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  "tool.called": ["tool.call.dispatched", "tool.invoked", "ToolCallStart"],
  "tool.completed": ["ToolCallEnd"],
  "tool.denied": ["tool.call.denied", "ToolCallFailed"],
  "tool.failed": ["ToolCallFailed"],
  "tool.input_invalid": ["ToolCallFailed"],
};

/**
 * Returns the aliases of an event; most events have none.
 *
 * @example
 * ```ts
 * import { createHost, eventAliases } from "bascule";
 * const names: string[] = [];
 * await using host = await createHost({ config: false, events: { publish: (event) => void names.push(...eventAliases(event)) } });
 * await host.call("echo", { text: "hello" });
 * console.log(names.join(" ")); // tool.call.dispatched tool.invoked ToolCallStart ToolCallEnd
 * ```
 */
export function eventAliases(event: HostEvent): readonly string[] {
  const names = ALIASES[event.type] ?? [];
  return event.type === "tool.failed" && event.payload.code === "timeout" ? [...names, "tool.timeout"] : names;
}
