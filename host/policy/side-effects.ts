/** Side effects of a tool under the permissions that it, or its plugin, requests. */

import { type Permissions, type SideEffectClass, sideEffectClassOf, writesOnlyData } from "../../manifests/mod.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** Returns the side-effect class, which takes the plugin's net items into account (SPEC P8). */
export function classOf(tool: RegisteredTool): SideEffectClass {
  return sideEffectClassOf(tool.definition, permissionsOf(tool));
}

/** Returns whether the tool can write nothing but its plugin's own data. */
export function writesOnlyOwnData(tool: RegisteredTool): boolean {
  return writesOnlyData(tool.definition.permissions ?? permissionsOf(tool) ?? {});
}

function permissionsOf({ binding }: RegisteredTool): Permissions | undefined {
  return binding.kind === "plugin" ? binding.version.manifest.permissions : undefined;
}
