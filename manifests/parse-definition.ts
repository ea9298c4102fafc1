/** Reads one tool's definition by itself, as a host factory or `bascule.json` declares it (SPEC R2, R10). */

import { deepFreeze, DocumentReader } from "./document.ts";
import type { JsonValue } from "./json.ts";
import { readTool } from "./parse-tool.ts";
import { PERMISSION_KINDS, type Permissions } from "./permissions.ts";
import type { Parsed } from "./problem.ts";
import type { ToolDefinition } from "./tool.ts";

/** No plugin stands above the tool, so nothing narrows what it may ask for. */
const UNBOUNDED: Permissions = Object.freeze(Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, true])));

/** The definition in canonical form, without the module and export that only a plugin's tool has; or every problem in it. */
export function parseToolDefinition(value: JsonValue): Parsed<ToolDefinition> {
  const reader = new DocumentReader({ value, locate: () => undefined });
  reader.refuseHiddenText();
  const tool = readTool(reader, value, "", { main: "main.ts", permissions: UNBOUNDED });
  return reader.finish(() => {
    const { module: _module, export: _export, ...definition } = tool as ToolDefinition; // Without errors it is there.
    return deepFreeze(definition);
  });
}
