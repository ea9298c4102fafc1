/** Names in a policy that match nothing: a denial with a wrong name denies nothing (SPEC P2, P3). Pure. */

import { pointerToken, type Problem, type ProjectConfig, SIDE_EFFECT_CLASSES } from "../../manifests/mod.ts";
import { nearestName } from "../tools/nearest.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { matchesGlob } from "./glob.ts";
import { isInGroup } from "./groups.ts";

/** The tools and plugins that a policy can name. */
interface Named {
  readonly tools: readonly RegisteredTool[];
  /** Includes plugins that are off or broken. */
  readonly plugins: readonly string[];
}

/** Tools of MCP servers exist only while their server is connected. */
const OF_A_SERVER = /^mcp(?:\.|__)/u;

/** Fields for tools take whole names, so a pattern there is one more way to have no effect. */
function ofPattern(name: string): string {
  return `write each tool's whole name, or a rule in /policy/rules with "pattern": ${JSON.stringify(name)}`;
}

function correction(name: string, known: readonly string[]): string {
  const near = nearestName(name, [...new Set(known)]);
  return near === undefined
    ? "correct it, or remove it; bascule list --all shows all names"
    : `write ${JSON.stringify(near)}, or remove it`;
}

/** Returns a warning for each name, selector and layer that has no effect. */
export function deadSelectors(
  { policy, confirmation, roles }: Pick<ProjectConfig, "policy" | "confirmation" | "roles">,
  named: Named,
): readonly Problem[] {
  const { tools } = named;
  const names = tools.flatMap(({ name, qualifiedName }) => [name, qualifiedName]);
  const categories = tools.flatMap(({ definition }) => definition.category ?? []);
  const problems: Problem[] = [];
  const check = (isThere: boolean, pointer: string, what: string, [name, known]: readonly [string, readonly string[]]): void => {
    if (isThere || OF_A_SERVER.test(name)) return;
    const fix = what === "The tool" && name.includes("*") ? ofPattern(name) : correction(name, known);
    problems.push({ severity: "warning", pointer, message: `${what} "${name}" matches nothing and has no effect`, fix });
  };
  const matches = (selector: string): boolean => {
    if (selector.startsWith("category:")) return categories.includes(selector.slice("category:".length));
    return tools.some((tool) =>
      selector.startsWith("group:")
        ? isInGroup(tool, selector, policy.groups)
        : matchesGlob(selector, tool.qualifiedName) || matchesGlob(selector, tool.name),
    );
  };
  const checkAll = (pointer: string, selectors: readonly string[] = []): void => {
    for (const [index, selector] of selectors.entries()) check(matches(selector), `${pointer}/${index}`, "The selector", [selector, names]);
  };
  const checkKeys = (pointer: string, keys: object, known: readonly string[] = []): void => {
    for (const key of Object.keys(keys))
      check(names.includes(key) || known.includes(key), `${pointer}/${pointerToken(key)}`, "The tool", [key, [...names, ...known]]);
  };

  for (const [index, { tool, plugin, pattern, category, group }] of policy.rules.entries()) {
    const pointer = `/policy/rules/${index}`;
    if (tool !== undefined) check(names.includes(tool), `${pointer}/tool`, "The tool", [tool, names]);
    if (plugin !== undefined) check(named.plugins.includes(plugin), `${pointer}/plugin`, "The plugin", [plugin, named.plugins]);
    if (pattern !== undefined) check(matches(pattern), `${pointer}/pattern`, "The pattern", [pattern, names]);
    if (category !== undefined) check(categories.includes(category), `${pointer}/category`, "The category", [category, categories]);
    if (group !== undefined) check(matches(`group:${group.replace(/^group:/u, "")}`), `${pointer}/group`, "The group", [group, []]);
  }
  for (const [index, { allow, deny }] of policy.layers.entries()) {
    const pointer = `/policy/layers/${index}`;
    checkAll(`${pointer}/allow`, allow);
    checkAll(`${pointer}/deny`, deny);
  }
  for (const [group, members] of Object.entries(policy.groups)) checkAll(`/policy/groups/${pointerToken(group)}`, members);
  checkKeys("/confirmation/perTool", confirmation.perTool);
  checkKeys("/confirmation/trustedWorkspaceOverrides", confirmation.trustedWorkspaceOverrides, SIDE_EFFECT_CLASSES);
  for (const [role, { allowedTools, forbiddenTools, allowedCategories = [] }] of Object.entries(roles)) {
    const pointer = `/roles/${pointerToken(role)}`;
    checkAll(`${pointer}/allowedTools`, allowedTools);
    checkAll(`${pointer}/forbiddenTools`, forbiddenTools);
    for (const [index, category] of allowedCategories.entries())
      check(categories.includes(category), `${pointer}/allowedCategories/${index}`, "The category", [category, categories]);
  }
  return problems;
}
