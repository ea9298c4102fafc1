/** The policy in force, from `bascule.json` or from code; rebuilt when the file changes (SPEC P1, D8). */

import type { EmitEvent } from "../audit/events.ts";
import type { GrantStore } from "../project/grants/grants.ts";
import { denialsIn } from "../policy/merge-permissions.ts";
import type { HostOptions } from "./host-options.ts";
import { isVisibleTo } from "../tools/listing.ts";
import {
  type AccessQuery,
  type LayerRules,
  parsePermissions,
  type Permissions,
  type PolicyLayer,
  type Problem,
  problemToText,
  type ProjectConfig,
} from "../../manifests/mod.ts";
import { learningPolicy } from "../plugins/learn/learning-policy.ts";
import type { Places } from "../project/places.ts";
import type { Platform } from "../platform/platform.ts";
import type { Explanation } from "../policy/explain.ts";
import type { RunGrants } from "../call/grant.ts";
import { deadSelectors } from "../policy/dead-selectors.ts";
import { createPolicy, type Outlook, type Policy, type ProjectPolicy } from "../policy/policy.ts";
import { withoutAliases } from "../policy/enforced.ts";
import type { Protection } from "../policy/protect.ts";
import type { AcceptedLimits } from "../policy/tool-limits.ts";
import { type Look, parseEnforced, ProjectConfigError } from "../project/project-file.ts";
import { BUILTIN_ALIASES } from "../sources/builtin.ts";
import { createSession, type Session } from "../call/session.ts";
import type { SessionContext } from "../dispatch/sessions.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";

export interface PolicySourceOptions {
  readonly platform: Platform;
  readonly places: Places;
  readonly grants: GrantStore;
  readonly options: Pick<HostOptions, "policy" | "grants" | "learning">;
  readonly emit: EmitEvent;
  /** Limits that the user accepted for plugins. */
  readonly acceptedLimits: AcceptedLimits;
  /** Called when the policy changed. */
  readonly onChange?: () => void;
  /** Called after each refresh of the policy, to refresh what depends on the file. */
  readonly onRefresh?: () => Promise<void>;
  /** Real folders of loaded plugins and of plugin roots, links to them, and files of the project's own tools. */
  readonly pluginFolders: readonly (() => readonly string[])[];
}

export interface PolicySource {
  current(): Policy;
  confirmationTimeoutMs(): number;
  /** Reads `bascule.json` again. An invalid file is logged once and changes nothing; a deleted file means the defaults. */
  refresh(look?: Look): Promise<void>;
  /** Why the policy in force differs from `bascule.json` on disk. */
  notices(): readonly string[];
  /** Refreshes policy and grants every second until `close`. */
  watch(): void;
  explain(tool: RegisteredTool, session: Session, act?: AccessQuery): Explanation;
  /** Returns true if a call of the session could run: the tool is visible, available and not denied (SPEC P5). */
  canUse(tool: RegisteredTool, session: Session): boolean;
  /** @throws {ProjectConfigError} if a layer is not valid. */
  checkLayers(layers: readonly LayerRules[]): void;
  /** Returns the part of the decision that lists show; for a plugin's tool without its grant. */
  outlook(tool: RegisteredTool, session: Session): Outlook;
  /** Returns the policy as the embedding program sees it. */
  forHost(of: PolicyView): HostPolicy;
  close(): void;
}

/** The host that policy lookups refer to. */
export interface PolicyView {
  readonly snapshot: () => Snapshot;
  /** Names of plugins, loaded or not. */
  readonly plugins: () => readonly string[];
}

/** A layer added by code; `role` is required for level `role`. */
export type AddedLayer = Omit<PolicyLayer, "level">;

