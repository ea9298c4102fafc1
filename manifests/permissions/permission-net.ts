/** Net and import items: hosts, ports, methods and paths (SPEC PA2). */

import { blockHolds, ipToText, parseIp, parseIpBlock, type IpBlock } from "./ip-address.ts";
import { printable } from "../text/names.ts";
import { canonicalSocket, isSocket } from "./permission-socket.ts";
import type { NetItem } from "./permissions.ts";
import { isAtOrBelow } from "../text/paths.ts";

/**
 * `suffix` is `*.name` and covers the name itself; a single address is a block of all its bits; a socket is `unix:/path` or
 * `vsock:cid:port`.
 */
export type HostPattern =
  | { readonly kind: "name" | "suffix" | "socket"; readonly name: string }
  | { readonly kind: "block"; readonly block: IpBlock };

/** Absent members are not limited. Methods are upper case, paths begin with `/`. */
export interface NetPattern {
  readonly host: HostPattern;
  readonly port?: number;
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
}

/** A net query with the host in canonical form. */
export interface NetTarget {
  readonly host?: string;
  readonly port?: number;
  readonly method?: string;
  readonly path?: string;
}

export type NetItemOutcome = { readonly ok: true; readonly value: NetPattern } | { readonly ok: false; readonly reason: string };

const MAX_LIST = 64;

/**
 * Parses `host[:port]`, or such a host limited to methods and path prefixes.
 *
 * The host is a name, `*.name`, an IPv4 address, a CIDR block, or an IPv6 address or block in brackets (brackets are optional for
 * a block). Deno's `unix:/path` and `vsock:cid:port` are parsed too, although no plugin can open either. A zone (`%eth0`) is
 * dropped, as in Deno.
 *
 * @example
 * ```ts
 * parseNetItem("*.example.com:443"); // { ok: true, value: { host: { kind: "suffix", name: "example.com" }, port: 443 }
 * }
 * ```
 */
export function parseNetItem(item: string | NetItem): NetItemOutcome {
  if (typeof item === "string") return parseHostAndPort(item);
  const outcome = parseHostAndPort(item.host);
  if (!outcome.ok) return outcome;
  const reason = checkMethods(item.methods) ?? checkPaths(item.paths);
  if (reason !== undefined) return { ok: false, reason };
  const methods = item.methods?.map((method) => method.toUpperCase());
  return { ok: true, value: { ...outcome.value, ...(methods && { methods }), ...(item.paths && { paths: item.paths }) } };
}

/** Returns a host in the canonical form of URLs, without brackets and final dot; undefined if it is not valid in a URL. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  const address = parseIp(bare);
  if (address !== undefined) return ipToText(address);
  if (/[\x00-\x20%/\\?#@:<>^|[\]]/.test(bare)) return undefined;
  const name = toAscii(bare.endsWith(".") ? bare.slice(0, -1) : bare);
  if (name === undefined) return undefined;
  const numeric = parseIp(name);
  return numeric === undefined ? name : ipToText(numeric);
}

/** Returns the target of a query in the canonical form of items: a host, a block (which no item covers) or a socket. */
export function canonicalTarget(host: string): string | undefined {
  return canonicalHost(host) ?? canonicalSocket(host) ?? (parseIpBlock(host) && host);
}

/** Splits `host[:port]` (IPv6 in brackets); the port is undefined if absent, NaN if invalid. */
export function splitHostPort(text: string): { readonly host: string; readonly port?: number } {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text);
  if (parts === null) return { host: text };
  const host = parts[1] ?? "";
  return parts[2] === undefined ? { host } : { host, port: toPort(parts[2]) ?? NaN };
}

/** Parses a port like Deno: digits, with optional leading zeros and "+". */
export function toPort(text: string): number | undefined {
  return /^\+?[0-9]+$/.test(text) && Number(text) < 65_536 ? Number(text) : undefined;
}

/** Returns true if the pattern covers the whole target. */
export function netCovers(pattern: NetPattern, target: NetTarget): boolean {
  if (target.host === undefined || !hostCovers(pattern.host, target.host)) return false;
  if (pattern.port !== undefined && pattern.port !== target.port) return false;
  if (pattern.methods !== undefined && (target.method === undefined || !pattern.methods.includes(target.method))) return false;
  return (
    pattern.paths === undefined || (target.path !== undefined && pathReadings(target.path).every((path) => isUnderAny(path, pattern.paths)))
  );
}

