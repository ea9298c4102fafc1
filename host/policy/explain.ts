/** Explains why a tool may or may not do something: the verdict of each rule and layer, and the line that decided (SPEC P6). Pure. */

import {
  type AccessQuery,
  type AccessVerdict,
  evaluateAccess,
  type Limits,
  limitText,
  type Permissions,
  type Route,
  type RuleEffect,
  type SideEffectClass,
} from "../../manifests/mod.ts";
import type { Because, Confinement } from "../call/call.ts";
import type { ModeDecision } from "./confirmation-mode.ts";
import type { Quota } from "../call/quota.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { Grant } from "../call/grant.ts";
import type { MergedRules } from "./match.ts";
import { refusalBy, type ToolLayer } from "./tool-layers.ts";
import type { LackingLimit } from "../call/limit-hint.ts";

/** The explanation as data; `text` holds the same as lines for people. */
export interface Explanation {
  /** Qualified name. */
  readonly tool: string;
  /** `asks`: a call needs a confirmation. `unavailable`: the tool cannot run on its route. */
  readonly verdict: "allowed" | "asks" | "denied" | "unavailable";
  /** The rule or layer that decided. */
  readonly because: Because;
  readonly class: SideEffectClass;
  readonly route: Route;
  /** How the process of a trusted plugin is confined. */
  readonly confinement?: Confinement;
  readonly confirm: ModeDecision;
  /** Calls are refused if they cannot be recorded first, even if they change nothing. */
  readonly mustRecord: boolean;
  readonly limits: Limits;
  /** Limits that the plugin requests above those in force. */
  readonly lacking: readonly LackingLimit[];
  /** Every matching rule, most specific first, the default last. */
  readonly rules: readonly { readonly rule: string; readonly effect: RuleEffect }[];
  /** Every policy layer of the session, in evaluation order (SPEC P3). */
  readonly toolLayers: readonly { readonly layer: string; readonly level: string; readonly allowed: boolean; readonly rule: string }[];
  /** Grants of each layer; a call holds what all of them grant. */
  readonly layers: readonly { readonly layer: string; readonly permissions: Permissions }[];
  readonly quotas: readonly Quota[];
  /** The verdict on a single act, if the caller asked about one. */
  readonly act?: { readonly query: AccessQuery; readonly verdict: AccessVerdict };
  /** The same for people, one line each. */
  readonly text: readonly string[];
}

interface ExplainInput {
  readonly tool: RegisteredTool;
  readonly rules: MergedRules;
  readonly layers: readonly ToolLayer[];
  readonly grant: Grant;
  readonly route: Route;
  readonly confinement?: Confinement;
  /** Why the tool cannot run on its route. */
  readonly unavailable?: string;
  /** Why the session cannot see the tool. */
  readonly hidden?: string;
  readonly class: SideEffectClass;
  readonly mode: ModeDecision;
  readonly mustRecord: boolean;
  readonly limits: Limits;
  readonly lacking: readonly LackingLimit[];
  readonly quotas: readonly Quota[];
  readonly act?: AccessQuery;
}

export function explainTool(input: ExplainInput): Explanation {
  const { tool, rules, grant, route, confinement, mode, limits, lacking, act } = input;
  const { verdict, because } = judge(input);
  const asked = act && { query: act, verdict: evaluateAccess(grant.layers, act) };
  const explanation: Omit<Explanation, "text"> = {
    tool: tool.qualifiedName,
    verdict,
    because,
    class: input.class,
    route,
    ...(confinement && { confinement }),
    confirm: mode,
    mustRecord: input.mustRecord,
    limits,
    lacking,
    rules: rules.matched.map(({ because: { rule }, effect }) => ({ rule, effect })),
    toolLayers: input.layers.map((layer) => ({ layer: layer.name, level: layer.level, ...layer.verdict(tool) })),
    layers: grant.layers.map(({ name, permissions }) => ({ layer: name, permissions: permissions.source })),
    quotas: input.quotas,
    ...(asked && { act: asked }),
  };
  return { ...explanation, text: toLines(explanation) };
}

function judge({ tool, rules, layers, mode, route, unavailable, hidden }: ExplainInput): {
  readonly verdict: Explanation["verdict"];
  readonly because: Because;
} {
  if (hidden !== undefined) return { verdict: "denied", because: { layer: "visibility", rule: hidden } };
  if (tool.binding.kind === "unavailable") return { verdict: "unavailable", because: { layer: "plugin", rule: tool.binding.reason } };
  if (!rules.allow.value) return { verdict: "denied", because: rules.allow.because };
  const refusal = refusalBy(layers, tool);
  if (refusal !== undefined) return { verdict: "denied", because: refusal };
  if (unavailable !== undefined && mode.mode !== "deny")
    return { verdict: "unavailable", because: { layer: `route ${route}`, rule: unavailable } };
  if (mode.mode === "auto") return { verdict: "allowed", because: rules.allow.because };
  return { verdict: mode.mode === "deny" ? "denied" : "asks", because: mode.because };
}

function toLines(explanation: Omit<Explanation, "text">): readonly string[] {
  const { tool, verdict, because, confirm, act } = explanation;
  const lines = [
    `${tool}: ${verdict} (${because.layer}: ${because.rule})`,
    `  class    ${explanation.class}`,
    `  route    ${routeText(explanation)}`,
    `  confirm  ${confirm.mode} (${confirm.because.rule})`,
    ...(explanation.mustRecord ? ['  record   refused if it cannot be recorded first (audit.required "all")'] : []),
    ...explanation.rules.map(({ rule, effect }) => `  rule     ${rule}: ${JSON.stringify(effect)}`),
    ...explanation.toolLayers.map(
      ({ layer, level, allowed, rule }) => `  ${level.padEnd(8)} ${layer}: ${allowed ? "passes" : "denied"} (${rule})`,
    ),
  ];
  for (const { limit, asked, allowed, by } of explanation.lacking)
    lines.push(`  limit    ${limit} ${limitText(limit, allowed)}, requested ${limitText(limit, asked)} (${by})`);
  for (const { per, resource, limit, windowMs, rule } of explanation.quotas)
    lines.push(`  quota    ${limit} ${resource} in ${windowMs / 1000}s for each ${per} (${rule})`);
  if (act === undefined)
    return [...lines, ...explanation.layers.map(({ layer, permissions }) => `  layer    ${layer}: ${JSON.stringify(permissions)}`)];
  return [
    ...lines,
    `  act      ${actToText(act.query)}: ${act.verdict.state} (decided by ${act.verdict.decidedBy.layer}${act.verdict.decidedBy.rule === undefined ? "" : `: ${act.verdict.decidedBy.rule}`})`,
    ...act.verdict.layers.map(({ layer, state, rule }) => `  layer    ${layer}: ${state}${rule === undefined ? "" : ` by ${rule}`}`),
  ];
}

function actToText(query: AccessQuery): string {
  const what = "host" in query ? query.host : "path" in query ? query.path : "name" in query ? query.name : undefined;
  return what === undefined ? query.kind : `${query.kind} ${JSON.stringify(what)}`;
}

/** Formats a route for display: `host, each act checked by way of Deno's permissions`. */
export function routeText({ route, confinement }: { readonly route: string; readonly confinement?: Confinement }): string {
  if (confinement === undefined) return route;
  return confinement === "deno" ? `${route}, each act checked by way of Deno's permissions` : `${route}, UNCONFINED`;
}
