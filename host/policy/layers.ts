/** Makes a call's grant: the layers of permissions that every act must pass, in order (SPEC C2, PA3, P8). */

import {
  compilePermissions,
  type CompiledPermissions,
  type PermissionBases,
  type PermissionLayer,
  type Permissions,
  permissionsForEffects,
} from "../../manifests/mod.ts";
import type { RegisteredTool } from "../tool.ts";
import { intersectCompiled, uniteCompiled } from "./combine.ts";
import type { Grant, GrantReader, RunGrants } from "./grant.ts";
import { type Protection, toProtectionLayer } from "./protect.ts";

/** What layers are made from; the fields of `PolicyOptions` with the same names. */
export interface LayerSources {
  readonly root: string;
  readonly grants: GrantReader;
  readonly runGrants?: RunGrants;
  readonly folders?: Pick<PermissionBases, "data" | "tmp" | "home">;
  readonly protect?: readonly Protection[];
}

interface Remembered {
  readonly workspace: string;
  readonly stored: Permissions | undefined;
  readonly grant: Grant;
}

/** What built-in tools hold (SPEC C2). The embedding program's own run beside us anyway and get the same. */
const HOST_TOOL_PERMISSIONS: Permissions = { read: ["$workspace"], write: ["$workspace"] };

/** `ruleGrants` are AND-ed with each other, then count as the user's. */
export type GrantLayers = (tool: RegisteredTool, workspace: string, ruleGrants: readonly Permissions[]) => Grant;

/** Compiling takes longer than a whole call, so the last grant of each tool is remembered. */
export function createGrantLayers(sources: LayerSources): GrantLayers {
  const remembered = new WeakMap<RegisteredTool, Remembered>();
  return (tool, workspace, ruleGrants) => {
    const { binding, plugin } = tool;
    const stored = binding.kind === "plugin" && plugin !== undefined ? sources.grants.find(plugin, binding.version.directory) : undefined;
    const known = remembered.get(tool);
    if (known !== undefined && known.workspace === workspace && known.stored === stored) return known.grant;
    const grant: Grant = Object.freeze({ layers: Object.freeze(compileLayers(sources, tool, workspace, { stored, ruleGrants })) });
    remembered.set(tool, { workspace, stored, grant });
    return grant;
  };
}

function compileLayers(
  sources: LayerSources,
  tool: RegisteredTool,
  workspace: string,
  users: { readonly stored: Permissions | undefined; readonly ruleGrants: readonly Permissions[] },
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
  const policyLayers = denials(sources, tool, bases);

  if (binding.kind !== "plugin") {
    const own = definition.permissions ?? HOST_TOOL_PERMISSIONS;
    return [hard("builtin", compilePermissions(own, bases(workspace))), classLayer, ...policyLayers];
  }
  const manifestBases: PermissionBases = { ...bases(binding.version.bases.base), ...binding.version.bases, workspace };
  const manifest = hard("manifest", compilePermissions(binding.version.manifest.permissions, manifestBases));
  const narrower = definition.permissions === undefined ? [] : [hard("tool", compilePermissions(definition.permissions, manifestBases))];
  return [manifest, ...narrower, classLayer, ...policyLayers, userLayer(sources, tool, bases, users)];
}

/** Each plugin has its own. */
function dataFolder(sources: LayerSources, tool: RegisteredTool): Pick<PermissionBases, "data"> {
  const data = sources.folders?.data;
  return data === undefined || tool.plugin === undefined ? {} : { data: `${data}/${tool.plugin}` };
}

/** What a person could still grant is `prompt`. */
function userLayer(
  sources: LayerSources,
  tool: RegisteredTool,
  bases: (base: string) => PermissionBases,
  { stored, ruleGrants }: { readonly stored: Permissions | undefined; readonly ruleGrants: readonly Permissions[] },
): PermissionLayer {
  const { root, runGrants } = sources;
  const ofRun =
    runGrants === undefined
      ? []
      : [runGrants.all, runGrants.perPlugin?.get(tool.plugin ?? "")].filter((permissions) => permissions !== undefined);
  const ofRules = ruleGrants.map((permissions) => compilePermissions(permissions, bases(root)));
  const all = [
    ...(stored === undefined ? [] : [compilePermissions(stored, bases(root))]),
    ...ofRun.map((permissions) => compilePermissions(permissions, bases(runGrants?.base ?? root))),
    ...(ofRules.length === 0 ? [] : [ofRules.reduce(intersectCompiled)]),
  ];
  return { name: "user grant", permissions: uniteCompiled(all, bases(root)), unnamed: "none", otherwise: "prompt" };
}

function denials(sources: LayerSources, tool: RegisteredTool, bases: (base: string) => PermissionBases): readonly PermissionLayer[] {
  const { runGrants, protect = [] } = sources;
  const protections = protect.filter(({ pluginsOnly }) => tool.plugin !== undefined || !pluginsOnly).map(toProtectionLayer);
  if (runGrants?.denied === undefined) return protections;
  return [
    ...protections,
    {
      name: "--deny",
      permissions: compilePermissions(runGrants.denied, bases(runGrants.base)),
      unnamed: "transparent",
      otherwise: "denied",
    },
  ];
}
