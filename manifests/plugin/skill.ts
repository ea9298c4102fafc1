/** Converts the skills of a manifest to tools for all other parts (SPEC K5). */

import { annotate } from "./annotations.ts";
import type { Manifest, Skill } from "./manifest.ts";
import { qualifiedName } from "../text/names.ts";
import { toEntry } from "../permissions/permission-compile.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Converts a skill to a tool. The skill itself does nothing: the tools that it calls do, each with its own side effects,
 * permissions and confirmations.
 */
function skillToTool(skill: Skill, plugin: string, ownTools: ReadonlySet<string>): ToolDefinition {
  const { name, description, module, export: exported, inputSchema, outputSchema, tags, tools } = skill;
  return {
    name,
    description,
    module,
    export: exported,
    tags,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    sideEffects: [],
    destructive: false,
    determinism: "nondeterministic",
    permissions: { tools: tools.map((tool) => toolOfSkill(tool, plugin, ownTools)) },
    requires: [],
    callers: ["direct", "chain"],
    visibility: {},
    annotations: annotate({ sideEffects: [], destructive: false }, {}),
  };
}

/** Returns everything callable of a plugin: its tools, then its skills. */
export function callablesOf({ name, tools, skills }: Pick<Manifest, "name" | "tools" | "skills">): readonly ToolDefinition[] {
  if (skills.length === 0) return tools;
  const own = new Set(tools.map((tool) => tool.name));
  return [...tools, ...skills.map((skill) => skillToTool(skill, name, own))];
}

/** Returns the plugin's requested permissions, with the tools that its skills call. */
export function withToolsOfSkills(
  permissions: Permissions,
  { name, tools, skills }: Pick<Manifest, "name" | "tools" | "skills">,
): Permissions {
  const own = new Set(tools.map((tool) => tool.name));
  const called = new Set(skills.flatMap((skill) => skill.tools.map((tool) => toolOfSkill(tool, name, own))));
  const { allow = false, ...rest } = toEntry(permissions.tools ?? false);
  if (called.size === 0 || allow === true) return permissions;
  const items = [...new Set([...(allow === false ? [] : allow), ...called])];
  return { ...permissions, tools: Object.keys(rest).length === 0 ? items.flatMap(nameOnly) : { ...rest, allow: items } };
}

/** A bare name means the plugin's own tool if it has one. */
function toolOfSkill(tool: string, plugin: string, ownTools: ReadonlySet<string>): string {
  return ownTools.has(tool) ? qualifiedName(plugin, tool) : tool;
}

function nameOnly(item: unknown): readonly string[] {
  return typeof item === "string" ? [item] : [];
}