/** Returns true if the pattern covers the target by any reading of its path, which decides denials. */
export function netTouches(pattern: NetPattern, target: NetTarget): boolean {
  const { paths, ...rest } = pattern;
  if (!netCovers(rest, target)) return false;
  return paths === undefined || (target.path !== undefined && pathReadings(target.path).some((path) => isUnderAny(path, paths)));
}

/** Returns true if the pattern covers a part of the target, such as one port of a target without a port. */
export function netOverlaps(pattern: NetPattern, target: NetTarget): boolean {
  if (target.host !== undefined && !hostCovers(pattern.host, target.host)) return false;
  if (pattern.port !== undefined && target.port !== undefined && pattern.port !== target.port) return false;
  if (pattern.methods !== undefined && target.method !== undefined && !pattern.methods.includes(target.method)) return false;
  const { path } = target;
  if (pattern.paths === undefined || path === undefined) return true;
  return pattern.paths.some((prefix) => isAtOrBelow(prefix, path) || pathReadings(path).some((reading) => isAtOrBelow(reading, prefix)));
}

/** Returns true if `outer` covers everything that `inner` covers. */
export function netContains(outer: NetPattern, inner: NetPattern): boolean {
  if (!hostContains(outer.host, inner.host)) return false;
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  const { methods, paths } = outer;
  if (methods !== undefined && !(inner.methods?.every((method) => methods.includes(method)) ?? false)) return false;
  return paths === undefined || (inner.paths?.every((path) => isUnderAny(path, paths)) ?? false);
}

function parseHostAndPort(text: string): NetItemOutcome {
  if (text === "") return refuse('A host item is empty; write a host such as "example.com"');
  if (text.length > 300) return refuse("A host item has at most 300 characters");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return refuse(`"${printable(text)}" is a URL; write only its host, such as "example.com" or "example.com:443"`);
  if (isSocket(text)) {
    const name = canonicalSocket(text);
    return name === undefined
      ? refuse(`"${printable(text)}" is not a socket; write "unix:/path" with an absolute path, or "vsock:cid:port"`)
      : accept({ kind: "socket", name });
  }
  if (text === "*") return refuse('"*" is not a host; write true instead of a list to allow every host');
  const v6Block = text.includes("::") || text.split(":").length > 2 ? parseIpBlock(text) : undefined;
  if (v6Block !== undefined) return accept({ kind: "block", block: v6Block });

  const { host, port } = splitHostPort(text);
  if (host.startsWith("[") && !host.endsWith("]")) return refuse(explainHost(text));
  if (port !== undefined && Number.isNaN(port)) {
    return refuse(
      parseIp(text) === undefined
        ? `"${printable(text)}" has no port from 0 to 65535 after ":"`
        : `IPv6 address "${printable(text)}" needs brackets; write "[${printable(text)}]"`,
    );
  }
  const pattern = parseHostPattern(host);
  return pattern === undefined ? refuse(explainHost(host)) : accept(pattern, port);
}

function parseHostPattern(host: string): HostPattern | undefined {
  if (host.startsWith("[")) {
    const inside = withoutZone(host.slice(1, -1));
    const address = inside.includes(":") ? parseIp(inside) : undefined;
    const block = address === undefined && inside.includes(":") ? parseIpBlock(inside) : wholeAddress(address);
    return block && { kind: "block", block };
  }
  const block = parseIpBlock(host) ?? wholeAddress(parseIp(withoutZone(host)));
  if (block !== undefined) return { kind: "block", block };
  const isSuffix = host.startsWith("*.");
  const name = nameOf(isSuffix ? host.slice(2) : host);
  return name === undefined ? undefined : { kind: isSuffix ? "suffix" : "name", name };
}

/** The zone behind an address does not change the address. */
export function withoutZone(address: string): string {
  return address.replace(/%.*$/s, "");
}

function wholeAddress(address: readonly number[] | undefined): IpBlock | undefined {
  return address && { address, bits: address.length * 8 };
}

/** Returns a name that is written as one; numbers that URLs read as an address are not names. */
function nameOf(text: string): string | undefined {
  const name = text.includes("*") || text.includes("[") ? undefined : canonicalHost(text);
  return name === undefined || parseIp(name) !== undefined ? undefined : name;
}

