/** Groups of tools, resolved on every lookup so that new tools are included (SPEC P4). */

import type { RegisteredTool } from "../tools/tool.ts";
import { matchesGlob } from "./glob.ts";
import { classOf } from "./side-effects.ts";

type Groups = Readonly<Record<string, readonly string[]>>;
type Member = (tool: RegisteredTool) => boolean;

const CATEGORIES = ["code", "data", "web", "math"] as const;

const BUILT_IN: ReadonlyMap<string, Member> = new Map<string, Member>([
  ["all", () => true],
  // Uses the side-effect class, which counts GET-only network access as reading (SPEC P8), so that a denial of "read" covers it.
  ["read", (tool) => ["none", "read"].includes(classOf(tool))],
  ["write", ({ definition }) => definition.sideEffects.some((effect) => effect === "write" || effect === "execute" || effect === "system")],
  ...CATEGORIES.map((category): [string, Member] => [category, ({ definition }) => definition.category === category]),
]);

/** Returns true for built-in groups and groups that the project defines. */
export function isKnownGroup(group: string, groups: Groups): boolean {
  const name = group.replace(/^group:/, "");
  return BUILT_IN.has(name) || Object.hasOwn(groups, name) || Object.hasOwn(groups, `group:${name}`);
}

/** Returns the tool as an allowance sees it: if its bare name belongs to another tool, only the qualified name matches. */
export function asMeant(tool: RegisteredTool): RegisteredTool {
  return tool.yieldsTo === undefined ? tool : { ...tool, name: tool.qualifiedName };
}

/**
 * Returns true if `group` (with or without `group:`) contains the tool.
 *
 * Members of a project's group are tool names, patterns over qualified names, and other groups.
 */
export function isInGroup(tool: RegisteredTool, group: string, groups: Groups, path: readonly string[] = []): boolean {
  const name = group.replace(/^group:/, "");
  const builtIn = BUILT_IN.get(name);
  if (builtIn !== undefined) return builtIn(tool);
  // A group that contains itself adds nothing more.
  if (path.includes(name)) return false;
  const own = [name, `group:${name}`].find((key) => Object.hasOwn(groups, key));
  const members = own === undefined ? [] : (groups[own] ?? []);
  return members.some((member) =>
    member.startsWith("group:")
      ? isInGroup(tool, member, groups, [...path, name])
      : member === tool.name || matchesGlob(member, tool.qualifiedName),
  );
}
