/** Counts calls for Prometheus, in memory that does not grow with what callers make up. */

import type { ErrorCode } from "../../call/errors.ts";
import { PERMISSION_KINDS, type Route } from "../../../manifests/mod.ts";
import type { MetricFamily } from "./metric.ts";

/** What is counted of a call that has ended. */
export interface EndedCall {
  /** Its qualified name; absent where no such tool is registered: what a caller made up is no label. */
  readonly tool?: string;
  readonly outcome: "ok" | ErrorCode;
  /** Absent where a gate ended it. */
  readonly route?: Route;
  readonly durationMs: number;
}

/** Counts from its creation on. */
export interface CallCounters {
  begun(): void;
  ended(call: EndedCall): void;
  /** A guest's act was refused while its call ran. */
  refused(permission: string): void;
  families(): readonly MetricFamily[];
}

/** Tools beyond these are counted together. */
const MAX_TOOLS = 200;
const OTHER = "(other)";
const UNKNOWN = "(unknown)";
/** In seconds: from what the sandbox needs to the longest deadline. */
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
    // A trusted plugin's process may have any word for it.
    refused: (permission) => count(refusals, KINDS.has(permission) ? permission : OTHER),
    families: () => [
      {
        name: "bascule_calls_total",
        help: "Calls that ended, by tool and by what came of them: ok, or an error code.",
        type: "counter",
        samples: [...calls].flatMap(([tool, outcomes]) => [...outcomes].map(([outcome, value]) => ({ labels: { tool, outcome }, value }))),
      },
      {
        name: "bascule_call_duration_seconds",
        help: "From a call's arrival to its result, waiting for a slot included, for a person not.",
        type: "histogram",
        bounds: DURATION_BOUNDS,
        samples: [...durations].map(([route, distribution]) => ({ labels: { route }, ...distribution })),
      },
      {
        name: "bascule_denials_total",
        help: "Calls that a gate or a person refused.",
        type: "counter",
        samples: labelled(denials, "code"),
      },
      {
        name: "bascule_capability_denials_total",
        help: "Acts of running tools that their grant did not cover.",
        type: "counter",
        samples: labelled(refusals, "permission"),
      },
      {
        name: "bascule_calls_active",
        help: "Calls that have no result yet, also those that wait.",
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
