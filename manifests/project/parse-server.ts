/** Reads the `server`, `remotes` and `cluster` sections of `bascule.json` (SPEC P1, I4, O3, CL6). */

import { compact, type DocumentReader, type Fields } from "../text/document.ts";
import { isJsonObject, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { parseNetItem } from "../permissions/permission-net.ts";
import { type ClusterConfig, type RemoteConfig, type ServerConfig, type ServerLimits, TOKEN_SCOPES, type TokenConfig } from "./server.ts";

/** Maximum values for the limits of a server. */
export const SERVER_CEILINGS: ServerLimits = Object.freeze({
  bodyBytes: 64 * 1024 * 1024,
  requests: 4_096,
  sessions: 4_096,
  streams: 1_024,
});
/** The server section of a project without one. */
export const DEFAULT_SERVER: ServerConfig = Object.freeze({ tokens: [], allowedHosts: [], allowedOrigins: [], limits: {} });

const SERVER_FIELDS = ["host", "port", "tokens", "allowedHosts", "allowedOrigins", "limits"];
const REMOTE_FIELDS = ["url", "cluster", "token", "tools", "addresses", "plaintext"];
/** Fields of a remote that is a cluster: its connection is not HTTP. */
const CLUSTER_FIELDS = ["url", "cluster", "tools", "plaintext"];
const MAX_KEYS = 1_000;
const MAX_PORT = 65_535;
const MAX_REMOTES = 64;

export function readServer(reader: DocumentReader, parent: Fields): ServerConfig {
  const fields = parent.has("server")
    ? reader.fields(parent.get("server"), parent.at("server"), { what: "Server", known: SERVER_FIELDS })
    : undefined;
  if (fields === undefined) return DEFAULT_SERVER;
  return compact({
    host: fields.text("host", checkHost),
    port: fields.count("port", MAX_PORT),
    tokens: fields.list("tokens", (item, pointer) => readToken(reader, item, pointer)) ?? [],
    allowedHosts: fields.texts("allowedHosts", checkAuthority) ?? [],
    allowedOrigins: fields.texts("allowedOrigins", checkOrigin) ?? [],
    limits: readServerLimits(reader, fields),
  });
}

function readToken(reader: DocumentReader, value: JsonValue, pointer: string): TokenConfig | undefined {
  const known = ["name", "sha256", "scopes", "role"];
  // No message repeats the value, which may be a token by mistake.
  if (isJsonObject(value) && Object.hasOwn(value, "token")) {
    reader.refuse(
      pointer,
      "Tokens must not be stored in this file",
      'write its SHA-256 as "sha256"; printf %s "$TOKEN" | sha256sum prints it',
    );
    return undefined;
  }
  const fields = reader.fields(value, pointer, { what: "Token", known, required: ["name", "sha256"] });
  const name = fields?.text("name", checkTokenName);
  const sha256 = fields?.text("sha256", checkHash);
  if (fields === undefined || name === undefined || sha256 === undefined) return undefined;
  return compact({ name, sha256, scopes: fields.choices("scopes", TOKEN_SCOPES) ?? ["call" as const], role: fields.text("role") });
}

function readServerLimits(reader: DocumentReader, parent: Fields): Partial<ServerLimits> {
  const known = Object.keys(SERVER_CEILINGS);
  const fields = parent.has("limits")
    ? reader.fields(parent.get("limits"), parent.at("limits"), { what: "Server limits", known })
    : undefined;
  if (fields === undefined) return {};
  const { bodyBytes, requests, sessions, streams } = SERVER_CEILINGS;
  return compact({
    bodyBytes: fields.count("bodyBytes", bodyBytes),
    requests: fields.count("requests", requests),
    sessions: fields.count("sessions", sessions),
    streams: fields.count("streams", streams),
  });
}

/** Keyed by the host's name in events and errors. */
export function readRemotes(reader: DocumentReader, parent: Fields): Readonly<Record<string, RemoteConfig>> {
  const remotes = parent.record("remotes", (value, pointer, name) => readRemote(reader, value, pointer, name)) ?? {};
  if (Object.keys(remotes).length > MAX_REMOTES)
    reader.refuse(parent.at("remotes"), `More than ${MAX_REMOTES} remotes`, "remove unused remotes");
  return remotes;
}

export function readCluster(reader: DocumentReader, parent: Fields): ClusterConfig {
  const known = ["members", "callers"];
  const fields = parent.has("cluster") ? reader.fields(parent.get("cluster"), parent.at("cluster"), { what: "Cluster", known }) : undefined;
  return { members: readKeys(reader, fields, "members"), callers: readKeys(reader, fields, "callers") };
}

function readKeys(reader: DocumentReader, fields: Fields | undefined, list: string): Readonly<Record<string, string>> {
  const keys =
    fields?.record(list, (value, pointer, name) => {
      const problem = checkTokenName(name) === undefined ? checkKey(value) : `"${printable(name)}" is not a valid name`;
      if (problem === undefined && typeof value === "string") return value;
      reader.refuse(pointer, problem ?? "Is not a public key", "write a name and the public key that bascule doctor shows on that machine");
      return undefined;
    }) ?? {};
  if (fields !== undefined && Object.keys(keys).length > MAX_KEYS)
    reader.refuse(fields.at(list), `More than ${MAX_KEYS} keys`, "remove unused keys");
  return keys;
}

/** A seed is secret, so no message repeats the value. */
function checkKey(value: JsonValue): string | undefined {
  if (typeof value === "string" && value.startsWith("S")) return "Is a secret seed, which must not be stored in this file";
  return typeof value === "string" && /^U[A-Z2-7]{55}$/.test(value) ? undefined : "Is not the public key of a user's NKey";
}

/** Also reads the remote of a tool in `bascule.json` (SPEC R10). */
export function readRemote(reader: DocumentReader, value: JsonValue, pointer: string, name: string): RemoteConfig | undefined {
  if (!/^[A-Za-z][\w.-]{0,62}$/.test(name))
    reader.refuse(pointer, `"${printable(name)}" is not a valid name for a remote host`, "use letters, digits, _, . and -", "key");
  const fields = reader.fields(value, pointer, { what: "Remote", known: REMOTE_FIELDS, required: ["url"] });
  const plaintext = fields?.flag("plaintext");
  const url = fields?.text("url", (text) => checkUrl(text, plaintext ?? false));
  if (fields === undefined || url === undefined) return undefined;
  const isCluster = isClusterUrl(url);
  const misplaced = isCluster ? REMOTE_FIELDS.find((field) => fields.has(field) && !CLUSTER_FIELDS.includes(field)) : undefined;
  if (misplaced !== undefined) reader.refuse(fields.at(misplaced), `"${misplaced}" does not apply to a NATS server`, "remove it");
  if (!isCluster && fields.has("cluster"))
    reader.refuse(fields.at("cluster"), "Only a NATS server has a cluster", "remove it, or write a nats: URL");
  return compact({
    url,
    cluster: fields.text("cluster", checkCluster),
    token: fields.text("token", checkSecretName),
    tools: fields.texts("tools", checkTools),
    addresses: fields.texts("addresses", checkAddress),
    plaintext,
  });
}

function checkHost(host: string): string | undefined {
  return /^[\w.:-]{1,253}$/.test(host) ? undefined : "Is not an address; write one such as 127.0.0.1";
}

function checkAuthority(host: string): string | undefined {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host)
    ? undefined
    : "Is not a host; write one such as tools.example.com or tools.example.com:8443";
}

