/** Finds the policy rules that match a tool and merges them (SPEC P2). Pure. */

import {
  type ConfirmMode,
  DEFAULT_LIMITS,
  LIMIT_NAMES,
  type LimitRequest,
  type Limits,
  type Permissions,
  type PolicyConfig,
  type PolicyRule,
  QUOTA_RESOURCES,
  QUOTA_SCOPES,
  type QuotaConfig,
  type QuotaResource,
  type QuotaScope,
  type Route,
  type RuleEffect,
  toEntry,
} from "../../manifests/mod.ts";
import { type Quota, quotasOf } from "../call/quota.ts";
import type { Because } from "../call/call.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { MODES_BY_STRICTNESS } from "../call/strictness.ts";
import { asMeant, isInGroup } from "./groups.ts";
import { matchesGlob, literalLength } from "./glob.ts";

/** A matching rule and how specific it is. */
interface MatchedRule {
  readonly effect: RuleEffect;
  readonly because: Because;
  /** Compared element by element; the larger is the more specific. */
  readonly specificity: readonly [kind: number, literals: number];
}

/** A field's value and the rule that set it. */
interface Setting<T> {
  readonly value: T;
  readonly because: Because;
}

/** The merge of all matching rules. A field that no rule sets is absent. */
export interface MergedRules {
  readonly allow: Setting<boolean>;
  readonly route?: Setting<Route>;
  readonly limits: LimitRequest;
  readonly confirm?: Setting<ConfirmMode>;
  readonly dryRun?: Setting<boolean>;
  /** AND-ed. More than one only if equally specific rules each grant something: the stricter counts. */
  readonly grants: readonly Permissions[];
  /** By resource and subject. Several of a kind only if equally specific rules set it: all of them apply. */
  readonly quotas: readonly Quota[];
  /** Most specific first, the default last. */
  readonly matched: readonly MatchedRule[];
}

/** Merges field by field: the most specific rule wins, among equals the stricter; `allow: false` in any rule but the default denies. */
export function matchRules(config: PolicyConfig, tool: RegisteredTool): MergedRules {
  const found = config.rules.flatMap((rule) => matchRule(rule, config, tool));
  if (found.length > 0 || isOff(tool)) return mergeRules([...found, defaultRule(config.default)], tool);
  // Most tools match no rule, so they share one result.
  const known = DEFAULTS.get(config.default);
  if (known !== undefined) return known;
  const merged = mergeRules([defaultRule(config.default)], tool);
  DEFAULTS.set(config.default, merged);
  return merged;
}

const DEFAULTS = new WeakMap<RuleEffect, MergedRules>();

function mergeRules(matched: MatchedRule[], tool: RegisteredTool): MergedRules {
  matched.sort((left, right) => right.specificity[0] - left.specificity[0] || right.specificity[1] - left.specificity[1]);
  const route = pick(matched, "route", ROUTES_BY_STRICTNESS);
  const confirm = pick(matched, "confirm", MODES_BY_STRICTNESS);
  const dryRun = pick(matched, "dryRun", [true, false]);
  return {
    allow: mergeAllow(matched, tool),
    ...(route && { route }),
    limits: mergeLimits(matched),
    ...(confirm && { confirm }),
    ...(dryRun && { dryRun }),
    grants: mergeGrants(matched),
    quotas: mergeQuotas(matched),
    matched,
  };
}

/** Strictest first. */
const ROUTES_BY_STRICTNESS: readonly Route[] = ["microvm", "wasm", "remote", "host"];

function defaultRule(effect: RuleEffect): MatchedRule {
  return { effect, because: { layer: "default", rule: "default" }, specificity: [0, 0] };
}

/** Specificity of a rule that names a tool. */
const BARE_TOOL = 5;

/** Returns at most one match, because a rule has exactly one selector. */
function matchRule(rule: PolicyRule, config: PolicyConfig, tool: RegisteredTool): readonly MatchedRule[] {
  const meant = matchSelector(rule, config, asMeant(tool));
  if (meant.length > 0 || tool.yieldsTo === undefined) return meant;
  // The name belongs to another tool: only the restrictions of the rule apply to this one.
  return matchSelector(rule, config, tool).map((matched) => ({ ...matched, effect: strictPart(rule) }));
}

/** Returns the restrictions of a rule (denials, bounds, confirmations) without its allowances. */
function strictPart({ allow, route, limits = {}, confirm, grants = {}, quota, dryRun }: RuleEffect): RuleEffect {
  const lower = LIMIT_NAMES.filter((name) => (limits[name] ?? Infinity) <= DEFAULT_LIMITS[name]);
  const denied = Object.entries(grants).flatMap(([kind, value]) => {
    const { deny } = toEntry(value);
    return deny === undefined ? [] : [[kind, { deny }] as const];
  });
  return {
    ...(allow === false && { allow }),
    ...((route === "wasm" || route === "microvm") && { route }),
    ...(lower.length > 0 && { limits: Object.fromEntries(lower.map((name) => [name, limits[name]])) }),
    ...((confirm === "prompt" || confirm === "deny") && { confirm }),
    ...(denied.length > 0 && { grants: Object.fromEntries(denied) }),
    ...(quota && { quota }),
    ...(dryRun === true && { dryRun }),
  };
}

