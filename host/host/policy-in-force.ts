/** The policy in force: that of `bascule.json` or of code, with the layers that code added (SPEC P1). */

import type { AccessQuery, LayerRules, PolicyLayer, Problem, ProjectConfig } from "../../manifests/mod.ts";
import type { Session } from "../call/session.ts";
import { learningPolicy } from "../plugins/learn/learning-policy.ts";
import { deadSelectors } from "../policy/dead-selectors.ts";
import { withoutAliases } from "../policy/enforced.ts";
import type { Explanation } from "../policy/explain.ts";
import { createPolicy, type Outlook, type Policy, type ProjectPolicy } from "../policy/policy.ts";
import type { Protection } from "../policy/protect.ts";
import type { AcceptedLimits } from "../policy/tool-limits.ts";
import type { GrantStore } from "../project/grants/grants.ts";
import type { Places } from "../project/places.ts";
import { parseEnforced, ProjectConfigError } from "../project/project-file.ts";
import { BUILTIN_ALIASES } from "../sources/builtin.ts";
import { isVisibleTo } from "../tools/listing.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { CodePolicy } from "./code-policy.ts";
import type { HostOptions } from "./host-options.ts";

/** A layer added by code; `role` is required for level `role`. */
export type AddedLayer = Omit<PolicyLayer, "level">;

export interface PolicyInForceOptions {
  readonly places: Pick<Places, "project" | "root" | "folders" | "protect">;
  readonly grants: GrantStore;
  readonly codePolicy: CodePolicy;
  readonly learning: HostOptions["learning"];
  /** Limits that the user accepted for plugins. */
  readonly acceptedLimits: AcceptedLimits;
  /** Real folders of loaded plugins and of plugin roots, links to them, and files of the project's own tools. */
  readonly pluginFolders: readonly (() => readonly string[])[];
  /** Called when the policy changed. */
  readonly onChange: () => void;
}

export interface PolicyInForce {
  current(): Policy;
  /** Returns the `bascule.json` in force. */
  config(): ProjectConfig;
  /** Puts another `bascule.json` in force. */
  apply(file: ProjectConfig): void;
  /** Returns the policy that another `bascule.json` would give. */
  under(file: ProjectConfig): ProjectPolicy;
  explain(tool: RegisteredTool, session: Session, act?: AccessQuery): Explanation;
  /** Returns true if a call of the session could run: the tool is visible, available and not denied (SPEC P5). */
  canUse(tool: RegisteredTool, session: Session): boolean;
  /** Returns the part of the decision that lists show; for a plugin's tool without its grant. */
  outlook(tool: RegisteredTool, session: Session): Outlook;
  /** Returns names in the policy that match nothing known; none if the program uses its own implementation. */
  deadNames(known: Parameters<typeof deadSelectors>[1]): readonly Problem[];
  /** @throws {ProjectConfigError} if a layer is not valid. */
  checkLayers(layers: readonly LayerRules[]): void;
  /** Adds a layer until the returned function is called. As `addLayer` of `HostPolicy`. */
  addLayer(level: PolicyLayer["level"], layer: AddedLayer): () => void;
}

export function createPolicyInForce(options: PolicyInForceOptions): PolicyInForce {
  const { section, replacement } = options.codePolicy;
  const added = new Set<PolicyLayer>();
  let config = options.places.project.config();
  let made = under(config);

  function under(file: ProjectConfig): ProjectPolicy {
    return toPolicy(withCode(file, section, added), options);
  }

  function apply(file: ProjectConfig): void {
    config = file;
    made = under(config);
    options.onChange();
  }

  function parseLayers(layers: readonly object[]): readonly PolicyLayer[] {
    const { groups } = section ?? config.policy;
    const parsed = parseEnforced(JSON.stringify({ policy: { groups, layers } }));
    if (!parsed.ok) throw new ProjectConfigError("the layers", parsed.problems);
    return parsed.value.policy.layers;
  }

  function addLayer(level: PolicyLayer["level"], layer: AddedLayer): () => void {
    if (replacement !== undefined) throw new TypeError("Cannot add a layer: the program uses its own policy implementation");
    const [checked] = parseLayers([{ ...layer, level }]);
    if (checked === undefined) return () => {};
    added.add(checked);
    apply(config);
    return () => {
      if (added.delete(checked)) apply(config);
    };
  }

  function withoutGrant(tool: RegisteredTool, session: Session): Outlook {
    return replacement?.decide(tool, { session }) ?? made.outlook(tool, { session });
  }

  return {
    current: () => replacement ?? made,
    config: () => config,
    apply,
    under,
    explain: (tool, session, act) => made.explain(tool, session, act),
    canUse(tool, session) {
      if (tool.binding.kind === "unavailable" || !isVisibleTo(session, tool)) return false;
      if (!tool.definition.callers.includes("direct")) return false;
      const decision = withoutGrant(tool, session);
      return decision.kind !== "deny" && decision.unavailable === undefined;
    },
    outlook: (tool, session) => (tool.plugin === undefined ? (replacement ?? made).decide(tool, { session }) : withoutGrant(tool, session)),
    deadNames: (known) => (replacement === undefined ? deadSelectors(withCode(config, section, added), known) : []),
    checkLayers: (layers) => void parseLayers(layers.map((layer) => ({ ...layer, level: "delegation" }))),
    addLayer,
  };
}

/** Applies the policy and the layers from code to the file. */
function withCode(file: ProjectConfig, section: CodePolicy["section"], added: ReadonlySet<PolicyLayer>): ProjectConfig {
  const policy = section ?? file.policy;
  return withoutAliases({ ...file, policy: { ...policy, layers: [...policy.layers, ...added] } }, BUILTIN_ALIASES);
}

function toPolicy(project: ProjectConfig, options: PolicyInForceOptions): ProjectPolicy {
  const { places, grants, codePolicy, learning, acceptedLimits, pluginFolders } = options;
  const { root, folders } = places;
  // Protects plugin folders wherever they really are: a plugin that edits another would gain its grants.
  const protect = places.protect.map((one): Protection => (one.pluginsOnly ? { ...one, folders: pluginFolders } : one));
  const decided = createPolicy({ project, root, grants, runGrants: codePolicy.runGrants, acceptedLimits, folders, protect });
  return learning === undefined ? decided : { ...decided, ...learningPolicy(decided, learning, folders) };
}
