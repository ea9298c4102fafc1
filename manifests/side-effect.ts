/** Side effects a tool declares, and the class they add up to (SPEC P8). */

import { isSecretItem } from "./permission-parse.ts";
import { toEntry } from "./permission-compile.ts";
import { parseNetItem } from "./permission-net.ts";
import type { Permissions } from "./permissions.ts";
import type { ToolDefinition } from "./tool.ts";

export const SIDE_EFFECTS = ["read", "write", "network", "llm", "execute", "system"] as const;
export type SideEffect = (typeof SIDE_EFFECTS)[number];

/** Ordered from harmless to powerful. */
export const SIDE_EFFECT_CLASSES = ["none", "read", "write", "network", "execute"] as const;
export type SideEffectClass = (typeof SIDE_EFFECT_CLASSES)[number];

/** The older names of side effects (SPEC M9, P8). */
export const OLDER_SIDE_EFFECTS: ReadonlyMap<string, SideEffect> = new Map([
  ["read_only", "read"],
  ["modifies_files", "write"],
  ["network_access", "network"],
  ["local_exec", "execute"],
  ["calls_llm", "llm"],
  ["system_state", "system"],
]);

const CLASS_OF: Readonly<Record<SideEffect, SideEffectClass>> = {
  read: "read",
  write: "write",
  network: "network",
  llm: "network",
  execute: "execute",
  system: "execute",
};

/** The highest class among the declared side effects; none declared is `none`. */
export function sideEffectClass(effects: readonly SideEffect[]): SideEffectClass {
  let highest = 0;
  for (const effect of effects) highest = Math.max(highest, SIDE_EFFECT_CLASSES.indexOf(CLASS_OF[effect]));
  return SIDE_EFFECT_CLASSES[highest] ?? "none";
}

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
