/** What side effects and permissions say about one another (SPEC P8). */

import { toEntry } from "./permission-compile.ts";
import { parseNetItem } from "./permission-net.ts";
import { isSecretItem } from "./permission-parse.ts";
import type { Permissions } from "./permissions.ts";
import { CLASS_OF, SIDE_EFFECT_CLASSES, SIDE_EFFECTS, sideEffectClass, type SideEffect, type SideEffectClass } from "./side-effect.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * A tool's class with the permissions it holds (its own, else its plugin's) taken into account: `network` whose net items
 * are all limited to GET and HEAD counts as `read`.
 */
export function sideEffectClassOf(
  tool: Pick<ToolDefinition, "sideEffects" | "permissions">,
  pluginPermissions: Permissions = {},
): SideEffectClass {
  const onlyFetches = tool.sideEffects.includes("network") && isFetchOnly(tool.permissions ?? pluginPermissions);
  return sideEffectClass(onlyFetches ? tool.sideEffects.map((effect) => (effect === "network" ? "read" : effect)) : tool.sideEffects);
}

/**
 * The kinds that a tool with these side effects may hold at all, as a permission set: `write` only with `write`, `net` and
 * `import` only with `network` or `llm`, `run`, `ffi` and `sys` only with `execute` or `system`.
 *
 * Reading, environment, tools and MCP servers are not tied to a side effect: what is called there has its own.
 */
export function permissionsForEffects(effects: readonly SideEffect[]): Permissions {
  const classes = new Set(effects.map((effect) => CLASS_OF[effect]));
  return Object.freeze({
    read: true,
    env: true,
    tools: true,
    mcp: true,
    ...(classes.has("write") && { write: true }),
    ...(classes.has("network") && { net: true, import: true }),
    ...(classes.has("execute") && { run: true, ffi: true, sys: true }),
  });
}

/** The most that any tool of a class may hold: what its own and every lower class's side effects allow. */
export function permissionsForClass(sideEffects: SideEffectClass): Permissions {
  const rank = SIDE_EFFECT_CLASSES.indexOf(sideEffects);
  return permissionsForEffects(SIDE_EFFECTS.filter((effect) => SIDE_EFFECT_CLASSES.indexOf(CLASS_OF[effect]) <= rank));
}

function isFetchOnly(permissions: Permissions): boolean {
  const { allow = false } = toEntry(permissions.net ?? false);
  if (typeof allow === "boolean" || allow.length === 0) return false;
  return allow.every((item) => {
    const outcome = typeof item !== "string" && isSecretItem(item) ? undefined : parseNetItem(item);
    return outcome?.ok === true && (outcome.value.methods?.every((method) => method === "GET" || method === "HEAD") ?? false);
  });
}
