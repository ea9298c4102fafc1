/**
 * Charts of the console (SPEC I5): calls from the journal and from now on, and the host's load since the server started.
 *
 * The journal is read once, when the first chart is opened. The load is sampled; each step keeps its highest sample.
 */

import type { Audit } from "../../audit/audit.ts";
import {
  type CallHistory,
  createCallHistory,
  HISTORY_MS,
  HISTORY_RANGE_NAMES,
  HISTORY_RANGES,
  type HistoryRange,
} from "../../audit/telemetry/call-history.ts";
import type { Load, MetricsHistoryView } from "../views.ts";
import { endedBy } from "../../audit/usage.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Clock } from "../../platform/platform.ts";

export interface MetricsHistory {
  /** @throws {JournalError} if another process holds the journal */
  read(range: HistoryRange, plugin?: string): Promise<MetricsHistoryView>;
  close(): void;
}

interface MetricsHistoryOptions {
  readonly host: Pick<Host, "subscribe" | "load" | "confirmations"> & { readonly audit: Pick<Audit, "flush" | "calls"> };
  readonly clock: Pick<Clock, "now" | "after">;
}

const SAMPLE_MS = 10_000;
const LOAD_NAMES = ["memoryBytes", "busy", "queued", "confirmations"] as const;

export function createMetricsHistory({ host, clock }: MetricsHistoryOptions): MetricsHistory {
  const calls: CallHistory = createCallHistory();
  const begun = clock.now();
  const loads = new Map(HISTORY_RANGE_NAMES.map((range) => [range, new Map<number, Load>()]));
  let past: Promise<number> | undefined;
  let stopTimer = (): void => {};

  const unsubscribe = host.subscribe((event) => {
    const call = endedBy(event);
    if (call !== undefined) calls.add(call);
  });

  function sample(): void {
    const { memoryBytes = 0, busy = 0, queued = 0 } = host.load() ?? {};
    const now: Load = { memoryBytes, busy, queued, confirmations: host.confirmations.list().length };
    for (const [range, steps] of loads) {
      const step = Math.floor(clock.now() / HISTORY_RANGES[range].stepMs);
      steps.set(step, highest(steps.get(step), now));
      for (const other of steps.keys()) if (Math.abs(other - step) >= HISTORY_RANGES[range].steps) steps.delete(other);
    }
    stopTimer = clock.after(SAMPLE_MS, sample);
  }

  /** Calls that ended before the subscription. @returns how many parts of the journal cannot be read */
  async function readPast(): Promise<number> {
    await host.audit.flush();
    const { counts, damage } = await host.audit.calls({ since: begun - HISTORY_MS, until: begun });
    calls.merge(counts);
    return damage;
  }

  sample();
  return {
    async read(range, plugin) {
      past ??= readPast();
      const damage = await past.catch((error: unknown) => {
        // The next request tries again.
        past = undefined;
        throw error;
      });
      const now = clock.now();
      const { from, series, overall } = calls.read(range, now, plugin);
      const { stepMs, steps } = HISTORY_RANGES[range];
      const sampled = Array.from({ length: steps }, (_, nth) => loads.get(range)?.get(from / stepMs + nth));
      const [memoryBytes, busy, queued, confirmations] = LOAD_NAMES.map((name) => sampled.map((load) => load?.[name] ?? null));
      return {
        ...{ range, from, stepMs, ...series, overall, plugins: calls.totals(range, now), damage },
        ...{ memoryBytes: memoryBytes ?? [], busy: busy ?? [], queued: queued ?? [], confirmations: confirmations ?? [] },
      };
    },
    close() {
      unsubscribe();
      stopTimer();
    },
  };
}

function highest(one: Load | undefined, other: Load): Load {
  if (one === undefined) return other;
  return {
    memoryBytes: Math.max(one.memoryBytes, other.memoryBytes),
    busy: Math.max(one.busy, other.busy),
    queued: Math.max(one.queued, other.queued),
    confirmations: Math.max(one.confirmations, other.confirmations),
  };
}
