/** Builds a call's grant: the permission layers that every act must pass, in order (SPEC C2, PA3, P8). */

import {
  compilePermissions,
  type CompiledPermissions,
  type PermissionBases,
  PERMISSION_KINDS,
  type PermissionLayer,
  type Permissions,
  permissionsForEffects,
  protectNames,
} from "../../manifests/mod.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { intersectCompiled, uniteCompiled } from "./combine.ts";
import type { CallGrant, Grant, GrantReader, RunGrants } from "../call/grant.ts";
import type { Ceiling } from "./permission-types.ts";
import { PROTECTED_NAMES, type Protection, toProtectionLayer } from "./protect.ts";
import type { ToolLayer } from "./tool-layers.ts";

/** Inputs of the layers; same fields as in `PolicyOptions`. */
interface LayerSources {
  readonly root: string;
  readonly grants: GrantReader;
  readonly runGrants?: RunGrants;
  readonly folders?: Pick<PermissionBases, "data" | "tmp" | "home" | "named">;
  readonly protect?: readonly Protection[];
  /** Names that tools without a grant may not touch (`policy.protected`). Default: none. */
  readonly protectedNames?: readonly string[];
}

/** Layers that deny protected paths. Built once, because a host may have thousands of tools. */
interface Protections {
  readonly ofAll: readonly PermissionLayer[];
  readonly ofPlugins: readonly PermissionLayer[];
}

type Sources = LayerSources & { readonly protections: Protections };

interface Remembered {
  readonly workspace: string;
  readonly stored: Permissions | undefined;
  readonly layers: readonly ToolLayer[];
  readonly grant: Grant;
}

/** Permissions of built-in tools (SPEC C2). Tools of the embedding program get the same: they run in the host's process anyway. */
const HOST_TOOL_PERMISSIONS: Permissions = { read: ["$workspace"], write: ["$workspace"] };

/** Additions of the policy to a tool's grant, for one session. */
interface PolicyGrants {
  /** AND-ed with each other; the result counts as a user grant. */
  readonly ruleGrants: readonly Permissions[];
  /** Layers of the session. Must be the same array while they are unchanged: the grant is cached by it. */
  readonly layers: readonly ToolLayer[];
  readonly ceilings: readonly Ceiling[];
  /** Permissions that the user granted for the call. Must be the same object for all decisions about it: its grant is cached by it. */
  readonly callGrant?: CallGrant;
}

type GrantLayers = (tool: RegisteredTool, workspace: string, policy: PolicyGrants) => Grant;

/** Returns a function that makes grants. Caches the last grant of each tool, because compiling takes longer than a whole call. */
export function createGrantLayers(given: LayerSources): GrantLayers {
  const all = (given.protect ?? []).map((protection) => ({ protection, layer: toProtectionLayer(protection) }));
  const ofAll = all.filter(({ protection }) => !protection.pluginsOnly).map(({ layer }) => layer);
  const sources = { ...given, protections: { ofAll, ofPlugins: all.map(({ layer }) => layer) } };
  const remembered = new WeakMap<RegisteredTool, Remembered>();
  const ofCalls = new WeakMap<CallGrant, WeakMap<RegisteredTool, Remembered>>();
  function memoryOf(callGrant: CallGrant | undefined): WeakMap<RegisteredTool, Remembered> {
    if (callGrant === undefined) return remembered;
    const memory = ofCalls.get(callGrant) ?? new WeakMap<RegisteredTool, Remembered>();
    ofCalls.set(callGrant, memory);
    return memory;
  }
  return (tool, workspace, policy) => {
    const { binding, plugin } = tool;
    const version = binding.kind === "plugin" ? binding.version : undefined;
    const stored = version && plugin !== undefined ? sources.grants.find(plugin, version.directory, version.digest) : undefined;
    const memory = memoryOf(policy.callGrant);
    const known = memory.get(tool);
    const { layers } = policy;
    if (known !== undefined && known.workspace === workspace && known.stored === stored && known.layers === layers) return known.grant;
    const grant: Grant = Object.freeze({ layers: Object.freeze(compileLayers(sources, tool, workspace, { ...policy, stored })) });
    memory.set(tool, { workspace, stored, layers, grant });
    return grant;
  };
}

