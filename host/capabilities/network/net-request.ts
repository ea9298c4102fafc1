/** Reads a guest's request: only a valid HTTP request reaches a socket (SPEC C6). */

import { ACCEPTED_ENCODINGS, type HttpField } from "../../platform/network/network-types.ts";
import { BLOCKED_PORTS, MAX_REQUEST_FIELD_BYTES, MAX_REQUEST_FIELDS, MAX_URL_LENGTH } from "./net-limits.ts";

/** A request, ready for the permission check. */
export interface GuestRequest {
  /** Canonical, `http:` or `https:`, without credentials. */
  readonly url: URL;
  readonly method: string;
  /** Lower-case names, without those of the connection. */
  readonly fields: readonly HttpField[];
}

type GuestRequestOutcome = { readonly ok: true; readonly request: GuestRequest } | { readonly ok: false; readonly message: string };

/** @param headers names and values alternating */
export function readRequest(given: {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly string[];
  readonly body: string;
}): GuestRequestOutcome {
  const target = readTarget(given.url);
  if (typeof target === "string") return refuse(target);
  const method = readMethod(given.method);
  if (method === undefined) return refuse("Method is not valid");
  const fields = readFields(given.headers);
  if (typeof fields === "string") return refuse(fields);
  const disguised = disguise(method, fields, given.body);
  if (disguised !== undefined) return refuse(disguised);
  return { ok: true, request: { url: target.url, method, fields: withDefaults(withCredentials(fields, target.authorization)) } };
}

interface Target {
  readonly url: URL;
  readonly authorization?: string;
}

/** Returns a URL that can be fetched, or why not in Deno's words. The fragment stays, for redirects. */
export function readTarget(text: string, base?: URL): Target | string {
  if (text.length > MAX_URL_LENGTH) return `A URL has at most ${MAX_URL_LENGTH} characters`;
  // Parsing canonicalises hosts: the URL standard accepts decimal, octal and hexadecimal addresses, circled digits and so on.
  const url = URL.parse(text, base?.href);
  if (url === null) return `Invalid URL: '${text}'${base === undefined ? "" : ` with base '${base.href}'`}`;
  if (url.href.length > MAX_URL_LENGTH) return `A URL has at most ${MAX_URL_LENGTH} characters`;
  if (url.protocol !== "http:" && url.protocol !== "https:") return `Url scheme '${url.protocol.slice(0, -1)}' not supported`;
  if (url.port !== "" && BLOCKED_PORTS.has(Number(url.port))) return `Fetch failed: Requests to port ${url.port} are blocked`;
  const authorization = basicCredentials(url);
  url.username = "";
  url.password = "";
  return { url, ...(authorization !== undefined && { authorization }) };
}

/** Converts the user and password of a URL (RFC 7617). */
function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const bytes = new TextEncoder().encode(`${percentDecoded(username)}:${percentDecoded(password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are not valid UTF-8 stay percent-encoded.
    return text;
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 §5.5: no control characters, above all no line ends. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function readMethod(text: string): string | undefined {
  const upper = text.toUpperCase();
  if (!TOKEN.test(text) || text.length > 32 || ["CONNECT", "TRACE", "TRACK"].includes(upper)) return undefined;
  // https://fetch.spec.whatwg.org/#concept-method-normalize
  return ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"].includes(upper) ? upper : text;
}

/** Headers of the connection, which undici writes itself. They are left out as in browsers, and as Deno does with `host`. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function readFields(headers: readonly string[]): readonly HttpField[] | string {
  if (headers.length % 2 !== 0) return "Headers must be alternating names and values";
  if (headers.length > MAX_REQUEST_FIELDS * 2) return `A request has at most ${MAX_REQUEST_FIELDS} headers`;
  const fields: HttpField[] = [];
  let bytes = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2);
    bytes += name.length + value.length + 4;
    if (bytes > MAX_REQUEST_FIELD_BYTES) return `The headers of a request have at most ${MAX_REQUEST_FIELD_BYTES} bytes`;
    if (!TOKEN.test(name)) return `Invalid header name: ${JSON.stringify(name.slice(0, 100))}`;
    if (!VALUE.test(value)) return `Invalid header value: ${JSON.stringify(value.slice(0, 100))}`;
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) fields.push([name.toLowerCase(), value]);
  }
  return fields;
}

/** Headers by which servers replace a request's method. Dropped when a redirect turns the request into GET. */
export const METHOD_OVERRIDES: readonly string[] = ["x-http-method", "x-http-method-override", "x-method-override"];

/** Returns the methods that a server may use instead of the request's own; each needs a grant too. */
export function overridingMethods(fields: readonly HttpField[]): readonly string[] {
  const values = fields.filter(([name]) => METHOD_OVERRIDES.includes(name)).flatMap(([, value]) => value.split(","));
  return [...new Set(values.map((value) => value.trim().toUpperCase()))];
}

/** Safe methods, which are granted, and sent in dry runs, more freely than others. */
const ASKING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A GET request with a body is refused (https://fetch.spec.whatwg.org/#dom-request): a server that does not expect one may read it as
 * another request.
 */
function disguise(method: string, fields: readonly HttpField[], body: string): string | undefined {
  if (body !== "none" && (method === "GET" || method === "HEAD")) return "Request with GET/HEAD method cannot have body.";
  if (!ASKING.has(method) || overridingMethods(fields).every((other) => other === method)) return undefined;
  return `A header cannot override the method of a ${method} request: send that method instead`;
}

function withCredentials(fields: readonly HttpField[], authorization: string | undefined): readonly HttpField[] {
  if (authorization === undefined || fields.some(([name]) => name === "authorization")) return fields;
  return [...fields, ["authorization", authorization]];
}

/** Headers that Deno adds by default. */
const DEFAULTS: readonly HttpField[] = [
  ["accept", "*/*"],
  ["accept-language", "*"],
  ["user-agent", "bascule/0.1"],
  ["accept-encoding", ACCEPTED_ENCODINGS],
];

function withDefaults(fields: readonly HttpField[]): readonly HttpField[] {
  const names = new Set(fields.map(([name]) => name));
  // A range of a compressed body could not be decompressed.
  if (names.has("range")) names.add("accept-encoding");
  return [...fields, ...DEFAULTS.filter(([name]) => !names.has(name))];
}

function refuse(message: string): GuestRequestOutcome {
  return { ok: false, message };
}