/** Methods of the embedding program to extend and query the policy (SPEC P3, P5). */
export interface HostPolicy {
  /** Names in the policy that match no known tool, plugin or category, so their denials have no effect. */
  warnings(): readonly Problem[];
  /**
   * Explains a tool under another `bascule.json`, as `why` does under this one; undefined for an unknown tool.
   *
   * @throws {ProjectConfigError} if the text is not valid.
   */
  alternative(text: string): (tool: string, role?: string, context?: SessionContext) => Explanation | undefined;
  /**
   * Adds a layer to every session, to a role, or to delegated sessions; returns a function that removes it.
   *
   * @throws {ProjectConfigError} if the layer is not valid.
   * @throws {TypeError} if the program supplied its own policy implementation.
   * @example
   * ```ts
   * const remove = host.policy.addLayer("role", { name: "guests", role: "guest", deny: ["group:write"] });
   * ```
   */
  addLayer(level: PolicyLayer["level"], layer: AddedLayer): () => void;
  /** Returns true if a call could run, without running it; false for an unknown tool. */
  canUse(role: string | undefined, tool: string, context?: SessionContext): boolean;
}

const WATCH_MS = 1_000;
const REFUSED = "bascule.json has errors; the last good one stays in force";

/** @throws {ProjectConfigError} if the policy or the grants from code are not valid. */
export function createPolicySource(source: PolicySourceOptions): PolicySource {
  const { platform, places, grants, options, emit, acceptedLimits, pluginFolders, onRefresh, onChange = () => {} } = source;
  const given = options.policy;
  const replaced = isPolicy(given) ? given : undefined;
  const section = given === undefined || isPolicy(given) ? undefined : parsePolicySection(given);
  const runGrants = toRunGrants(options.grants ?? {}, platform.environment.cwd);
  const added = new Set<PolicyLayer>();
  let config = places.project.config();
  let made = make();
  let refusedWith: string | undefined;
  let stopTimer = (): void => {};

  /** Applies the policy and the layers from code to the file. */
  function inForce(file: ProjectConfig): ProjectConfig {
    const policy = section ?? file.policy;
    return withoutAliases({ ...file, policy: { ...policy, layers: [...policy.layers, ...added] } }, BUILTIN_ALIASES);
  }

  function make(file: ProjectConfig = config): ProjectPolicy {
    const { root, folders } = places;
    const project = inForce(file);
    // Protects plugin folders wherever they really are: a plugin that edits another would gain its grants.
    const protect = places.protect.map((one): Protection => (one.pluginsOnly ? { ...one, folders: pluginFolders } : one));
    const decided = createPolicy({ project, root, grants, runGrants, acceptedLimits, folders, protect });
    return options.learning === undefined ? decided : { ...decided, ...learningPolicy(decided, options.learning, folders) };
  }

  function parseLayers(layers: readonly object[]): readonly PolicyLayer[] {
    const { groups } = section ?? config.policy;
    const parsed = parseEnforced(JSON.stringify({ policy: { groups, layers } }));
    if (!parsed.ok) throw new ProjectConfigError("the layers", parsed.problems);
    return parsed.value.policy.layers;
  }

  async function refresh(look: Look = "firm"): Promise<void> {
    await follow(look);
    await onRefresh?.();
  }

  async function follow(look: Look): Promise<void> {
    const wasThere = places.project.isThere();
    const outcome = await places.project.refresh(look);
    if (outcome.kind === "refused") {
      const problems = outcome.problems.map(problemToText);
      const text = problems.join("; ");
      if (text !== refusedWith) platform.log.write("error", REFUSED, { problems });
      refusedWith = text;
      return;
    }
    refusedWith = undefined;
    if (wasThere && !places.project.isThere())
      platform.log.write("warn", "bascule.json was deleted; the defaults apply", { path: places.project.path ?? "" });
    if (outcome.kind === "same") return;
    config = places.project.config();
    made = make();
    onChange();
    emit({ type: "policy.reloaded", payload: { path: places.project.path ?? "" } });
  }

  function tick(): void {
    stopTimer = platform.clock.after(WATCH_MS, () => {
      void Promise.all([refresh("passing"), grants.refresh()])
        .catch((error: unknown) => platform.log.write("error", "Cannot refresh the project's configuration", { error: String(error) }))
        .then(() => closed || tick());
    });
  }

  function forHost({ snapshot, plugins }: PolicyView): HostPolicy {
    const sessionFor = (role?: string, context: SessionContext = {}): Session =>
      createSession({ id: "", workspace: places.workspace, context, ...(role !== undefined && { role }) });
    return {
      addLayer,
      warnings: () => (replaced === undefined ? deadSelectors(inForce(config), { tools: snapshot().tools, plugins: plugins() }) : []),
      alternative(text) {
        const parsed = parseEnforced(text);
        if (!parsed.ok) throw new ProjectConfigError("the other policy", parsed.problems);
        const other = make(parsed.value);
        return (name, role, context) => {
          const tool = snapshot().find(name);
          return tool && other.explain(tool, sessionFor(role, context));
        };
      },
      canUse(role, name, context) {
        const tool = snapshot().find(name);
        return tool !== undefined && canUse(tool, sessionFor(role, context));
      },
    };
  }

  function canUse(tool: RegisteredTool, session: Session): boolean {
    if (tool.binding.kind === "unavailable" || !isVisibleTo(session, tool)) return false;
    if (!tool.definition.callers.includes("direct")) return false;
    const decision = outlook(tool, session);
    return decision.kind !== "deny" && decision.unavailable === undefined;
  }

  function outlook(tool: RegisteredTool, session: Session): Outlook {
    return replaced?.decide(tool, { session }) ?? made.outlook(tool, { session });
  }

  function addLayer(level: PolicyLayer["level"], layer: AddedLayer): () => void {
    if (replaced !== undefined) throw new TypeError("Cannot add a layer: the program uses its own policy implementation");
    const [checked] = parseLayers([{ ...layer, level }]);
    if (checked === undefined) return () => {};
    added.add(checked);
    made = make();
    onChange();
    return () => {
      if (!added.delete(checked)) return;
      made = make();
      onChange();
    };
  }

  let closed = false;
  return {
    forHost,
    canUse,
    current: () => replaced ?? made,
    confirmationTimeoutMs: () => config.confirmation.timeoutMs,
    notices: () => (refusedWith === undefined ? [] : [`${REFUSED}: ${refusedWith}`]),
    refresh,
    watch: tick,
    explain: (tool, session, act) => made.explain(tool, session, act),
    checkLayers: (layers) => void parseLayers(layers.map((layer) => ({ ...layer, level: "delegation" }))),
    outlook: (tool, session) => (tool.plugin === undefined ? (replaced ?? made).decide(tool, { session }) : outlook(tool, session)),
    close() {
      closed = true;
      stopTimer();
    },
  };
}

