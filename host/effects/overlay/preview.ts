/**
 * Previews a call before the user confirms it: runs it dry without sending anything, and commits exactly that when the user agrees (SPEC
 * E2, E3, E8).
 */

import type { Execution, Executors, Outcome, OutcomeOk } from "../../tools/execution.ts";
import type { Quotas, QuotaSubject } from "../../policy/quotas/quotas.ts";
import { classOf } from "../../policy/side-effects.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { committedError, type DryRuns } from "./dry-runs.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";

/** A preview's report, and its commit. Disposed of once, when the call is over. */
export interface Previewed extends Disposable {
  readonly report: DryRunReport;
  /** Quota entry of the preview run. */
  readonly begun: Extract<ReturnType<Quotas["begin"]>, { readonly ok: true }>;
  /** Commits the shown changes. The outcome is that of the dry run. */
  commit(): Promise<Outcome>;
}

/** @returns undefined if a dry run is not possible: then the call runs normally once confirmed */
export type Preview = (wanted: Omit<Execution, "meter"> & { readonly counted: QuotaSubject }) => Promise<Previewed | undefined>;

interface PreviewOptions {
  readonly dryRuns: DryRuns;
  readonly executors: Executors;
  readonly quotas: Pick<Quotas, "begin">;
  readonly isWanted: () => boolean;
}

/** Each holds as much as `OVERLAY_LIMITS` allows, until its confirmation is answered. */
const MAX_PREVIEWS = 8;

export function createPreview({ dryRuns, executors, quotas, isWanted }: PreviewOptions): Preview {
  let count = 0;
  return async ({ counted, ...wanted }) => {
    const { tool, call, decision, signal } = wanted;
    if (!isWanted() || count >= MAX_PREVIEWS) return undefined;
    if (tool.binding.kind !== "plugin" || decision.route !== "wasm" || classOf(tool) !== "write") return undefined;
    if (tool.binding.version.manifest.state === "session") return undefined;
    // Counted now, because other calls check it while this one waits for a slot.
    count += 1;
    using unwanted = new DisposableStack();
    unwanted.defer(drop);
    // The preview takes a slot and counts like any other call.
    const slot = await (call.chain?.slots ?? call.session.slots).enter(signal);
    if (slot.kind !== "entered") return undefined;
    unwanted.defer(() => slot.leave());
    const begun = quotas.begin(counted);
    if (!begun.ok) return undefined;
    const outcome = await executors.wasm({ ...wanted, meter: begun.meter, dryRun: "preview" });
    if (!outcome.ok || outcome.dryRun?.canCommit !== true) return undefined;
    unwanted.move();
    slot.leave();
    return { report: outcome.dryRun, begun, commit: () => commit(outcome), [Symbol.dispose]: drop };

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

/** Returns whether a tool's effects can leave the machine. Its confirmation has no preview. */
export function leavesTheMachine(tool: RegisteredTool): boolean {
  const sideEffects = classOf(tool);
  return sideEffects === "network" || sideEffects === "execute";
}
