/** Decides calls: whether a tool may run, on which route, with which grant and limits, and whether it needs a confirmation (SPEC P, C2). */

import {
  type AccessQuery,
  DEFAULT_LIMITS,
  DEFAULT_PROJECT,
  expandHome,
  isAtOrBelow,
  type LimitRequest,
  type Limits,
  normalizePath,
  type PermissionBases,
  type ProjectConfig,
  type Route,
} from "../../manifests/mod.ts";
import type { AllowDecision, Decision, DenyDecision, ToolCall } from "../call/call.ts";
import { confirmationMode, type ModeDecision } from "./confirmation-mode.ts";
import type { Quota } from "../call/quota.ts";
import type { Session } from "../call/session.ts";
import { isVisibleTo } from "../tools/listing.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { explainTool, type Explanation } from "./explain.ts";
import type { Grant, GrantReader, RunGrants } from "../call/grant.ts";
import { createGrantLayers } from "./layers.ts";
import { matchRules, type MergedRules } from "./match.ts";
import type { Protection } from "./protect.ts";
import { classOf, writesOnlyOwnData } from "./side-effects.ts";
import { refusalBy, type ToolLayer, toolLayersFor } from "./tool-layers.ts";
import { type AcceptedLimits, decideLimits, NO_LIMITS, type ToolLimits } from "./tool-limits.ts";
import { confinementOf, unavailableOn } from "./trust.ts";
import { approvalFor, createTypeCeilings } from "./permission-types.ts";

/** The part of a policy that dispatch needs; every implementation passes the dispatch suite (SPEC D8). */
export interface Policy {
  /** Returns the limits that apply before a decision exists, such as the size of arguments. */
  limitsFor(tool: RegisteredTool, call: PolicySubject): Limits;
  /** Pure: the same tool, session and options get the same answer until the policy is replaced or a grant changes. */
  decide(tool: RegisteredTool, call: PolicySubject): Decision;
}

/** A decision that may lack its grant, which is expensive to compile. */
export type Outlook = DenyDecision | (Omit<AllowDecision, "grant"> & { readonly grant?: Grant });

/** The parts of a call that a decision may depend on. Arguments are not among them. */
type PolicySubject = Pick<ToolCall, "session" | "timeoutMs" | "callGrant">;

/** The policy of a project. */
export interface ProjectPolicy extends Policy {
  /** Returns the decision without the grant. Returns the same object for the same tool, session and limits. */
  outlook(tool: RegisteredTool, call: PolicySubject): Outlook;
  /** Returns every layer's verdict on the tool, and on `act` if given (SPEC P6). */
  explain(tool: RegisteredTool, session: Session, act?: AccessQuery): Explanation;
}

/** Inputs of `createPolicy`. */
export interface PolicyOptions {
  /** `bascule.json`. Without it everything is allowed on the Wasm route and nothing is granted (SPEC P1). */
  readonly project?: Pick<ProjectConfig, "policy" | "confirmation" | "roles"> & Partial<Pick<ProjectConfig, "trusted" | "audit">>;
  /** Folder of `bascule.json`, absolute. Its relative paths and those of stored grants resolve against it. */
  readonly root: string;
  /** Stored grants, read at each decision. */
  readonly grants: GrantReader;
  /** Grants for this run only, from the embedding program and `--allow-*` flags. */
  readonly runGrants?: RunGrants;
  /** Default: no limits above the defaults. */
  readonly acceptedLimits?: AcceptedLimits;
  /** Folders of `$data`, `$tmp` and `$home`; a plugin's `$data` is its own folder below `data`. */
  readonly folders?: Pick<PermissionBases, "data" | "tmp" | "home" | "named">;
  /** Paths that are denied whatever is granted, such as those of the host itself. */
  readonly protect?: readonly Protection[];
}

/** A cached outlook, with everything that could change it. */
interface Foreseen {
  readonly session: Session;
  readonly limits: Limits;
  readonly outlook: Outlook;
}

/** The limits of a tool's calls, cached until the user accepts others. */
interface UsualLimits extends ToolLimits {
  readonly accepted: LimitRequest;
}

const NO_LAYERS: readonly ToolLayer[] = Object.freeze([]);
const HOST_WALL_MS = 60_000;
const HOST_LONG_WALL_MS = 600_000;

