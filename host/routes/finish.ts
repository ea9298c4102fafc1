/** Post-processes the outcome of every run on every route: adds resource usage, charges quotas and redacts secrets. */

import type { JsonValue } from "../../manifests/mod.ts";
import { toolError } from "../call/errors.ts";
import type { Large } from "../primitives/json/large.ts";
import { takeIn } from "../primitives/json/take-in.ts";
import type { Platform } from "../platform/platform.ts";
import type { Secrets } from "../capabilities/secrets/secrets.ts";
import type { Execution, Executor, LargePart, Outcome } from "../tools/execution.ts";

interface FinishOptions {
  readonly secrets: Pick<Secrets, "redact" | "redactBytes">;
  readonly platform: Pick<Platform, "slices" | "sha256">;
}

export function finished(run: Executor, options: FinishOptions): Executor {
  return async (execution) => {
    const whole = counted(await run(execution), execution);
    if (whole.parts === undefined) return redacted(whole, options);
    const { parts, ...outcome } = whole;
    return await withLarge(redacted(outcome, options), parts, execution, options);
  };
}

/**
 * The cast is safe because an outcome holds only JSON and redaction keeps texts texts. Its interfaces merely lack an index signature (SPEC
 * C7).
 */
function redacted(outcome: Outcome, { secrets }: FinishOptions): Outcome {
  return secrets.redact(outcome as unknown as JsonValue) as unknown as Outcome;
}

/** Checks the parts that stay bytes. A part that does not match its `kind` fails the call. */
async function withLarge(
  outcome: Outcome,
  parts: readonly LargePart[],
  { decision }: Execution,
  { secrets, platform }: FinishOptions,
): Promise<Outcome> {
  const large = new Map<string, Large>();
  const options = { maxDepth: decision.limits.jsonDepth, sha256: platform.sha256, redact: secrets.redactBytes };
  for (const part of parts) {
    const taken = await platform.slices.run(takeIn(part, options));
    if (taken === undefined) {
      const { used, filesModified } = outcome;
      return { ok: false, error: toolError("invalid_output", "The output is not JSON"), used, filesModified };
    }
    large.set(part.at, taken);
  }
  return { ...outcome, large };
}

/** Ends the call with the quota's error if a quota ran out during the run, whatever the tool returned (SPEC D9). */
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

/** Whether CPU time ran out before the call's own limit, which means that the quota ended it. */
function isOfTheQuota(outcome: Outcome, limitMs: number): boolean {
  if (outcome.ok || outcome.error.code !== "timeout") return false;
  const { limit, limitMs: keptMs } = outcome.error.details ?? {};
  return limit === "cpu" && typeof keptMs === "number" && keptMs < limitMs;
}
