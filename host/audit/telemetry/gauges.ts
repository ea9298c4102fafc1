/** What a host can say of itself at any moment, counted or not. */

import type { SandboxUse } from "../../../sandbox/mod.ts";
import type { MetricFamily, ValueFamily } from "./metric.ts";

/** The host's state now. */
export interface HostState {
  readonly version: string;
  readonly tools: number;
  /** Each plugin's state. */
  readonly plugins: readonly string[];
  readonly confirmations: number;
  /** Absent where nobody knows: in processes of their own. */
  readonly sandbox?: SandboxUse;
}

export function hostGauges({ version, tools, plugins, confirmations, sandbox }: HostState): readonly MetricFamily[] {
  const states = Map.groupBy(plugins, (state) => state);
  return [
    gauge("bascule_info", "Always 1; says which version runs.", [{ labels: { version }, value: 1 }]),
    gauge("bascule_tools", "Tools that are registered.", [{ labels: {}, value: tools }]),
    gauge(
      "bascule_plugins",
      "Folders of the plugin roots, by state.",
      [...states].map(([state, { length: value }]) => ({ labels: { state }, value })),
    ),
    gauge("bascule_confirmations_pending", "Questions that wait for a person.", [{ labels: {}, value: confirmations }]),
    ...(sandbox === undefined ? [] : sandboxGauges(sandbox)),
  ];
}

function sandboxGauges({ workers, busy, queued }: SandboxUse): readonly MetricFamily[] {
  return [
    gauge("bascule_sandbox_workers", "Workers that run guests, by what they do; the spare is not counted.", [
      { labels: { state: "busy" }, value: busy },
      { labels: { state: "idle" }, value: workers - busy },
    ]),
    gauge("bascule_sandbox_queue_length", "Calls that wait for a worker.", [{ labels: {}, value: queued }]),
  ];
}

function gauge(name: string, help: string, samples: ValueFamily["samples"]): MetricFamily {
  return { name, help, type: "gauge", samples };
}