/**
 * Creates the policy of a project: its rules, roles and layers, the stored grants, and the limits of each tool. Decisions are cached until
 * something that they depend on changes.
 */
export function createPolicy(options: PolicyOptions): ProjectPolicy {
  const { policy: config, confirmation, roles, trusted = [], audit = DEFAULT_PROJECT.audit } = options.project ?? DEFAULT_PROJECT;
  const grantLayers = createGrantLayers({ ...options, protectedNames: config.protected });
  const isTrusted = createTrust(confirmation.trustedWorkspaces, options);
  // Merged rules depend only on the tool, and registered tools never change.
  const merged = new WeakMap<RegisteredTool, MergedRules>();
  const usualLimits = new WeakMap<RegisteredTool, UsualLimits>();
  const foreseen = new WeakMap<RegisteredTool, Foreseen>();
  const decided = new WeakMap<Outlook, AllowDecision>();
  const ofSessions = new WeakMap<Session, readonly ToolLayer[]>();
  const ceilings = createTypeCeilings(config.permissionTypes);

  function rulesFor(tool: RegisteredTool): MergedRules {
    const known = merged.get(tool);
    if (known !== undefined) return known;
    const rules = matchRules(config, tool);
    merged.set(tool, rules);
    return rules;
  }

  function mustRecord(layers: readonly ToolLayer[]): boolean {
    return audit.required === "all" || layers.some((layer) => layer.mustRecord === true);
  }

  function layersOf(session: Session): readonly ToolLayer[] {
    const known = ofSessions.get(session);
    if (known !== undefined) return known;
    const found = toolLayersFor({ policy: config, roles }, session);
    // Sessions without layers share one array, because grants are cached by it.
    const layers = found.length === 0 ? NO_LAYERS : found;
    ofSessions.set(session, layers);
    return layers;
  }

  function toolLimits(tool: RegisteredTool, { timeoutMs }: Pick<PolicySubject, "timeoutMs">): ToolLimits {
    const { binding } = tool;
    const accepted = (binding.kind === "plugin" ? options.acceptedLimits?.(binding.version) : undefined) ?? NO_LIMITS;
    const known = usualLimits.get(tool);
    if (timeoutMs === undefined && known?.accepted === accepted) return known;
    const rules = rulesFor(tool);
    const decided = decideLimits(tool, { rules: rules.limits, accepted, classWallMs: classWallMs(tool, rules), timeoutMs });
    if (timeoutMs === undefined) usualLimits.set(tool, { ...decided, accepted });
    return decided;
  }

  function modeFor(tool: RegisteredTool, session: Session): ModeDecision {
    const rules = rulesFor(tool);
    const { confirm } = rules;
    const sideEffects = classOf(tool);
    const approval = approvalFor(config.permissionTypes, sideEffects);
    return confirmationMode({
      tool,
      class: sideEffects,
      // Only the sandbox holds every plugin to its permissions, on every platform.
      writesOnlyData: routeOf(tool, rules) === "wasm" && writesOnlyOwnData(tool),
      session,
      config: confirmation,
      isTrusted,
      ...(confirm && { rule: confirm }),
      ...(approval && { approval }),
    });
  }

  function outlook(tool: RegisteredTool, call: PolicySubject): Outlook {
    const { session } = call;
    const wanted = toolLimits(tool, call);
    const last = foreseen.get(tool);
    if (last !== undefined && last.session === session && last.limits === wanted.limits) return last.outlook;
    const found = Object.freeze(foresee(tool, session, wanted));
    foreseen.set(tool, { session, limits: wanted.limits, outlook: found });
    return found;
  }

  function foresee(tool: RegisteredTool, session: Session, { limits, lacking }: ToolLimits): Outlook {
    const rules = rulesFor(tool);
    if (!rules.allow.value) return { kind: "deny", because: rules.allow.because, by: "policy" };
    const layers = layersOf(session);
    const refusal = refusalBy(layers, tool);
    if (refusal !== undefined) return { kind: "deny", because: refusal, by: "policy" };
    const { mode, because } = modeFor(tool, session);
    if (mode === "deny") return { kind: "deny", because, by: "confirmation" };
    const route = routeOf(tool, rules);
    const confinement = route === "host" ? confinementOf(trusted, tool) : undefined;
    const unavailable = unavailableOn(route, tool, confinement);
    return {
      kind: mode === "auto" ? "allow" : "ask",
      route,
      ...(confinement && { confinement }),
      ...(unavailable !== undefined && { unavailable }),
      limits,
      ...(lacking.length > 0 && { lacking }),
      quotas: quotasFor(rules, session),
      because: rules.allow.because,
      confirm: mode,
      ...(rules.dryRun?.value === true && { dryRun: true }),
      ...(mustRecord(layers) && { mustRecord: true }),
    };
  }

  /** Returns the previous decision object if session, grant and limits are the same, so that callers can cache by it. */
  function decide(tool: RegisteredTool, call: PolicySubject): Decision {
    const seen = outlook(tool, call);
    if (seen.kind === "deny") return seen;
    const { session, callGrant } = call;
    const grant = grantLayers(tool, session.workspace, {
      ...(callGrant !== undefined && { callGrant }),
      ruleGrants: rulesFor(tool).grants,
      layers: layersOf(session),
      ceilings: ceilings(classOf(tool)),
    });
    const last = decided.get(seen);
    if (last !== undefined && last.grant === grant) return last;
    const decision: AllowDecision = Object.freeze({ ...seen, grant });
    decided.set(seen, decision);
    return decision;
  }

  return {
    decide,
    outlook,
    limitsFor: (tool, call) => toolLimits(tool, call).limits,
    explain: (tool, session, act) => {
      const rules = rulesFor(tool);
      const layers = layersOf(session);
      const grant: Grant = grantLayers(tool, session.workspace, { ruleGrants: rules.grants, layers, ceilings: ceilings(classOf(tool)) });
      const route = routeOf(tool, rules);
      const confinement = route === "host" ? confinementOf(trusted, tool) : undefined;
      const unavailable = unavailableOn(route, tool, confinement);
      return explainTool({
        tool,
        rules,
        layers,
        grant,
        route,
        ...(confinement && { confinement }),
        ...(unavailable !== undefined && { unavailable }),
        ...(!isVisibleTo(session, tool) && { hidden: hiddenFrom(session) }),
        class: classOf(tool),
        mode: modeFor(tool, session),
        mustRecord: mustRecord(layers),
        ...toolLimits(tool, {}),
        quotas: quotasFor(rules, session),
        ...(act && { act }),
      });
    },
  };
}

