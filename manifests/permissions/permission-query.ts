/** Parses permission queries of a program: Deno's grammar of descriptors, with Deno's errors (SPEC PA7). */

import { ipToText, parseIp, parseIpBlock } from "./ip-address.ts";
import { canonicalHost, toPort, withoutZone } from "./permission-net.ts";
import { SYS_KINDS } from "./permission-parse.ts";
import { normalizePath } from "./permission-path.ts";
import { namesPath } from "./permission-run.ts";
import { canonicalSocket } from "./permission-socket.ts";
import { type AccessQuery, isPathKind, type PermissionKind } from "./permissions.ts";

/** Kinds of permission that `Deno.permissions` supports. */
export type DenoKind = Exclude<PermissionKind, "tools" | "mcp">;

/** The query, or the class and message of the error that Deno throws. */
export type AccessQueryOutcome =
  | { readonly ok: true; readonly query: AccessQuery }
  | { readonly ok: false; readonly error: "Error" | "TypeError" | "URIError"; readonly message: string };

/**
 * Parses the value of a descriptor beside its kind; without a value the query is for the whole kind.
 *
 * @param cwd base of relative paths
 *
 * @example
 * ```ts
 * parseAccessQuery("net", "example.com:443", "/"); // { ok: true, query: { kind: "net", host: "example.com", port: 443 }
 * }
 * parseAccessQuery("net", "http://a", "/"); // a URIError: "invalid value 'http://a': URLs are not supported, only
 * domains and IPs"
 * ```
 */
export function parseAccessQuery(kind: DenoKind, value: string | undefined, cwd: string): AccessQueryOutcome {
  if (value === undefined) return accept({ kind });
  if (isPathKind(kind)) {
    if (value === "") return refuse("Error", "Empty path is not allowed");
    const path = normalizePath(value, cwd);
    // A path that is too long or not valid text matches no file, but Deno compares it nevertheless.
    return accept({ kind, path: path ?? value });
  }
  switch (kind) {
    case "net":
    case "import":
      return parseNet(kind, value);
    case "sys":
      if (value === "") return refuse("Error", "Empty sys not allowed");
      return SYS_KINDS.includes(value) ? accept({ kind, name: value }) : refuse("TypeError", `unknown system info kind "${value}"`);
    case "run":
      if (value === "") return refuse("Error", "Empty run query is not allowed");
      return accept({ kind, name: namesPath(value) ? (normalizePath(value, cwd) ?? value) : value });
    case "env":
      return accept({ kind, name: value });
  }
}

function parseNet(kind: "net" | "import", text: string): AccessQueryOutcome {
  const parsed = parseTarget(text);
  if (typeof parsed === "string") return refuse("URIError", parsed);
  if (kind === "net") return accept({ kind, ...parsed });
  const host = parsed.host.includes(":") && parseIp(parsed.host) !== undefined ? `[${parsed.host}]` : parsed.host;
  return accept({ kind, name: parsed.port === undefined ? host : `${host}:${parsed.port}` });
}

/** Returns the target, or Deno's message. The checks run in Deno's order, so that the message is the same. */
function parseTarget(text: string): { readonly host: string; readonly port?: number } | string {
  if (text.startsWith("vsock:")) return toSocket(text) ?? `invalid vsock: '${text}'`;
  if (text.startsWith("unix:")) return toSocket(text) ?? `invalid unix socket: '${text}' (path must be absolute and non-empty)`;
  if (text.startsWith("http://") || text.startsWith("https://"))
    return `invalid value '${text}': URLs are not supported, only domains and IPs`;
  if (text.startsWith("[")) return parseBracketed(text);

  const colon = text.indexOf(":");
  const [hostText, portText] = colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  if (portText === "") return `invalid empty port in '${text}'`;
  const host = parseHost(hostText);
  if (!host.ok) return host.message;
  if (portText === undefined) return { host: host.host };
  const port = toPort(portText);
  if (port !== undefined) return { host: host.host, port };
  return portText.includes(":")
    ? `ipv6 addresses must be enclosed in square brackets: '${text}'`
    : `invalid port in '${text}': '${portText}'`;
}

function toSocket(text: string): { readonly host: string } | undefined {
  const host = canonicalSocket(text);
  return host === undefined ? undefined : { host };
}

function parseBracketed(text: string): { readonly host: string; readonly port?: number } | string {
  const end = text.indexOf("]");
  if (end === -1) return `invalid host: '${text}'`;
  const [inside, after] = [text.slice(1, end), text.slice(end + 1)];
  const address = inside.includes(":") ? parseIp(withoutZone(inside)) : undefined;
  if (address === undefined) return `invalid IPv6 address in '${text}': '${inside}'`;
  const host = ipToText(address);
  if (after === "") return { host };
  if (!after.startsWith(":")) return `invalid host: '${text}'`;
  const port = toPort(after.slice(1));
  return port === undefined ? `invalid port in '${text}': '${after.slice(1)}'` : { host, port };
}

function parseHost(text: string): { readonly ok: true; readonly host: string } | { readonly ok: false; readonly message: string } {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  const address = parseIp(withoutZone(bare));
  if (address !== undefined) {
    return bare === text ? { ok: true, host: ipToText(address) } : { ok: false, message: `invalid host: '${bare}'` };
  }
  if (parseIpBlock(text) !== undefined) return { ok: true, host: text };
  if (bare === "") return { ok: false, message: `invalid empty host: '${text}'` };
  const wrong = whatIsWrong(bare);
  if (wrong !== undefined) return { ok: false, message: `invalid host '${text}': ${wrong}` };
  // A name that is not valid in a URL (`a#b`) is queried unchanged, and no item covers it.
  return { ok: true, host: canonicalHost(bare) ?? bare };
}

/** Uses the messages of the library with which Deno parses names. */
function whatIsWrong(name: string): string | undefined {
  for (const label of name.split(".")) {
    if (label === "") return "empty label found in FQDN";
    if (label.length > MAX_LABEL_LENGTH) return "too long label found in FQDN";
    if (!/^[A-Za-z0-9_#-]*$/.test(label)) return "invalid char found in FQDN";
  }
  return undefined;
}

const MAX_LABEL_LENGTH = 255;

function accept(query: AccessQuery): AccessQueryOutcome {
  return { ok: true, query };
}

function refuse(error: "Error" | "TypeError" | "URIError", message: string): AccessQueryOutcome {
  return { ok: false, error, message };
}