function toAscii(name: string): string | undefined {
  const lower = name.toLowerCase();
  const isPlain = /^[a-z0-9_.-]+$/.test(lower) && !/(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/.test(lower) && !lower.includes("xn--");
  const ascii = isPlain ? lower : URL.parse(`http://${name}/`)?.hostname;
  return ascii !== undefined && ascii.length <= 253 && ascii.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
    ? ascii
    : undefined;
}

function explainHost(host: string): string {
  const address = /^[0-9a-fx.]+\.?$/i.test(host) ? canonicalHost(host) : undefined;
  if (address !== undefined) return `"${printable(host)}" is not the plain form of an address; write "${address}"`;
  if (host.includes("*")) return `"${printable(host)}" has "*" in a place other than the front; write "*.name"`;
  if (host.includes("/")) return `"${printable(host)}" is neither a host nor a CIDR block; write a host, or { "host": …, "paths": […] }`;
  return `"${printable(host)}" is not a host; write a name, "*.name", an IPv4 address, a CIDR block or "[IPv6]"`;
}

function hostCovers(pattern: HostPattern, host: string): boolean {
  if (pattern.kind === "block") {
    const address = parseIp(host);
    return address !== undefined && blockHolds(pattern.block, address);
  }
  // The path of a socket may end in any characters.
  if (pattern.kind === "socket" || isSocket(host)) return pattern.kind === "socket" && host === pattern.name;
  return host === pattern.name || (pattern.kind === "suffix" && host.endsWith(`.${pattern.name}`));
}

function hostContains(outer: HostPattern, inner: HostPattern): boolean {
  if (inner.kind === "block")
    return outer.kind === "block" && outer.block.bits <= inner.block.bits && blockHolds(outer.block, inner.block.address);
  if (inner.kind === "suffix" && outer.kind !== "suffix") return false;
  return hostCovers(outer, inner.name);
}

function isUnderAny(path: string, prefixes: readonly string[] | undefined): boolean {
  return prefixes?.some((prefix) => isAtOrBelow(path, prefix)) ?? false;
}

/** Maximum number of times that a chain of servers may decode a path. */
const MAX_DECODINGS = 3;

/**
 * Returns the path as sent and as servers may read it: decoded once or several times (`%2e%2e%2f`, `%252e`; RFC 3986 §6.2.2), and
 * without the parameters that some servers remove from each segment (`/..;x/`).
 */
function pathReadings(path: string): readonly string[] {
  const plain = path.split(/[?#]/, 1)[0] ?? "";
  const sent = URL.parse(plain, "http://host/")?.pathname ?? plain;
  const readings = new Set([sent]);
  let decoded = sent;
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    readings.add(foldUrlPath(decoded)).add(foldUrlPath(decoded.replace(/;[^\\/]*/g, "")));
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === decoded) break;
    decoded = next;
  }
  return [...readings];
}

function foldUrlPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split(/[\\/]/)) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

function checkMethods(methods: readonly string[] | undefined): string | undefined {
  if (methods === undefined) return undefined;
  if (methods.length === 0 || methods.length > MAX_LIST) return `"methods" must have 1 to ${MAX_LIST} items; leave it out to allow all`;
  const wrong = methods.find((method) => !/^[A-Za-z]{1,20}$/.test(method));
  return wrong === undefined ? undefined : `"${printable(wrong)}" is not an HTTP method; write one such as "GET"`;
}

function checkPaths(paths: readonly string[] | undefined): string | undefined {
  if (paths === undefined) return undefined;
  if (paths.length === 0 || paths.length > MAX_LIST) return `"paths" must have 1 to ${MAX_LIST} items; leave it out to allow all`;
  const wrong = paths.find(
    (path) => path.length > 1_024 || !/^\/[^?#*%;\\\x00-\x20]*$/.test(path) || /\/\.{1,2}(?:\/|$)/.test(path) || path.includes("//"),
  );
  return wrong === undefined
    ? undefined
    : `"${printable(wrong)}" is not a path prefix; write one such as "/v1", without "..", "*", "%", ";", "?" or "#"`;
}

function refuse(reason: string): NetItemOutcome {
  return { ok: false, reason };
}

function accept(host: HostPattern, port?: number): NetItemOutcome {
  return { ok: true, value: port === undefined ? { host } : { host, port } };
}