/** Quotas of parent sessions apply as well, because a session's use counts for its parents. */
function quotasFor({ quotas }: Pick<MergedRules, "quotas">, session: Session): readonly Quota[] {
  const own = session.quotas ?? [];
  const inherited = session.parent === undefined ? quotas : quotasFor({ quotas }, session.parent);
  return own.length === 0 ? inherited : [...inherited, ...own];
}

/** The default's route applies to plugins only. The user declared all other tools, so only an explicit rule moves them. */
function routeOf(tool: RegisteredTool, rules: MergedRules): Route {
  if (tool.plugin !== undefined) return rules.route?.value ?? "wasm";
  if (rules.route !== undefined && rules.route.because.layer !== "default") return rules.route.value;
  return tool.binding.kind === "remote" ? "remote" : "host";
}

/** Default wall time (SPEC T2). */
function classWallMs(tool: RegisteredTool, rules: MergedRules): number {
  const route = routeOf(tool, rules);
  if (route === "wasm" || route === "microvm") return DEFAULT_LIMITS.wallMs;
  const long = route === "host" && ["execute", "network"].includes(classOf(tool));
  return long ? HOST_LONG_WALL_MS : HOST_WALL_MS;
}

/** A call of a hidden tool answers as if the tool did not exist (SPEC R4). */
function hiddenFrom({ role }: Session): string {
  const whom = role === undefined ? "a session without a role" : `the role "${role}", or one that delegated to it`;
  return `hidden from ${whom} by its "visibility": a call answers tool_not_found`;
}

/** Returns a test for workspaces that are a trusted folder or below one. */
function createTrust(
  trusted: readonly string[],
  { root, folders }: Pick<PolicyOptions, "root" | "folders">,
): (workspace: string) => boolean {
  const home = folders?.home;
  const absolute = trusted.flatMap((folder) => normalizePath(home === undefined ? folder : expandHome(folder, home), root) ?? []);
  return (workspace) => absolute.some((folder) => isAtOrBelow(workspace, folder));
}