function checkOrigin(origin: string): string | undefined {
  return URL.canParse(origin) && new URL(origin).origin === origin && /^https?:/.test(origin)
    ? undefined
    : "Is not an origin; write one such as https://app.example.com, without a path";
}

function checkTokenName(name: string): string | undefined {
  return /^[A-Za-z][\w.-]{0,62}$/.test(name) ? undefined : "Is not a valid name for a token; use letters, digits, _, . and -";
}

function checkHash(hash: string): string | undefined {
  return /^[0-9a-f]{64}$/.test(hash) ? undefined : 'Is not a SHA-256 hash; write the 64 digits that printf %s "$TOKEN" | sha256sum prints';
}

function checkUrl(text: string, plaintext: boolean): string | undefined {
  if (!URL.canParse(text)) return "Is not a URL; write one such as https://tools.example.com";
  const { protocol, username, password, search, hash, hostname, pathname } = new URL(text);
  const isCluster = isClusterUrl(text);
  if (!isCluster && protocol !== "https:" && protocol !== "http:")
    return "Is none of https, http, nats and tls; write one such as https://tools.example.com";
  if (isCluster && (username !== "" || password !== "")) return "Contains credentials; leave them out: hosts log in with their own keys";
  if (username !== "" || password !== "") return 'Contains credentials; leave them out, and name a secret as "token"';
  if (search !== "" || hash !== "") return "Has a query or a fragment; leave it out";
  if (isCluster && pathname !== "" && pathname !== "/") return 'Has a path; leave it out, and name the cluster as "cluster"';
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
  if (protocol === "nats:" && !isHere && !plaintext) return 'Is not encrypted; write tls://, or set "plaintext" if the network is private';
  if (protocol === "http:" && !isHere && !plaintext)
    return 'Is not encrypted and would expose the token; write https, or set "plaintext" if the network is private';
  return undefined;
}

/** Whether calls go to a cluster over NATS instead of to a host over HTTP. */
export function isClusterUrl(url: string): boolean {
  return /^(?:nats|tls):\/\//i.test(url);
}

/** Returns why a text cannot name a cluster: it is a part of subjects and buckets. */
export function checkCluster(name: string): string | undefined {
  return /^[A-Za-z0-9_-]{1,32}$/.test(name) ? undefined : "Is not a valid name for a cluster; use letters, digits, _ and -, at most 32";
}

function checkSecretName(name: string): string | undefined {
  // The message does not repeat the name, which may be the value itself.
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) ? undefined : 'Is not the name of a secret; write one that "secrets" defines';
}

function checkTools(pattern: string): string | undefined {
  return pattern.length <= 256 && /^[\w.*?-]+$/.test(pattern)
    ? undefined
    : `"${printable(pattern)}" is not a tool; write "tool", "plugin.tool" or a pattern such as "notes.*"`;
}

function checkAddress(address: string): string | undefined {
  const outcome = parseNetItem(address);
  if (!outcome.ok) return outcome.reason;
  return /^[\d.]+(?:\/\d+)?$|^\[?[\da-f:.]+\]?(?:\/\d+)?$/i.test(address)
    ? undefined
    : "Is not an address; write one such as 10.0.0.7 or 10.0.0.0/8";
}
