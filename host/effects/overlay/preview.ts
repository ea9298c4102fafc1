/**
 * Finds out what a call will change before a person is asked about it: it runs dry, sending nothing, and when the person
 * agrees, exactly that is done (SPEC E2, E3, E8).
 */

import type { Execution, Executors, Outcome, OutcomeOk } from "../../tools/execution.ts";
import type { Quotas, QuotaSubject } from "../../policy/quotas/quotas.ts";
import { classOf } from "../../policy/policy.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { committedError, type DryRuns } from "./dry-runs.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";

/** What a call will change, and how to do it. */
export interface Previewed {
  readonly report: DryRunReport;
  /** The call was counted when it ran. */
  readonly begun: Extract<ReturnType<Quotas["begin"]>, { readonly ok: true }>;
  /** Does what was shown; the outcome is that of the dry run. */
  commit(): Promise<Outcome>;
  /** To be called once, when the call is over. */
  drop(): void;
}

/** @returns undefined where a dry run cannot tell: then the call runs after the person agreed, as any other. */
export type Preview = (wanted: Omit<Execution, "meter"> & { readonly counted: QuotaSubject }) => Promise<Previewed | undefined>;

export interface PreviewOptions {
  readonly dryRuns: DryRuns;
  readonly executors: Executors;
  readonly quotas: Pick<Quotas, "begin">;
  readonly isWanted: () => boolean;
}

/** Each holds as much as `OVERLAY_LIMITS` says, for as long as its question stands. */
const MAX_PREVIEWS = 8;

export function createPreview({ dryRuns, executors, quotas, isWanted }: PreviewOptions): Preview {
  let count = 0;
  return async ({ counted, ...wanted }) => {
    const { tool, call, decision, signal } = wanted;
    if (!isWanted() || count >= MAX_PREVIEWS) return undefined;
    if (tool.binding.kind !== "plugin" || decision.route !== "wasm" || classOf(tool) !== "write") return undefined;
    if (tool.binding.version.manifest.state === "session") return undefined;
    // At once: others look at it while this one waits for a slot.
    count += 1;
    let isKept = false;
    // It runs: it takes room like any other call, and counts like one.
    const slot = await (call.chain?.slots ?? call.session.slots).enter(signal);
    try {
      if (slot.kind !== "entered") return undefined;
      const begun = quotas.begin(counted);
      if (!begun.ok) return undefined;
      const outcome = await executors.wasm({ ...wanted, meter: begun.meter, dryRun: "preview" });
      if (!outcome.ok || outcome.dryRun?.canCommit !== true) return undefined;
      isKept = true;
      return { report: outcome.dryRun, begun, commit: () => commit(outcome), drop };
    } finally {
      if (slot.kind === "entered") slot.leave();
      if (!isKept) drop();
    }

    function drop(): void {
      dryRuns.dropPreview(call);
      count -= 1;
    }

    async function commit(outcome: OutcomeOk): Promise<Outcome> {
      const committed = await dryRuns.commitPreview(call);
      const { dryRun: _done, ...rest } = outcome;
      const { filesModified } = committed;
      if (committed.ok) return { ...rest, filesModified };
      return { ok: false, error: committedError(tool.qualifiedName, committed), used: outcome.used, filesModified };
    }
  };
}

/** True for a tool whose dry run can still tell others something: it is asked about like any other call. */
export function leavesTheMachine(tool: RegisteredTool): boolean {
  const sideEffects = classOf(tool);
  return sideEffects === "network" || sideEffects === "execute";
}
