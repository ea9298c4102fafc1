/**
 * Refuses what a policy says and this host does not enforce yet: a rule that is read and then ignored would be trusted.
 */

import { CONFIRM_MODES, type Problem, type ProjectConfig } from "../../manifests/mod.ts";
import { isKnownGroup } from "./groups.ts";

/** The part of a project that decides calls. */
export type PolicyProject = Pick<ProjectConfig, "policy" | "confirmation">;

/** Every part of the policy that would have no effect. */
export function checkEnforced({ policy }: Pick<PolicyProject, "policy">): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (pointer: string, message: string, fix: string): void => void problems.push({ severity: "error", pointer, message, fix });
  if (policy.layers.length > 0) refuse("/policy/layers", "Layers are not enforced yet", `deny with rules: { "tool": …, "allow": false }`);
  if (Object.keys(policy.permissionTypes).length > 0) {
    refuse(
      "/policy/permissionTypes",
      "Permission types are not enforced yet",
      `use "confirmation" (${CONFIRM_MODES.join(", ")}) and rules`,
    );
  }
  const effects = [
    { pointer: "/policy/default", effect: policy.default },
    ...policy.rules.map((effect, index) => ({ pointer: `/policy/rules/${index}`, effect })),
  ];
  for (const { pointer, effect } of effects) {
    if (effect.quota !== undefined) refuse(`${pointer}/quota`, "Quotas are not enforced yet", `use "limits" for each call`);
  }
  for (const [index, { group }] of policy.rules.entries()) {
    if (group !== undefined && !isKnownGroup(group, policy.groups)) {
      refuse(
        `/policy/rules/${index}/group`,
        `There is no group "${group}"`,
        `define it in "groups", or use one of group:all, read, write, code, data, web, math`,
      );
    }
  }
  return problems;
}

/** Rules, confirmation modes and groups that name a tool by an alias mean the tool. */
export function withoutAliases<P extends PolicyProject>(project: P, aliases: Readonly<Record<string, string>>): P {
  const meant = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name);
  const { policy, confirmation } = project;
  return {
    ...project,
    policy: {
      ...policy,
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
