/** Limits of a tool's calls: what its plugin requests, as far as the user or a rule allows it (SPEC B3, T2, M2). Pure. */

import { DEFAULT_LIMITS, LIMIT_CEILINGS, LIMIT_NAMES, type LimitRequest, type Limits, type PolicyConfig } from "../../manifests/mod.ts";
import type { LackingLimit } from "../call/limit-hint.ts";
import type { PluginVersion, RegisteredTool } from "../tools/tool.ts";

/**
 * Returns the limit of the policy for loading a plugin. Only rules with `plugin`, and the default, apply: a plugin is loaded as a whole,
 * before its tools exist. Of several rules for one plugin the strictest applies, as in `matchRules`.
 */
export function loadRule({ rules, default: usual }: Pick<PolicyConfig, "rules" | "default">, plugin: string): LimitRequest {
  const own = rules.flatMap((rule) => (rule.plugin === plugin ? (rule.limits?.loadMs ?? []) : []));
  const loadMs = own.length > 0 ? Math.min(...own) : usual.limits?.loadMs;
  return loadMs === undefined ? NO_LIMITS : { loadMs };
}

/** Limits in force, and requested limits above them. */
export interface ToolLimits {
  readonly limits: Limits;
  readonly lacking: readonly LackingLimit[];
}

/** Returns the limits above the defaults that the user accepted. Returns the same object until they change. */
export type AcceptedLimits = (version: Pick<PluginVersion, "name" | "digest" | "manifest">) => LimitRequest;

/** No limits above the defaults. */
export const NO_LIMITS: LimitRequest = Object.freeze({});

export interface LimitSources {
  /** Limits of the policy's rules, which replace the defaults and the accepted limits. */
  readonly rules: LimitRequest;
  readonly accepted: LimitRequest;
  /** Default wall time of the tool's class on its route. */
  readonly classWallMs: number;
  /** Timeout set by the caller. */
  readonly timeoutMs?: number | undefined;
}

/** Takes the caller's timeout, else the tool's, else its plugin's, else the default; a plugin's request never exceeds what was allowed. */
export function decideLimits(tool: RegisteredTool, sources: LimitSources): ToolLimits {
  const { rules, accepted, classWallMs, timeoutMs } = sources;
  const { definition, binding, plugin } = tool;
  const own: LimitRequest = binding.kind === "plugin" ? binding.version.manifest.limits : {};
  const wallMs = definition.timeoutMs ?? own.wallMs;
  const asked: LimitRequest = { ...own, ...(wallMs !== undefined && { wallMs }) };
  if (timeoutMs === undefined && isEmpty(asked) && isEmpty(rules)) return defaultsOf(classWallMs);
  // Tools of the project and of the embedding program need no consent: the user declared them.
  const isRequest = binding.kind === "plugin" && plugin !== undefined;
  const decided: Record<string, number> = {};
  for (const name of LIMIT_NAMES) {
    const usual = name === "wallMs" ? classWallMs : DEFAULT_LIMITS[name];
    const isFromCaller = name === "wallMs" && timeoutMs !== undefined;
    const allowed = isFromCaller || !isRequest ? LIMIT_CEILINGS[name] : Math.max(usual, accepted[name] ?? 0);
    const highest = Math.max(1, Math.min(rules[name] ?? allowed, LIMIT_CEILINGS[name]));
    decided[name] = Math.max(1, Math.min((isFromCaller ? timeoutMs : asked[name]) ?? usual, highest));
  }
  const limits = Object.freeze(decided) as unknown as Limits; // The loop above wrote every name of Limits.
  if (!isRequest) return { limits, lacking: [] };
  const lacking = LIMIT_NAMES.flatMap((limit): readonly LackingLimit[] => {
    const want = Math.min(asked[limit] ?? 0, LIMIT_CEILINGS[limit]);
    const isFromCaller = limit === "wallMs" && timeoutMs !== undefined;
    if (isFromCaller || want <= limits[limit]) return [];
    return [{ limit, asked: want, allowed: limits[limit], by: rules[limit] === undefined ? "consent" : "policy" }];
  });
  return { limits, lacking };
}

/** Returns the limits of most tools: one object per `classWallMs`, shared by what may be thousands of tools. */
function defaultsOf(classWallMs: number): ToolLimits {
  const known = DEFAULTS.get(classWallMs);
  if (known !== undefined) return known;
  const made = { limits: Object.freeze({ ...DEFAULT_LIMITS, wallMs: classWallMs }), lacking: [] };
  DEFAULTS.set(classWallMs, made);
  return made;
}

/** By wall time, of which classes and routes have only a few. */
const DEFAULTS = new Map<number, ToolLimits>();

function isEmpty(request: LimitRequest): boolean {
  return Object.keys(request).length === 0;
}