function isPolicy(policy: HostOptions["policy"]): policy is Policy {
  return policy !== undefined && typeof policy["decide"] === "function";
}

function parsePolicySection(section: Exclude<HostOptions["policy"], undefined>): ProjectConfig["policy"] {
  const parsed = parseEnforced(JSON.stringify({ policy: section }));
  if (!parsed.ok) throw new ProjectConfigError("the policy", parsed.problems);
  return parsed.value.policy;
}

/** Denials for `*` apply to every tool, not only to plugins. */
function toRunGrants(grants: Readonly<Record<string, Permissions>>, base: string): RunGrants {
  const perPlugin = new Map(Object.entries(checkGrants(grants)));
  const all = perPlugin.get("*");
  perPlugin.delete("*");
  const denied = all && denialsIn(all);
  const denies = denied !== undefined && Object.keys(denied).length > 0;
  return { base, perPlugin, ...(all && { all }), ...(denies && { denied }) };
}

/** A denial with an invalid pattern must not be ignored (SPEC C4). */
function checkGrants(grants: Readonly<Record<string, Permissions>>): Readonly<Record<string, Permissions>> {
  const problems = Object.entries(grants).flatMap(([plugin, permissions]) => {
    const parsed = parsePermissions(permissions, `/${plugin}`);
    return parsed.ok ? [] : parsed.problems;
  });
  if (problems.length > 0) throw new ProjectConfigError("the grants", problems);
  return grants;
}
