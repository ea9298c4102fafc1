/** The public part of a decision (SPEC D6). */

import type { Decision, DecisionSummary, ToolCall } from "./call.ts";

const SUMMARIES = new WeakMap<Decision, DecisionSummary>();

/** Returns the summary without the grant's functions. Frozen and cached by decision, because every call uses it three times. */
export function summarizeDecision(decision: Decision): DecisionSummary {
  const known = SUMMARIES.get(decision);
  if (known !== undefined) return known;
  const summary = Object.freeze(summarize(decision));
  SUMMARIES.set(decision, summary);
  return summary;
}

/** Returns whether two decisions allow the same: by identity, or by content. */
export function isSameDecision(left: Decision, right: Decision): boolean {
  if (left === right) return true;
  // The summary lacks this member.
  if (left.kind !== "deny" && right.kind !== "deny" && left.mustRecord !== right.mustRecord) return false;
  return saysTheSame(left, right) || JSON.stringify(summarizeDecision(left)) === JSON.stringify(summarizeDecision(right));
}

/** Compares by parts: two sessions have separate decisions about a tool that share their parts, so this is fast. */
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

/** Returns whether a call is a dry run, by its options or by policy. Before the decision, only its options are known. */
export function isDryCall({ dryRun }: Pick<ToolCall, "dryRun">, decision: Decision | undefined): boolean {
  return dryRun === true || (decision !== undefined && decision.kind !== "deny" && decision.dryRun === true);
}
