/** Counts calls for Prometheus. Memory is bounded: names that callers make up do not create labels. */

import type { ErrorCode } from "../../call/errors.ts";
import { PERMISSION_KINDS, type Route } from "../../../manifests/mod.ts";
import type { MetricFamily } from "./metric.ts";

/** A call that has ended. */
interface EndedCall {
  /** Qualified name; absent if the tool is not registered, because a made-up name must not become a label. */
  readonly tool?: string;
  readonly outcome: "ok" | ErrorCode;
  /** Absent if a gate refused the call. */
  readonly route?: Route;
  readonly durationMs: number;
}

/** Counters, starting at zero. */
interface CallCounters {
  begun(): void;
  ended(call: EndedCall): void;
  /** Counts an act of a guest that was refused while its call ran. */
  refused(permission: string): void;
  families(): readonly MetricFamily[];
}

/** Maximum tools with their own label; further tools are counted together. */
const MAX_TOOLS = 200;
const OTHER = "(other)";
const UNKNOWN = "(unknown)";
/** Histogram bounds in seconds, from a sandboxed call to the longest deadline. */
export const DURATION_BOUNDS: readonly number[] = [0.001, 0.0025, 0.01, 0.05, 0.25, 1, 2.5, 10, 30, 60, 300, 600];

const KINDS: ReadonlySet<string> = new Set(PERMISSION_KINDS);
const DENIALS: ReadonlySet<string> = new Set<EndedCall["outcome"]>(["permission_denied", "fs_denied", "net_denied", "user_denied"]);

export function createCallCounters(): CallCounters {
  const calls = new Map<string, Map<EndedCall["outcome"], number>>();
  const durations = new Map<string, { buckets: number[]; sum: number; count: number }>();
  const denials = new Map<string, number>();
  const refusals = new Map<string, number>();
  let active = 0;

  function labelOf(tool: string | undefined): string {
    if (tool === undefined) return UNKNOWN;
    return calls.has(tool) || calls.size < MAX_TOOLS ? tool : OTHER;
  }

  return {
    begun: () => void (active += 1),
    ended({ tool, outcome, route = "none", durationMs }) {
      active -= 1;
      const label = labelOf(tool);
      const outcomes = calls.get(label) ?? new Map<EndedCall["outcome"], number>();
      calls.set(label, outcomes);
      count(outcomes, outcome);
      if (DENIALS.has(outcome)) count(denials, outcome);
      const distribution = durations.get(route) ?? { buckets: DURATION_BOUNDS.map(() => 0), sum: 0, count: 0 };
      durations.set(route, distribution);
      const seconds = durationMs / 1000;
      const bucket = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
      if (bucket !== -1) distribution.buckets[bucket] = (distribution.buckets[bucket] ?? 0) + 1;
      distribution.sum += seconds;
      distribution.count += 1;
    },
    // A trusted plugin's process can send any text here.
    refused: (permission) => count(refusals, KINDS.has(permission) ? permission : OTHER),
    families: () => [
      {
        name: "bascule_calls_total",
        help: "Ended calls by tool and outcome: ok, or an error code.",
        type: "counter",
        samples: [...calls].flatMap(([tool, outcomes]) => [...outcomes].map(([outcome, value]) => ({ labels: { tool, outcome }, value }))),
      },
      {
        name: "bascule_call_duration_seconds",
        help: "Time from a call's arrival to its result, including the wait for a slot, without the wait for confirmation.",
        type: "histogram",
        bounds: DURATION_BOUNDS,
        samples: [...durations].map(([route, distribution]) => ({ labels: { route }, ...distribution })),
      },
      {
        name: "bascule_denials_total",
        help: "Calls refused by a gate or by the user.",
        type: "counter",
        samples: labelled(denials, "code"),
      },
      {
        name: "bascule_capability_denials_total",
        help: "Acts of running tools that were refused because the grant does not cover them.",
        type: "counter",
        samples: labelled(refusals, "permission"),
      },
      {
        name: "bascule_calls_active",
        help: "Calls without a result yet, running or waiting.",
        type: "gauge",
        samples: [{ labels: {}, value: active }],
      },
    ],
  };
}

function count<K>(into: Map<K, number>, key: K): void {
  into.set(key, (into.get(key) ?? 0) + 1);
}

function labelled(
  counts: ReadonlyMap<string, number>,
  name: string,
): { readonly labels: Record<string, string>; readonly value: number }[] {
  return [...counts].map(([key, value]) => ({ labels: { [name]: key }, value }));
}