function matchSelector(rule: PolicyRule, config: PolicyConfig, tool: RegisteredTool): readonly MatchedRule[] {
  const { tool: name, plugin, pattern, category, group } = rule;
  if (name !== undefined && name === tool.qualifiedName) return [matchedBy(rule, `tool ${name}`, BARE_TOOL + 1)];
  if (name !== undefined && name === tool.name) return [matchedBy(rule, `tool ${name}`, BARE_TOOL)];
  if (plugin !== undefined && plugin === tool.plugin) return [matchedBy(rule, `plugin ${plugin}`, 4)];
  if (pattern !== undefined && (matchesGlob(pattern, tool.qualifiedName) || matchesGlob(pattern, tool.name)))
    return [matchedBy(rule, `pattern ${pattern}`, 3, literalLength(pattern))];
  if (category !== undefined && category === tool.definition.category) return [matchedBy(rule, `category ${category}`, 2)];
  if (group !== undefined && isInGroup(tool, group, config.groups)) return [matchedBy(rule, `group ${group}`, 1)];
  return [];
}

/** A built-in that runs programs is off until a rule names it: patterns and groups written for other tools do not turn it on (SPEC G2). */
function isOff({ source, definition }: RegisteredTool): boolean {
  return source === "builtin" && definition.permissions?.run !== undefined;
}

/** Why a built-in that runs programs is off. */
const OFF: Because = Object.freeze({ layer: "built-in", rule: "off until a rule allows it by its name" });

/** Suggests the smallest rule that turns such a tool on. */
export function offHint({ name }: RegisteredTool, because: Because): { readonly text: string } | undefined {
  if (because !== OFF) return undefined;
  const rule = { tool: name, allow: true, grants: { run: ["<program>"] } };
  return { text: `it runs programs, and is off until "policy.rules" in bascule.json contains ${JSON.stringify(rule)}` };
}

function matchedBy(effect: RuleEffect, rule: string, kind: number, literals: number = 0): MatchedRule {
  return { effect, because: { layer: "rule", rule }, specificity: [kind, literals] };
}

function mergeAllow(matched: readonly MatchedRule[], tool: RegisteredTool): Setting<boolean> {
  const denial = matched.find(({ effect, because }) => effect.allow === false && because.layer !== "default");
  if (denial !== undefined) return { value: false, because: denial.because };
  const isNamed = matched.some(({ effect, specificity }) => effect.allow === true && specificity[0] >= BARE_TOOL);
  if (isOff(tool) && !isNamed) return { value: false, because: OFF };
  const decider = matched.find(({ effect }) => effect.allow !== undefined);
  return decider?.effect.allow === undefined
    ? { value: true, because: { layer: "default", rule: "default" } }
    : { value: decider.effect.allow, because: decider.because };
}

function pick<K extends "route" | "confirm" | "dryRun">(
  matched: readonly MatchedRule[],
  field: K,
  byStrictness: readonly RuleEffect[K][],
): Setting<NonNullable<RuleEffect[K]>> | undefined {
  const [best] = equalsOfFirst(matched, (effect) => effect[field] !== undefined).sort(
    (left, right) => byStrictness.indexOf(left.effect[field]) - byStrictness.indexOf(right.effect[field]),
  );
  const value = best?.effect[field];
  return best === undefined || value === undefined || value === null ? undefined : { value, because: best.because };
}

/** Merges each limit separately: a rule that sets one limit does not affect the others. */
function mergeLimits(matched: readonly MatchedRule[]): LimitRequest {
  const limits: { -readonly [K in keyof Limits]?: number } = {};
  const named = new Set(matched.flatMap(({ effect }) => Object.keys(effect.limits ?? {}) as (keyof Limits)[])); // Keys were checked by parseProject.
  for (const key of named) {
    const values = equalsOfFirst(matched, (effect) => effect.limits?.[key] !== undefined).map(
      ({ effect }) => effect.limits?.[key] ?? Infinity,
    );
    limits[key] = Math.min(...values);
  }
  return limits;
}

function mergeGrants(matched: readonly MatchedRule[]): readonly Permissions[] {
  return equalsOfFirst(matched, (effect) => effect.grants !== undefined).flatMap(({ effect }) => effect.grants ?? []);
}

/** Merges each resource and subject separately, as limits are. */
function mergeQuotas(matched: readonly MatchedRule[]): readonly Quota[] {
  if (matched.every(({ effect }) => effect.quota === undefined)) return [];
  const set = (effect: RuleEffect, per: QuotaScope, resource: QuotaResource): readonly QuotaConfig[] =>
    effect.quota?.filter((quota) => quota.per === per && quota[resource] !== undefined) ?? [];
  return QUOTA_SCOPES.flatMap((per) =>
    QUOTA_RESOURCES.flatMap((resource) =>
      equalsOfFirst(matched, (effect) => set(effect, per, resource).length > 0).flatMap(({ effect, because }) =>
        set(effect, per, resource).flatMap((quota) => quotasOf(quota, because.rule).filter((one) => one.resource === resource)),
      ),
    ),
  );
}

/** Returns the most specific rules that set a field; more than one only if they are equally specific. */
function equalsOfFirst(matched: readonly MatchedRule[], speaks: (effect: RuleEffect) => boolean): MatchedRule[] {
  const first = matched.find(({ effect }) => speaks(effect));
  if (first === undefined) return [];
  return matched.filter(
    ({ effect, specificity }) => speaks(effect) && specificity[0] === first.specificity[0] && specificity[1] === first.specificity[1],
  );
}
