/** Metrics and traces of calls (SPEC AU7): Prometheus text, and OpenTelemetry if the embedding program uses it. */

import type { HostEvent } from "../events.ts";
import type { ToolCall, ToolResult } from "../../call/call.ts";
import type { Snapshot } from "../../tools/snapshot.ts";
import { createCallCounters } from "./counters.ts";
import type { MetricFamily } from "./metric.ts";

export { hostGauges, type HostState } from "./gauges.ts";
export type { MetricFamily } from "./metric.ts";
export { PROMETHEUS_TYPE, toPrometheus } from "./prometheus.ts";

/** Options of telemetry. */
export interface TelemetryOptions {
  /** Adds redacted arguments and output to spans. They may contain personal data. Default false. */
  readonly content?: boolean;
}

/** Observes every call from outside of dispatch. */
export interface Telemetry {
  follow(call: ToolCall, registry: Snapshot, run: (call: ToolCall) => Promise<ToolResult>): Promise<ToolResult>;
  /** Must be called with every event. */
  onEvent(event: HostEvent): void;
  families(): readonly MetricFamily[];
}

/** Creates the telemetry. Loads its dependencies only here, so that hosts without telemetry start faster. */
export async function createTelemetry({ content = false }: TelemetryOptions = {}): Promise<Telemetry> {
  const { createCallSpans } = await import("./call-spans.ts");
  const spans = createCallSpans({ content });
  const counters = createCallCounters();
  return {
    async follow(call, registry, run) {
      const tool = registry.find(call.tool)?.qualifiedName;
      counters.begun();
      const result = await spans.follow(call, tool, run);
      const { route, durationMs } = result;
      const outcome = result.ok ? "ok" : result.error.code;
      counters.ended({ ...(tool !== undefined && { tool }), outcome, ...(route !== undefined && { route }), durationMs });
      return result;
    },
    onEvent(event) {
      if (event.type === "capability.denied") counters.refused(event.payload.permission);
    },
    families: counters.families,
  };
}
