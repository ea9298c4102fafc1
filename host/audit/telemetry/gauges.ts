/** Gauges of a host's current state. */

import type { SandboxUse } from "../../../sandbox/mod.ts";
import type { MetricFamily, ValueFamily } from "./metric.ts";

/** Current state of a host. */
export interface HostState {
  readonly version: string;
  readonly tools: number;
  /** State of each plugin. */
  readonly plugins: readonly string[];
  readonly confirmations: number;
  /** Absent if the workers run in separate processes, where their use is unknown. */
  readonly sandbox?: SandboxUse;
}

export function hostGauges({ version, tools, plugins, confirmations, sandbox }: HostState): readonly MetricFamily[] {
  const states = Map.groupBy(plugins, (state) => state);
  return [
    gauge("bascule_info", "Always 1; the label is the running version.", [{ labels: { version }, value: 1 }]),
    gauge("bascule_tools", "Registered tools.", [{ labels: {}, value: tools }]),
    gauge(
      "bascule_plugins",
      "Plugin folders by state.",
      [...states].map(([state, { length: value }]) => ({ labels: { state }, value })),
    ),
    gauge("bascule_confirmations_pending", "Pending confirmations.", [{ labels: {}, value: confirmations }]),
    ...(sandbox === undefined ? [] : sandboxGauges(sandbox)),
  ];
}

function sandboxGauges({ workers, busy, queued, memoryBytes }: SandboxUse): readonly MetricFamily[] {
  return [
    gauge("bascule_sandbox_workers", "Sandbox workers by state, without the spare worker.", [
      { labels: { state: "busy" }, value: busy },
      { labels: { state: "idle" }, value: workers - busy },
    ]),
    gauge("bascule_sandbox_queue_length", "Calls that wait for a worker.", [{ labels: {}, value: queued }]),
    gauge("bascule_sandbox_memory_bytes", "Memory of the workers' instances.", [{ labels: {}, value: memoryBytes }]),
  ];
}

function gauge(name: string, help: string, samples: ValueFamily["samples"]): MetricFamily {
  return { name, help, type: "gauge", samples };
}
