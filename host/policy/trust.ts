/** Which plugins run natively because a person said so, and what holds them then (SPEC O1, R10). */

import type { TrustedName } from "../../manifests/mod.ts";
import type { Confinement } from "../call.ts";
import type { RegisteredTool } from "../tool.ts";

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
