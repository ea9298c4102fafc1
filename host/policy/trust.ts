/** Which plugins run natively because the user trusts them, and how they are confined (SPEC O1, R10). */

import type { Route, ToolDefinition, TrustedName } from "../../manifests/mod.ts";
import type { Confinement } from "../call/call.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** Returns true if the list names the tool, whatever its hash. */
export function isToolListedIn(trusted: readonly TrustedName[], name: string): boolean {
  return trusted.some((listed) => listed.name === name);
}

/** Returns how the tool's process is confined on the host route; undefined for code that is not trusted, or not with this hash. */
export function confinementOf(trusted: readonly TrustedName[], { binding, plugin, name }: RegisteredTool): Confinement | undefined {
  if (binding.kind !== "plugin") return undefined;
  const known = trusted.find((listed) => listed.name === (plugin ?? name));
  if (known === undefined || (known.digest !== undefined && known.digest !== binding.version.digest)) return undefined;
  return known.unconfined ? "none" : "deno";
}

/** Returns why no call of the tool can run on the route, even if confirmed; undefined if it can (SPEC O1, O4, G3). */
export function unavailableOn(route: Route, tool: RegisteredTool, confinement: Confinement | undefined): string | undefined {
  if (route === "microvm") return NO_MICROVM;
  const { binding, definition, plugin } = tool;
  if (binding.kind !== "plugin") return undefined;
  const name = plugin ?? tool.name;
  if (route === "host") return confinement === undefined ? untrusted(name, binding.version.digest) : undefined;
  return route === "wasm" && needsHost(definition) ? beyondTheSandbox(name) : undefined;
}

/** Used by the route itself too (`host/routes/microvm.ts`). */
export const NO_MICROVM =
  'its route is "microvm", which is reserved: this version cannot run micro virtual machines (set its route to "wasm", and "isolation": "process" for isolation by the kernel)';

/** Used by the route itself too (`host/routes/process/process.ts`). */
export function untrusted(name: string, digest: string): string {
  return `its route is "host", but "trusted" in bascule.json does not list "${name}" with this digest (add "${name}", or { "name": "${name}", "digest": "${digest}" }, or set its route to "wasm")`;
}

function beyondTheSandbox(name: string): string {
  return `it starts programs or is native code, which the route "wasm" does not allow (add "${name}" to "trusted" in bascule.json, and set its route to "host")`;
}

/**
 * A tool that is native or requests "run" or "ffi" itself cannot work in a sandbox. Requests of the plugin may be meant for another of its
 * tools.
 */
function needsHost({ native = false, permissions = {} }: ToolDefinition): boolean {
  if (native) return true;
  return [permissions.run, permissions.ffi].some(
    (value) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
}
