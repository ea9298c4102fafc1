/**
 * Which tools a session may use: Global → Role → Task → Delegation (SPEC P3, P5). A call must pass every layer, and within a layer denials
 * win over allowances, so no layer can widen another.
 */

import type { FlatPermissions, LayerLevel, LayerRules, Permissions, PolicyConfig, PolicyLayer } from "../../manifests/mod.ts";
import type { Because } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { asMeant, isInGroup, isKnownGroup } from "./groups.ts";
import { matchesGlob } from "./glob.ts";

/** One layer of a session. */
export interface ToolLayer {
  readonly name: string;
  readonly level: LayerLevel;
  /** Pure for the same tool. */
  verdict(tool: RegisteredTool): ToolVerdict;
  /** Upper bound of the tools' permissions, for the kinds that it names. */
  readonly permissions?: Permissions;
  /** Calls are recorded before they do anything, or refused. */
  readonly mustRecord?: true;
}

/** A layer's verdict on a tool, and the line that decided it. */
interface ToolVerdict {
  readonly allowed: boolean;
  readonly rule: string;
}

/** The parts of a policy that layers are made from. */
interface ToolLayerSources {
  readonly policy: Pick<PolicyConfig, "layers" | "groups">;
  readonly roles: Readonly<Record<string, FlatPermissions>>;
}

/** Returns every layer of the session and its parents, ordered by level. */
export function toolLayersFor({ policy, roles }: ToolLayerSources, session: Session): readonly ToolLayer[] {
  const family = withParents(session);
  const rolesHeld = new Set(family.flatMap(({ role }) => role ?? []));
  const isDelegated = family.length > 1;
  const applies = (layer: PolicyLayer): boolean =>
    layer.level === "global" ||
    (layer.level === "role" && layer.role !== undefined && rolesHeld.has(layer.role)) ||
    (layer.level === "delegation" && isDelegated);
  const configured = policy.layers.filter(applies).map((layer) => toToolLayer(layer, layer.level, policy.groups));
  const flat = [...rolesHeld].flatMap((role) =>
    Object.hasOwn(roles, role) && roles[role] !== undefined ? [fromFlat(role, roles[role], policy.groups)] : [],
  );
  const task = TASK_LAYERS.filter(({ key }) => family.some(({ context }) => context?.[key] === true)).map(({ layer }) => layer);
  const own = family.flatMap(({ layers }) => layers).map((layer) => toToolLayer(layer, "delegation", policy.groups));
  const atLevel = (level: LayerLevel): readonly ToolLayer[] => configured.filter((layer) => layer.level === level);
  return [...atLevel("global"), ...atLevel("role"), ...flat, ...task, ...atLevel("delegation"), ...own];
}

/** Returns the first layer's refusal; undefined if every layer allows the tool. */
export function refusalBy(layers: readonly ToolLayer[], tool: RegisteredTool): Because | undefined {
  for (const layer of layers) {
    const { allowed, rule } = layer.verdict(tool);
    if (!allowed) return { layer: layer.name, rule };
  }
  return undefined;
}

/** The session first, then its parents. A session is created from its parent, so cycles cannot occur. */
function withParents(session: Session): readonly Session[] {
  const family: Session[] = [];
  for (let next: Session | undefined = session; next !== undefined; next = next.parent) family.push(next);
  return family;
}

type Groups = PolicyConfig["groups"];

function toToolLayer({ name, allow, deny = [], permissions, audit }: LayerRules, level: LayerLevel, groups: Groups): ToolLayer {
  return {
    name,
    level,
    ...(permissions !== undefined && { permissions }),
    ...(audit?.required === "all" && { mustRecord: true }),
    verdict(tool) {
      const denied = deny.find((selector) => isSelected(tool, selector, groups, true));
      if (denied !== undefined) return { allowed: false, rule: `deny ${denied}` };
      if (allow === undefined) return { allowed: true, rule: "allows all" };
      const allowed = allow.find((selector) => isSelected(asMeant(tool), selector, groups));
      return allowed === undefined ? { allowed: false, rule: "not in allow" } : { allowed: true, rule: `allow ${allowed}` };
    },
  };
}

/** Order of precedence: forbidden tools, allowed tools, category, web (SPEC P5). */
function fromFlat(role: string, flat: FlatPermissions, groups: Groups): ToolLayer {
  const { webAccess = true, allowedCategories, allowedTools = [], forbiddenTools = [] } = flat;
  const isLimited = allowedCategories !== undefined || flat.allowedTools !== undefined;
  return {
    name: `role ${role}`,
    level: "role",
    verdict(tool) {
      const forbidden = forbiddenTools.find((selector) => isSelected(tool, selector, groups, true));
      if (forbidden !== undefined) return { allowed: false, rule: `forbiddenTools ${forbidden}` };
      const named = allowedTools.find((selector) => isSelected(asMeant(tool), selector, groups));
      if (named !== undefined) return { allowed: true, rule: `allowedTools ${named}` };
      const { category } = tool.definition;
      if (isLimited && (category === undefined || allowedCategories?.includes(category) !== true))
        return { allowed: false, rule: allowedCategories === undefined ? "not in allowedTools" : "not in allowedCategories" };
      return webAccess || !isNetworkTool(tool) ? { allowed: true, rule: "allows it" } : { allowed: false, rule: "webAccess false" };
    },
  };
}

const TASK_LAYERS: readonly { readonly key: "readOnly" | "noWeb"; readonly layer: ToolLayer }[] = [
  { key: "readOnly", layer: taskLayer("readOnly", { write: false, run: false, ffi: false }, isWritingTool) },
  { key: "noWeb", layer: taskLayer("noWeb", { net: false, import: false }, isNetworkTool) },
];

function taskLayer(name: string, permissions: Permissions, isRemoved: (tool: RegisteredTool) => boolean): ToolLayer {
  return {
    name,
    level: "task",
    permissions,
    verdict: (tool) =>
      isRemoved(tool) ? { allowed: false, rule: `removes ${tool.qualifiedName}` } : { allowed: true, rule: "lets it pass" },
  };
}

function isWritingTool(tool: RegisteredTool): boolean {
  return tool.definition.destructive || isInGroup(tool, "write", {});
}

function isNetworkTool({ definition }: RegisteredTool): boolean {
  return definition.category === "web" || definition.sideEffects.some((effect) => effect === "network" || effect === "llm");
}

/** `ifUnknown` is the result for a group removed since the layer was checked: false in allowances, true in denials. */
function isSelected(tool: RegisteredTool, selector: string, groups: Groups, ifUnknown: boolean = false): boolean {
  if (selector.startsWith("group:")) return isKnownGroup(selector, groups) ? isInGroup(tool, selector, groups) : ifUnknown;
  if (selector.startsWith("category:")) return tool.definition.category === selector.slice("category:".length);
  return selector === tool.name || matchesGlob(selector, tool.qualifiedName) || matchesGlob(selector, tool.name);
}
