/** Reads a single tool definition of a host factory or of `bascule.json` (SPEC R2, R10). */

import { deepFreeze, DocumentReader } from "../text/document.ts";
import type { JsonValue } from "../text/json.ts";
import { readTool } from "./parse-tool.ts";
import { PERMISSION_KINDS, type Permissions } from "../permissions/permissions.ts";
import type { Parsed } from "../text/problem.ts";
import type { ToolDefinition } from "./tool.ts";

/** No plugin limits the permissions that the tool may request. */
const UNBOUNDED: Permissions = Object.freeze(Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, true])));

/** Returns the definition in canonical form, without module and export, or every problem in it. */
export function parseToolDefinition(value: JsonValue): Parsed<ToolDefinition> {
  const reader = new DocumentReader({ value, locate: () => undefined });
  reader.refuseHiddenText();
  const tool = readTool(reader, value, "", { main: "main.ts", permissions: UNBOUNDED });
  return reader.finish(() => {
    const { module: _module, export: _export, ...definition } = tool as ToolDefinition; // Present if the definition was valid.
    return deepFreeze(definition);
  });
}
