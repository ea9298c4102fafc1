/** Reads `tools` of `bascule.json`: the project's own tools, in another host or in a module (SPEC R10). */

import type { DocumentReader, Fields } from "../text/document.ts";
import type { JsonValue } from "../text/json.ts";
import { isClusterUrl, readRemote } from "./parse-server.ts";
import { readNames, readTool, TOOL_FIELDS } from "../plugin/parse-tool.ts";
import { PERMISSION_KINDS, type Permissions } from "../permissions/permissions.ts";
import type { ProjectTool } from "./project.ts";

/** The author of the file decides, so nothing limits the permissions of its tools. */
const UNBOUNDED: Permissions = Object.freeze(Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, true])));

export function readProjectTools(reader: DocumentReader, project: Fields): readonly ProjectTool[] {
  const tools = project.list("tools", (item, pointer) => readProjectTool(reader, item, pointer)) ?? [];
  readNames(reader, project);
  return tools;
}

function readProjectTool(reader: DocumentReader, value: JsonValue, pointer: string): ProjectTool | undefined {
  const definition = readTool(reader, value, pointer, { main: "", permissions: UNBOUNDED, alsoKnown: ["remote"] });
  const fields = reader.fields(value, pointer, { what: "Tool", known: [...TOOL_FIELDS, "remote"] });
  if (fields === undefined || definition === undefined) return undefined;
  if (fields.has("remote") === fields.has("module")) {
    const has = fields.has("remote") ? 'both "remote" and "module"' : 'neither "remote" nor "module"';
    reader.refuse(
      pointer,
      `Tool has ${has}`,
      'write "remote": { "url": "https://…" }, or "module": "tools/x.ts" and list the tool in "trusted"',
    );
    return undefined;
  }
  const { module: _module, export: _export, ...rest } = definition;
  if (!fields.has("remote")) return { definition };
  if (fields.has("export")) reader.refuse(fields.at("export"), 'Tool has "export" without a "module"', "remove it");
  const remote = readRemote(reader, fields.get("remote") ?? null, fields.at("remote"), rest.name);
  if (remote !== undefined && isClusterUrl(remote.url)) {
    const fix = 'put the plugin into this project too, and route it to "remote": calls on a cluster name the plugin by its bytes';
    reader.refuse(`${fields.at("remote")}/url`, "A tool without a plugin cannot be called on a cluster", fix);
  }
  return remote === undefined ? undefined : { definition: rest, remote };
}
