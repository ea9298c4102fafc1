/** Refuses policy that this host does not enforce, because users would rely on a rule that is read and then ignored. */

import { type LayerRules, pointerToken, type Problem, type ProjectConfig } from "../../manifests/mod.ts";
import { isKnownGroup } from "./groups.ts";

/** The part of a project that decides calls. */
type PolicyProject = Pick<ProjectConfig, "policy" | "confirmation" | "roles">;

/** Returns a problem for each part of the policy that would have no effect. */
export function checkEnforced({ policy, roles }: Pick<PolicyProject, "policy" | "roles">): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (pointer: string, message: string, fix: string): void => void problems.push({ severity: "error", pointer, message, fix });
  const checkGroup = (pointer: string, group: string): void => {
    if (isKnownGroup(group, policy.groups)) return;
    refuse(pointer, `Unknown group "${group}"`, `define it in "groups", or use one of group:all, read, write, code, data, web, math`);
  };
  const checkSelectors = (pointer: string, selectors: readonly string[] = []): void => {
    for (const [index, selector] of selectors.entries()) if (selector.startsWith("group:")) checkGroup(`${pointer}/${index}`, selector);
  };
  for (const [index, { group }] of policy.rules.entries()) if (group !== undefined) checkGroup(`/policy/rules/${index}/group`, group);
  for (const [index, { allow, deny }] of policy.layers.entries()) {
    checkSelectors(`/policy/layers/${index}/allow`, allow);
    checkSelectors(`/policy/layers/${index}/deny`, deny);
  }
  for (const [role, { allowedTools, forbiddenTools }] of Object.entries(roles)) {
    checkSelectors(`/roles/${pointerToken(role)}/allowedTools`, allowedTools);
    checkSelectors(`/roles/${pointerToken(role)}/forbiddenTools`, forbiddenTools);
  }
  return problems;
}

/** Replaces aliases by tool names in rules, confirmation modes and groups. */
export function withoutAliases<P extends PolicyProject>(project: P, aliases: Readonly<Record<string, string>>): P {
  const meant = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name);
  const { policy, confirmation, roles } = project;
  return {
    ...project,
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, { allowedTools, forbiddenTools, ...flat }]) => [
        role,
        {
          ...flat,
          ...(allowedTools && { allowedTools: allowedTools.map(meant) }),
          ...(forbiddenTools && { forbiddenTools: forbiddenTools.map(meant) }),
        },
      ]),
    ),
    policy: {
      ...policy,
      layers: policy.layers.map((layer) => layerWithout(layer, meant)),
      rules: policy.rules.map((rule) => (rule.tool === undefined ? rule : { ...rule, tool: meant(rule.tool) })),
      groups: Object.fromEntries(Object.entries(policy.groups).map(([name, members]) => [name, members.map(meant)])),
    },
    confirmation: {
      ...confirmation,
      perTool: Object.fromEntries(Object.entries(confirmation.perTool).map(([name, mode]) => [meant(name), mode])),
      trustedWorkspaceOverrides: Object.fromEntries(
        Object.entries(confirmation.trustedWorkspaceOverrides).map(([name, mode]) => [meant(name), mode]),
      ),
    },
  };
}

function layerWithout<L extends LayerRules>(layer: L, meant: (name: string) => string): L {
  const { allow, deny } = layer;
  return { ...layer, ...(allow && { allow: allow.map(meant) }), ...(deny && { deny: deny.map(meant) }) };
}
