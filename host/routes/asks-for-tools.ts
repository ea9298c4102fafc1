/** Tools that may call other tools. */

import type { RegisteredTool } from "../tools/tool.ts";

/** Whether the tool or its plugin requests access to tools, granted or not. */
export function asksForTools({ definition, binding }: RegisteredTool): boolean {
  return (binding.kind === "plugin" ? binding.version.manifest.permissions : definition.permissions)?.tools !== undefined;
}
