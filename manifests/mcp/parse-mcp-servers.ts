/** Reads the MCP servers of a project (SPEC K3). */

import { compact, type DocumentReader, type Fields } from "../text/document.ts";
import { isJsonObject, type JsonValue } from "../text/json.ts";
import { checkServerName, MAX_MCP_SERVERS, type McpOAuthConfig, type McpServerConfig } from "./mcp-server.ts";
import { type BundleValue, isBundleValue } from "./mcpb.ts";
import { printable } from "../text/names.ts";
import { SIDE_EFFECTS, type SideEffect } from "../permissions/side-effect.ts";

const KNOWN = [
  "command",
  "args",
  "env",
  "cwd",
  "url",
  "headers",
  "oauth",
  "bundle",
  "config",
  "enabled",
  "sideEffects",
  "toolSideEffects",
  "tools",
  "timeoutMs",
  "type",
];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const MAX_TIMEOUT_MS = 600_000;

type Given = string | { readonly fromEnv: string };

/** Keyed by the user's name for the server. */
export function readMcpServers(reader: DocumentReader, parent: Fields): Readonly<Record<string, McpServerConfig>> {
  const servers = parent.record("mcpServers", (value, pointer, name) => readServer(reader, value, pointer, name)) ?? {};
  if (Object.keys(servers).length > MAX_MCP_SERVERS)
    reader.refuse(parent.at("mcpServers"), `More than ${MAX_MCP_SERVERS} MCP servers`, "remove unused servers");
  return servers;
}

function readServer(reader: DocumentReader, value: JsonValue, pointer: string, name: string): McpServerConfig | undefined {
  const wrong = checkServerName(name);
  if (wrong !== undefined) reader.refuse(pointer, wrong, "write letters and digits, with single - or _ between them", "key");
  const fields = reader.fields(value, pointer, { what: "MCP server", known: KNOWN });
  if (fields === undefined) return undefined;
  if (["command", "url", "bundle"].filter((key) => fields.has(key)).length !== 1)
    reader.refuse(
      pointer,
      'MCP server must have exactly one of "command", "url" and "bundle"',
      'write { "command": "…" } or { "url": "https://…" }, or add a bundle',
    );
  for (const key of fields.has("bundle") ? ["args", "env", "cwd", "headers"] : ["config"]) {
    if (fields.has(key)) reader.refuse(fields.at(key), `"${key}" does not apply to this kind of server`, "remove it", "key");
  }
  // Accepted for compatibility with other programs' lists; the other fields already determine it.
  fields.choice("type", ["stdio", "http", "streamable-http"]);
  return compact({
    command: fields.text("command", checkProgram),
    args: fields.texts("args") ?? [],
    env: readGiven(reader, fields, "env", VARIABLE),
    cwd: fields.text("cwd", checkProgram),
    url: fields.text("url", checkUrl),
    headers: readGiven(reader, fields, "headers", HEADER),
    oauth: readOAuth(reader, fields),
    bundle: fields.text("bundle", checkDigest),
    config: fields.record("config", (item, at, key) => readBundleValue(reader, item, at, key)) ?? {},
    enabled: fields.flag("enabled") ?? true,
    sideEffects: fields.choices("sideEffects", SIDE_EFFECTS),
    toolSideEffects: fields.record("toolSideEffects", (item, at, tool) => readEffects(reader, item, at, tool)) ?? {},
    tools: fields.texts("tools"),
    timeoutMs: fields.count("timeoutMs", MAX_TIMEOUT_MS),
  });
}

function readGiven(reader: DocumentReader, parent: Fields, key: string, grammar: RegExp): Readonly<Record<string, Given>> {
  const given = parent.record(key, (value, pointer, name): Given | undefined => {
    if (!grammar.test(name)) reader.refuse(pointer, `"${printable(name)}" is not a valid name for ${key}`, "correct it", "key");
    const text = typeof value === "string" ? value : isJsonObject(value) ? value["fromEnv"] : undefined;
    if (typeof text === "string" && /^[^\0\r\n]{0,32768}$/.test(text) && (typeof value === "string" || VARIABLE.test(text)))
      return typeof value === "string" ? value : { fromEnv: text };
    reader.refuse(pointer, "Is neither a string nor a variable", 'write "…" or { "fromEnv": "VARIABLE" }');
    return undefined;
  });
  return given ?? {};
}

function readOAuth(reader: DocumentReader, parent: Fields): McpOAuthConfig | undefined {
  const known = ["clientId", "scope", "port"];
  const fields = parent.has("oauth") ? reader.fields(parent.get("oauth"), parent.at("oauth"), { what: "OAuth", known }) : undefined;
  if (fields === undefined) return undefined;
  if (!parent.has("url")) reader.refuse(parent.at("oauth"), '"oauth" does not apply to this kind of server', "remove it", "key");
  const short = (text: string): string | undefined =>
    /^[\x20-\x7e]{1,1024}$/.test(text) ? undefined : "Is not a valid string; write printable ASCII";
  return compact({ clientId: fields.text("clientId", short), scope: fields.text("scope", short), port: fields.count("port", 65_535) });
}

function readBundleValue(reader: DocumentReader, value: JsonValue, pointer: string, key: string): BundleValue | undefined {
  if (isBundleValue(value)) return value;
  reader.refuse(
    pointer,
    `"${printable(key)}" is not a valid value`,
    'write a string, a number, true or false, a list of strings, or { "secret": "NAME" }',
  );
  return undefined;
}

function checkDigest(digest: string): string | undefined {
  return /^[0-9a-f]{64}$/.test(digest) ? undefined : 'Is not a hash; "bascule add <file>.mcpb" writes it';
}

function readEffects(reader: DocumentReader, value: JsonValue, pointer: string, tool: string): readonly SideEffect[] | undefined {
  const known = new Set<JsonValue>(SIDE_EFFECTS);
  if (Array.isArray(value) && value.every((item) => known.has(item as JsonValue))) return value as readonly SideEffect[]; // `every` compared each item.
  reader.refuse(pointer, `Side effects of "${printable(tool)}" are not valid`, `list some of ${SIDE_EFFECTS.join(", ")}`);
  return undefined;
}

function checkProgram(text: string): string | undefined {
  return text !== "" && text.length <= 4_096 && !text.includes("\0") ? undefined : "Is not a program or folder";
}

function checkUrl(text: string): string | undefined {
  const isHttp = text.length <= 4_096 && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) return "Is not an http or https URL";
  const { username, password } = new URL(text);
  return username === "" && password === "" ? undefined : 'Contains a password; write a header "Authorization" from a variable instead';
}
