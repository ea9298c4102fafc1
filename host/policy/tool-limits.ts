/** The limits of a tool's calls: what its plugin asks for, as far as a person or a rule allows it (SPEC B3, T2, M2). Pure. */

import { DEFAULT_LIMITS, LIMIT_CEILINGS, LIMIT_NAMES, type LimitRequest, type Limits, limitText } from "../../manifests/mod.ts";
import type { GrantHint, ToolErrorData } from "../call/errors.ts";
import type { PluginVersion, RegisteredTool } from "../tools/tool.ts";

/** A limit that a plugin asked to be higher than it is. */
export interface LackingLimit {
  readonly limit: keyof Limits;
  readonly asked: number;
  readonly allowed: number;
  /** Who allows more: a person (`bascule accept`), or the policy, whose rule sets it lower. */
  readonly by: "consent" | "policy";
}

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

/** A call of a plugin's tool. */
export interface LimitedCall {
  readonly plugin?: string | undefined;
  readonly lacking?: readonly LackingLimit[];
}

/** The error with what would have allowed more, if it is about a limit that the plugin asked to be higher (SPEC X3). */
export function withLimitHint(error: ToolErrorData, call: LimitedCall): ToolErrorData {
  const { limit, windowMs } = error.details ?? {};
  // A quota has a window, and is nothing that a manifest asks for.
  if (call.lacking === undefined || typeof limit !== "string" || windowMs !== undefined || error.hint !== undefined) return error;
  const hint = limitHint(TIMES.get(limit) ?? limit, call);
  return hint === undefined ? error : { ...error, hint };
}

/** The smallest change that allows as much of a limit as the plugin asks for; undefined if it has that. */
export function limitHint(limit: string, { plugin, lacking = [] }: LimitedCall): GrantHint | undefined {
  const found = lacking.find((one) => one.limit === limit);
  if (found === undefined || plugin === undefined) return undefined;
  const { asked, allowed, by } = found;
  const said = `Plugin "${plugin}" asks for ${limit} of ${limitText(found.limit, asked)}, and ${limitText(found.limit, allowed)} is allowed`;
  if (by === "consent") return { command: `bascule accept ${plugin}`, text: said };
  return { text: `${said} by the rule of "policy" that sets "limits": to allow it, have it say {"${limit}":${asked}}` };
}

/** Times have short names in errors. */
const TIMES: ReadonlyMap<string, keyof Limits> = new Map([
  ["wall", "wallMs"],
  ["cpu", "cpuMs"],
]);
