/** The limits of a tool's calls: what its plugin asks for, as far as a person or a rule allows it (SPEC B3, T2, M2). Pure. */

import { DEFAULT_LIMITS, LIMIT_CEILINGS, LIMIT_NAMES, type LimitRequest, type Limits } from "../../manifests/mod.ts";
import type { LackingLimit } from "../call/limit-hint.ts";
import type { PluginVersion, RegisteredTool } from "../tools/tool.ts";

/** What is in force, and what is asked for above it. */
export interface ToolLimits {
  readonly limits: Limits;
  readonly lacking: readonly LackingLimit[];
}

/** Limits above the defaults that a person accepted. The same object as long as nothing changed. */
export type AcceptedLimits = (version: Pick<PluginVersion, "name" | "digest" | "manifest">) => LimitRequest;

/** Nothing above the defaults. */
export const NO_LIMITS: LimitRequest = Object.freeze({});

export interface LimitSources {
  /** Of the policy's rules: in place of the defaults and of what a person accepted. */
  readonly rules: LimitRequest;
  readonly accepted: LimitRequest;
  /** Of the tool's class, on its route. */
  readonly classWallMs: number;
  /** The caller's own wish: whoever waits may say for how long. */
  readonly timeoutMs?: number | undefined;
}

/** The call's wish, else the tool's, else its plugin's, else the default; of a plugin never above what somebody allowed. */
export function decideLimits(tool: RegisteredTool, sources: LimitSources): ToolLimits {
  const { rules, accepted, classWallMs, timeoutMs } = sources;
  const { definition, binding, plugin } = tool;
  const own: LimitRequest = binding.kind === "plugin" ? binding.version.manifest.limits : {};
  const wallMs = definition.timeoutMs ?? own.wallMs;
  const asked: LimitRequest = { ...own, ...(wallMs !== undefined && { wallMs }) };
  if (timeoutMs === undefined && isEmpty(asked) && isEmpty(rules)) return defaultsOf(classWallMs);
  // The project's own tools and those of the embedding program are a person's word already.
  const isRequest = binding.kind === "plugin" && plugin !== undefined;
  const decided: Record<string, number> = {};
  for (const name of LIMIT_NAMES) {
    const usual = name === "wallMs" ? classWallMs : DEFAULT_LIMITS[name];
    const isWished = name === "wallMs" && timeoutMs !== undefined;
    const allowed = isWished || !isRequest ? LIMIT_CEILINGS[name] : Math.max(usual, accepted[name] ?? 0);
    const highest = Math.max(1, Math.min(rules[name] ?? allowed, LIMIT_CEILINGS[name]));
    decided[name] = Math.max(1, Math.min((isWished ? timeoutMs : asked[name]) ?? usual, highest));
  }
  const limits = Object.freeze(decided) as unknown as Limits; // Every name of Limits has just been written.
  if (!isRequest) return { limits, lacking: [] };
  const lacking = LIMIT_NAMES.flatMap((limit): readonly LackingLimit[] => {
    const want = Math.min(asked[limit] ?? 0, LIMIT_CEILINGS[limit]);
    const isWished = limit === "wallMs" && timeoutMs !== undefined;
    if (isWished || want <= limits[limit]) return [];
    return [{ limit, asked: want, allowed: limits[limit], by: rules[limit] === undefined ? "consent" : "policy" }];
  });
  return { limits, lacking };
}

/** The limits that most tools have: one object for all tools of the same `classWallMs`, which may be thousands. */
function defaultsOf(classWallMs: number): ToolLimits {
  const known = DEFAULTS.get(classWallMs);
  if (known !== undefined) return known;
  const made = { limits: Object.freeze({ ...DEFAULT_LIMITS, wallMs: classWallMs }), lacking: [] };
  DEFAULTS.set(classWallMs, made);
  return made;
}

/** By time; a class and a route have one of a few. */
const DEFAULTS = new Map<number, ToolLimits>();

function isEmpty(request: LimitRequest): boolean {
  return Object.keys(request).length === 0;
}
