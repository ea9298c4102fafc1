/** `node:url`: the web's classes, and path conversion. */

import { sandbox } from "./globals.ts";
import { parse as parseText, stringify } from "./querystring.ts";

export const URL: typeof sandbox.URL = sandbox.URL;
export const URLSearchParams: object = sandbox.URLSearchParams;

export function fileURLToPath(url: string | { readonly href: string }): string {
  const { protocol, hostname, pathname } = new URL(typeof url === "string" ? url : url.href);
  if (protocol !== "file:") throw new TypeError("The URL must be of scheme file");
  if (hostname !== "") throw new TypeError('File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(pathname)) throw new TypeError("File URL path must not include encoded / characters");
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path: string): { readonly href: string } {
  return new URL(`file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`);
}

/** Parts of an address, as the older functions of `node:url` name them. */
interface LegacyUrl {
  readonly protocol: string | null;
  readonly slashes: boolean | null;
  readonly auth: string | null;
  readonly host: string | null;
  readonly port: string | null;
  readonly hostname: string | null;
  readonly hash: string | null;
  readonly search: string | null;
  readonly query: unknown;
  readonly pathname: string | null;
  readonly path: string | null;
  readonly href: string;
}

/** RFC 3986, appendix B. */
const PARTS = /^(?:([A-Za-z][\w+.-]*:))?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s;
const WITH_SLASH = /^(?:https?|ftp|wss?|file):$/;

export function parse(address: string, parseQuery = false, slashesDenoteHost = false): LegacyUrl {
  const [, scheme = null, named, after = "", search = null, hash = null] = PARTS.exec(address.trim()) ?? [];
  const isPath = named !== undefined && scheme === null && !slashesDenoteHost;
  const [authority, rest] = isPath ? [undefined, `//${named}${after}`] : [named, after];
  const protocol = scheme?.toLowerCase() ?? null;
  const [, auth = null, host = ""] = /^(?:(.*)@)?([^@]*)$/s.exec(authority ?? "") ?? [];
  const [, hostname = "", port = null] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? [];
  const hasHost = authority !== undefined;
  const pathname = rest === "" && hasHost && protocol !== null && WITH_SLASH.test(protocol) ? "/" : rest;
  const text = search?.slice(1) ?? null;
  const parts = {
    protocol,
    slashes: hasHost ? true : null,
    auth: auth === null ? null : decodeURIComponent(auth),
    host: hasHost ? host.toLowerCase() : null,
    port,
    hostname: hasHost ? hostname.toLowerCase().replace(/^\[|\]$/g, "") : null,
    hash,
    search,
    query: parseQuery ? parseText(text ?? "") : text,
    pathname: pathname === "" ? null : pathname,
    path: pathname === "" && search === null ? null : pathname + (search ?? ""),
  };
  return { ...parts, href: format(parts) };
}

export function format(parts: string | Partial<LegacyUrl> | { readonly href: string }): string {
  if (typeof parts === "string") return parse(parts).href;
  if (parts instanceof URL) return parts.href;
  const { protocol, slashes, auth, host, hostname, port, pathname, search, query, hash } = parts as Partial<LegacyUrl>;
  const scheme = isEmpty(protocol) ? "" : protocol.replace(/:?$/, ":");
  const place =
    host ?? (isEmpty(hostname) ? undefined : (hostname.includes(":") ? `[${hostname}]` : hostname) + (isEmpty(port) ? "" : `:${port}`));
  const user = isEmpty(auth) ? "" : `${encodeURIComponent(auth).replace(/%3A/gi, ":")}@`;
  const asked = search ?? (typeof query === "object" && query !== null ? stringify(query) : "");
  const start = place !== undefined && (slashes === true || WITH_SLASH.test(scheme) || scheme === "") ? `//${user}${place}` : (place ?? "");
  const path = (pathname ?? "").replace(/[?#]/g, encodeURIComponent);
  const separator = start !== "" && path !== "" && !path.startsWith("/") ? "/" : "";
  const question = asked === "" || asked.startsWith("?") ? asked : `?${asked}`;
  const fragment = isEmpty(hash) || hash.startsWith("#") ? (hash ?? "") : `#${hash}`;
  return scheme + start + separator + path + question.replaceAll("#", "%23") + fragment;
}

function isEmpty(part: string | null | undefined): part is null | undefined | "" {
  return part === null || part === undefined || part === "";
}

export function resolve(from: string, to: string): string {
  const base = new URL(from, "resolve://");
  const { href, protocol } = new URL(to, base.href);
  return protocol === "resolve:" ? href.replace(/^resolve:(?:\/\/)?/, "") : href;
}