function compileLayers(
  sources: Sources,
  tool: RegisteredTool,
  workspace: string,
  policy: PolicyGrants & { readonly stored: Permissions | undefined },
): readonly PermissionLayer[] {
  const { definition, binding } = tool;
  const bases = (base: string): PermissionBases => ({
    ...sources.folders,
    ...dataFolder(sources, tool),
    base,
    workspace,
    ...(binding.kind === "plugin" && { plugin: binding.version.directory }),
  });
  const hard = (name: string, permissions: CompiledPermissions): PermissionLayer => ({
    name,
    permissions,
    unnamed: "none",
    otherwise: "denied",
  });
  const classLayer = hard("class", compilePermissions(permissionsForEffects(definition.sideEffects), bases(workspace)));
  const narrowing = [...policy.ceilings, ...policy.layers].flatMap(({ name, permissions }) =>
    permissions === undefined ? [] : [toPolicyLayer(name, permissions, bases(sources.root))],
  );
  const policyLayers = [...narrowing, ...denials(sources, tool, bases)];

  // A project's own tool holds the permissions that the user declared for it.
  if (binding.kind !== "plugin" || tool.plugin === undefined) {
    const own = definition.permissions ?? HOST_TOOL_PERMISSIONS;
    // Tools without declared permissions may not touch protected names.
    const names = definition.permissions === undefined ? (sources.protectedNames ?? []) : [];
    if (names.length > 0) policyLayers.push(toPolicyLayer(PROTECTED_NAMES, protectNames(names), bases(workspace)));
    const programs = own.run === undefined ? [] : [programLayer(userLayer(sources, tool, bases, policy))];
    return [hard("builtin", compilePermissions(own, bases(workspace))), classLayer, ...policyLayers, ...programs];
  }
  const manifestBases: PermissionBases = { ...bases(binding.version.bases.base), ...binding.version.bases, workspace };
  const manifest = hard("manifest", compilePermissions(binding.version.manifest.permissions, manifestBases));
  const narrower = definition.permissions === undefined ? [] : [hard("tool", compilePermissions(definition.permissions, manifestBases))];
  return [manifest, ...narrower, classLayer, ...policyLayers, userLayer(sources, tool, bases, policy)];
}

/** A policy layer does not restrict kinds that it does not name (SPEC PA3). */
function toPolicyLayer(name: string, permissions: Permissions, bases: PermissionBases): PermissionLayer {
  return { name, permissions: compilePermissions(permissions, bases), unnamed: "transparent", otherwise: "denied" };
}

/** Each plugin has its own data folder. */
function dataFolder(sources: LayerSources, tool: RegisteredTool): Pick<PermissionBases, "data"> {
  const data = sources.folders?.data;
  return data === undefined || tool.plugin === undefined ? {} : { data: `${data}/${tool.plugin}` };
}

/** An act that the user could still grant is `prompt`. */
function userLayer(
  sources: LayerSources,
  tool: RegisteredTool,
  bases: (base: string) => PermissionBases,
  { stored, ruleGrants, callGrant }: Pick<PolicyGrants, "ruleGrants" | "callGrant"> & { readonly stored: Permissions | undefined },
): PermissionLayer {
  const { root, runGrants } = sources;
  const ofRun =
    runGrants === undefined
      ? []
      : [runGrants.all, runGrants.perPlugin?.get(tool.plugin ?? "")].filter((permissions) => permissions !== undefined);
  const ofRules = ruleGrants.map((permissions) => compilePermissions(permissions, bases(root)));
  const all = [
    ...(callGrant === undefined || callGrant.plugin !== tool.plugin ? [] : [compilePermissions(callGrant.permissions, bases(root))]),
    ...(stored === undefined ? [] : [compilePermissions(stored, bases(root))]),
    ...ofRun.map((permissions) => compilePermissions(permissions, bases(runGrants?.base ?? root))),
    ...(ofRules.length === 0 ? [] : [ofRules.reduce(intersectCompiled)]),
  ];
  return { name: "user grant", permissions: uniteCompiled(all, bases(root)), unnamed: "none", otherwise: "prompt" };
}

/** Programs and environment variables of a host tool need a user grant, as for plugins; its files do not (SPEC G2). */
function programLayer({ permissions, ...layer }: PermissionLayer): PermissionLayer {
  const entries = new Map(
    PERMISSION_KINDS.map((kind) => {
      const own =
        kind === "run" || kind === "env" ? (permissions.entries.get(kind) ?? { allow: [], deny: [] }) : { allow: true as const, deny: [] };
      return [kind, own];
    }),
  );
  return { ...layer, permissions: { ...permissions, entries } };
}

function denials(sources: Sources, tool: RegisteredTool, bases: (base: string) => PermissionBases): readonly PermissionLayer[] {
  const { runGrants } = sources;
  const protections = tool.plugin === undefined ? sources.protections.ofAll : sources.protections.ofPlugins;
  if (runGrants?.denied === undefined) return protections;
  return [...protections, toPolicyLayer("--deny", runGrants.denied, bases(runGrants.base))];
}
