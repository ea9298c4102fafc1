/** What is done to the outcome of every run, whatever route it took: what it used is added, quotas count, secrets are taken out. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Execution, Executor, Outcome } from "./executor.ts";

export function finished(run: Executor, { secrets }: { readonly secrets: Pick<Secrets, "redact"> }): Executor {
  return async (execution) => {
    const outcome = counted(await run(execution), execution);
    // An outcome holds JSON only, and texts become texts; its interfaces just have no index signature (SPEC C7).
    return secrets.redact(outcome as unknown as JsonValue) as unknown as Outcome;
  };
}

/** A quota that was used up on the way ends the call, whatever the tool made of it (SPEC D9). */
function counted(outcome: Outcome, { meter, decision }: Execution): Outcome {
  const { bytesRead, bytesWritten, requests } = meter.use;
  const { cpuMs } = outcome.used;
  if (cpuMs !== undefined) meter.spend("cpuMs", cpuMs);
  const used = { ...outcome.used, bytesRead, bytesWritten, requests };
  const error = meter.excess ?? (isOfTheQuota(outcome, decision.limits.cpuMs) ? meter.outOfCpu() : undefined);
  if (error === undefined) return { ...outcome, used };
  const { filesModified, unfinished } = outcome;
  return { ok: false, error, used, filesModified, ...(unfinished && { unfinished }) };
}

/** Out of CPU time earlier than the call's own limit. */
function isOfTheQuota(outcome: Outcome, limitMs: number): boolean {
  if (outcome.ok || outcome.error.code !== "timeout") return false;
  const { limit, limitMs: keptMs } = outcome.error.details ?? {};
  return limit === "cpu" && typeof keptMs === "number" && keptMs < limitMs;
}
