/** The part of a decision that leaves the host (SPEC D6). */

import type { Decision, DecisionSummary, ToolCall } from "./call.ts";

const SUMMARIES = new WeakMap<Decision, DecisionSummary>();

/** Without the grant's functions. Frozen, and the same object for the same decision: every call tells it three times. */
export function summarizeDecision(decision: Decision): DecisionSummary {
  const known = SUMMARIES.get(decision);
  if (known !== undefined) return known;
  const summary = Object.freeze(summarize(decision));
  SUMMARIES.set(decision, summary);
  return summary;
}

/** Whether both allow the same: the same object, or one that says the same. */
export function isSameDecision(left: Decision, right: Decision): boolean {
  if (left === right) return true;
  // It is no part of what others see of a decision.
  if (left.kind !== "deny" && right.kind !== "deny" && left.mustRecord !== right.mustRecord) return false;
  return saysTheSame(left, right) || JSON.stringify(summarizeDecision(left)) === JSON.stringify(summarizeDecision(right));
}

/** Two sessions have two decisions about a tool, made of the same parts: these are compared quickly. */
function saysTheSame(left: Decision, right: Decision): boolean {
  if (left.kind === "deny" || right.kind === "deny") return false;
  const [{ kind, route, grant, limits, dryRun, confinement, because }, other] = [left, right];
  if (kind !== other.kind || route !== other.route || grant !== other.grant || limits !== other.limits) return false;
  return dryRun === other.dryRun && confinement === other.confinement && because === other.because;
}

function summarize(decision: Decision): DecisionSummary {
  const because = Object.freeze({ ...decision.because });
  if (decision.kind === "deny") return { kind: "deny", because };
  const { kind, route, confinement, limits, grant, dryRun } = decision;
  const grants = grant.layers.map(({ name, permissions }) => Object.freeze({ layer: name, permissions: permissions.source }));
  return {
    kind,
    route,
    ...(confinement && { confinement }),
    limits,
    ...(dryRun && { dryRun }),
    grants: Object.freeze(grants),
    because,
  };
}

/** Whether a call is to change nothing: its caller wants it so, or policy. Before the decision only the caller's wish is known. */
export function isDryCall({ dryRun }: Pick<ToolCall, "dryRun">, decision: Decision | undefined): boolean {
  return dryRun === true || (decision !== undefined && decision.kind !== "deny" && decision.dryRun === true);
}
