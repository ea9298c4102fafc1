/** Which plugins run natively because a person said so, and what holds them then (SPEC O1, R10). */

import type { Route, ToolDefinition, TrustedName } from "../../manifests/mod.ts";
import type { Confinement } from "../call/call.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** Whether the name stands in the list, with whatever bytes. */
export function isToolListedIn(trusted: readonly TrustedName[], name: string): boolean {
  return trusted.some((listed) => listed.name === name);
}

/** What holds the tool's process on the host route; undefined for code that nobody trusts, or not with these bytes. */
export function confinementOf(trusted: readonly TrustedName[], { binding, plugin, name }: RegisteredTool): Confinement | undefined {
  if (binding.kind !== "plugin") return undefined;
  const known = trusted.find((listed) => listed.name === (plugin ?? name));
  if (known === undefined || (known.digest !== undefined && known.digest !== binding.version.digest)) return undefined;
  return known.unconfined ? "none" : "deno";
}

/** Why no call of the tool can run on the route, whoever agrees to it; undefined if it can (SPEC O1, O4, G3). */
export function unavailableOn(route: Route, tool: RegisteredTool, confinement: Confinement | undefined): string | undefined {
  if (route === "microvm") return NO_MICROVM;
  const { binding, definition, plugin } = tool;
  if (binding.kind !== "plugin") return undefined;
  const name = plugin ?? tool.name;
  if (route === "host") return confinement === undefined ? untrusted(name, binding.version.digest) : undefined;
  return route === "wasm" && needsHost(definition) ? beyondTheSandbox(name) : undefined;
}

/** Also said by the route itself (`host/routes/microvm.ts`). */
export const NO_MICROVM =
  'its route is "microvm", whose name is reserved, and this version has no runner of micro virtual machines (set its route to "wasm", and "isolation": "process" for walls of the kernel\'s)';

/** Also said by the route itself (`host/routes/process/process.ts`). */
export function untrusted(name: string, digest: string): string {
  return `its route is "host", and "trusted" of bascule.json does not list "${name}" with this digest (add "${name}", or { "name": "${name}", "digest": "${digest}" }, or set its route to "wasm")`;
}

function beyondTheSandbox(name: string): string {
  return `it starts programs or is native code, and its route is "wasm" (list "${name}" in "trusted" of bascule.json, and set its route to "host")`;
}

/** A tool that says so, or asks for these by itself, is nothing without them, and no sandbox has them. A plugin may ask for one of its tools. */
function needsHost({ native = false, permissions = {} }: ToolDefinition): boolean {
  if (native) return true;
  return [permissions.run, permissions.ffi].some(
    (value) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
}
