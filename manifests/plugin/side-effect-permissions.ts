/** Relations between side effects and permissions (SPEC P8). */

import { toEntry } from "../permissions/permission-compile.ts";
import { parseNetItem } from "../permissions/permission-net.ts";
import { isSecretItem } from "../permissions/permission-parse.ts";
import type { Permissions } from "../permissions/permissions.ts";
import {
  CLASS_OF,
  SIDE_EFFECT_CLASSES,
  SIDE_EFFECTS,
  sideEffectClass,
  type SideEffect,
  type SideEffectClass,
} from "../permissions/side-effect.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Returns a tool's class under the permissions that it has (its own, else its plugin's): `network` counts as `read` if all net
 * items are limited to GET and HEAD.
 */
export function sideEffectClassOf(
  tool: Pick<ToolDefinition, "sideEffects" | "permissions">,
  pluginPermissions: Permissions = {},
): SideEffectClass {
  const onlyFetches = tool.sideEffects.includes("network") && isFetchOnly(tool.permissions ?? pluginPermissions);
  return sideEffectClass(onlyFetches ? tool.sideEffects.map((effect) => (effect === "network" ? "read" : effect)) : tool.sideEffects);
}

/**
 * Returns the kinds that a tool with these side effects may have, as a permission set: `write` only with `write`, `net` and
 * `import` only with `network` or `llm`, `run`, `ffi` and `sys` only with `execute` or `system`.
 *
 * Reading, environment, tools and MCP servers depend on no side effect, because the called tool has its own.
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

/** Returns the maximum permissions of a class: those of its own and every lower class's side effects. */
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
