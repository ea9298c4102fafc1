/**
 * What every request passes before anybody reads it (SPEC I4).
 *
 * A page of any origin can make a browser send requests to this machine, and a name of the attacker's can be made to lead
 * here. So the host that a request is for must be known, the page that it comes from too, and no answer says that others
 * may read it.
 */

import { parseIp, type ServerConfig } from "../../../manifests/mod.ts";
import { problem } from "./problem.ts";

/** Checks requests, and finishes answers. */
export interface HttpGate {
  /** An answer for what is refused, and for what a browser asks beforehand; undefined for what may go on. */
  check(request: Request): Response | undefined;
  /** Adds what every answer has. */
  finish(request: Request, response: Response, requestId: string): Response;
}

const FIELDS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const PREFLIGHT: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, last-event-id, prefer, traceparent, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-max-age": "600",
};
const EXPOSED = "location, x-request-id, mcp-session-id, mcp-protocol-version";

export function createHttpGate({ allowedHosts, allowedOrigins }: Pick<ServerConfig, "allowedHosts" | "allowedOrigins">): HttpGate {
  const hosts = new Set(["localhost", ...allowedHosts.map((host) => host.toLowerCase())]);
  const origins = new Set(allowedOrigins);

  /** Of a request with an allowed page of another origin: that origin. */
  function foreignOrigin(request: Request): string | undefined {
    const origin = request.headers.get("origin");
    return origin !== null && origins.has(origin) ? origin : undefined;
  }

  return {
    check(request) {
      const url = new URL(request.url);
      // An address cannot be made to lead elsewhere; a name can.
      if (!hosts.has(url.hostname) && !hosts.has(url.host) && !isAddress(url.hostname)) {
        return problem("misdirected", `"${url.host}" is no host that this server knows: add it to server.allowedHosts of bascule.json`);
      }
      const origin = request.headers.get("origin");
      if (origin !== null && !isSameHost(origin, url) && !origins.has(origin)) {
        return problem("forbidden", "Pages of this origin may not ask: add it to server.allowedOrigins of bascule.json if they should");
      }
      if (request.method !== "OPTIONS") return undefined;
      return new Response(null, {
        status: 204,
        headers: foreignOrigin(request) === undefined ? { allow: "GET, POST, DELETE" } : PREFLIGHT,
      });
    },
    finish(request, response, requestId) {
      const fields = new Headers(response.headers);
      for (const [name, value] of Object.entries(FIELDS)) if (!fields.has(name)) fields.set(name, value);
      fields.set("x-request-id", requestId);
      if (origins.size > 0) fields.append("vary", "Origin");
      const origin = foreignOrigin(request);
      if (origin !== undefined) {
        fields.set("access-control-allow-origin", origin);
        fields.set("access-control-expose-headers", EXPOSED);
        fields.set("cross-origin-resource-policy", "cross-origin");
      }
      return new Response(response.body, { status: response.status, headers: fields });
    },
  };
}

function isAddress(hostname: string): boolean {
  return parseIp(hostname.replace(/^\[(.*)\]$/s, "$1")) !== undefined;
}

/** The scheme is not compared: what is encrypted is decrypted in front of this server. No browser spells an origin in another way. */
function isSameHost(text: string, { host }: URL): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === text && url.host === host && /^https?:/.test(text);
}
