/** Reads `tools` of `bascule.json`: tools of the project itself, in another host or in a module of it (SPEC R10). */

import { type DocumentReader, type Fields } from "./document.ts";
import type { JsonValue } from "./json.ts";
import { readNames, readTool, TOOL_FIELDS } from "./parse-tool.ts";
import { PERMISSION_KINDS, type Permissions } from "./permissions.ts";
import type { ProjectTool } from "./project.ts";

/** The person who writes the file stands above its tools. */
const UNBOUNDED: Permissions = Object.freeze(Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, true])));
const MAX_URL_LENGTH = 2_048;

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
  const url = readRemote(reader, fields);
  return url === undefined ? undefined : { definition: rest, remote: { url } };
}

function readRemote(reader: DocumentReader, tool: Fields): string | undefined {
  const fields = reader.fields(tool.get("remote"), tool.at("remote"), { what: "Remote", known: ["url"], required: ["url"] });
  return fields?.text("url", checkUrl);
}

/** Plain HTTP is for hosts of one machine and of closed networks; who may answer is the person's word either way. */
function checkUrl(text: string): string | undefined {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'Is not a URL of another host; write "https://host:port/"';
  if (url.username !== "" || url.password !== "") return 'Holds credentials, which belong into "secrets"';
  return undefined;
}
