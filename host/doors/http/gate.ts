/**
 * Checks every request before it is read (SPEC I4).
 *
 * A page of any origin can make a browser send requests to this machine, and an attacker can make a domain name resolve to
 * it (DNS rebinding). So `Host` and `Origin` must be known, and no answer allows other origins to read it.
 */

import { parseIp, type ServerConfig } from "../../../manifests/mod.ts";
import { problem } from "./problem.ts";

/** Checks requests and completes answers. */
interface HttpGate {
  /** Returns the answer to a refused request or a CORS preflight; undefined if the request may continue. */
  check(request: Request): Response | undefined;
  /** Adds the header fields that every answer has. */
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

  /** Returns the request's origin if it is an allowed other origin. */
  function foreignOrigin(request: Request): string | undefined {
    const origin = request.headers.get("origin");
    return origin !== null && origins.has(origin) ? origin : undefined;
  }

  return {
    check(request) {
      const url = new URL(request.url);
      // An IP address cannot be rebound; a name can.
      if (!hosts.has(url.hostname) && !hosts.has(url.host) && !isAddress(url.hostname)) {
        return problem("misdirected", `Unknown host "${url.host}" (to allow it, add it to server.allowedHosts in bascule.json)`);
      }
      const origin = request.headers.get("origin");
      if (origin !== null && !isSameHost(origin, url) && !origins.has(origin)) {
        return problem("forbidden", "Origin not allowed (to allow it, add it to server.allowedOrigins in bascule.json)");
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

/** Compares hosts, not schemes, because a proxy may terminate TLS. Browsers send origins only in this canonical form. */
function isSameHost(text: string, { host }: URL): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === text && url.host === host && /^https?:/.test(text);
}
