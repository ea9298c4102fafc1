/** Decides the next step after a response: https://fetch.spec.whatwg.org/#http-redirect-fetch, stricter about credentials. */

import type { HttpField, HttpResponse } from "../../platform/network/network-types.ts";
import { MAX_REDIRECTS } from "./net-limits.ts";
import { type GuestRequest, METHOD_OVERRIDES, readTarget } from "./net-request.ts";

/** A request with the number of redirects so far. */
export interface Hop extends GuestRequest {
  /** Bytes can be sent again, a stream cannot. */
  readonly body: "none" | "bytes" | "stream";
  readonly redirects: number;
}

/** Return the response, send another request, or fail. */
type NextStep =
  | { readonly kind: "stay" }
  | { readonly kind: "go"; readonly hop: Hop }
  | { readonly kind: "fail"; readonly message: string };

export type RedirectMode = "follow" | "error" | "manual";

const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Decides the next step. The next URL is not checked here; the permission check follows. */
export function decideNext(hop: Hop, { status, fields }: Pick<HttpResponse, "status" | "fields">, mode: RedirectMode): NextStep {
  if (!STATUSES.has(status) || mode === "manual") return { kind: "stay" };
  if (mode === "error") return fail("Fetch failed: Encountered redirect while redirect mode is set to 'error'");
  const location = fields.find(([name]) => name === "location")?.[1];
  if (location === undefined) return { kind: "stay" };

  const target = readTarget(utf8(location), hop.url);
  if (typeof target === "string")
    return fail(target.startsWith("Url scheme") ? "Fetch failed: Can not redirect to a non HTTP(s) url" : target);
  if (hop.redirects === MAX_REDIRECTS) return fail(`Fetch failed: Maximum number of redirects (${MAX_REDIRECTS}) reached`);
  if (status !== 303 && hop.body === "stream") return fail("Fetch failed: Can not redeliver a streaming request body after a redirect");

  const { url } = target;
  if (url.hash === "") url.hash = hop.url.hash;
  const dropped = new Set([...(becomesGet(hop.method, status) ? OF_THE_BODY : []), ...(url.origin === hop.url.origin ? [] : CONFIDENTIAL)]);
  const kept: readonly HttpField[] = hop.fields.filter(([name]) => !dropped.has(name));
  const isGet = becomesGet(hop.method, status);
  // Credentials in a redirect's URL are dropped.
  return {
    kind: "go",
    hop: { url, method: isGet ? "GET" : hop.method, fields: kept, body: isGet ? "none" : hop.body, redirects: hop.redirects + 1 },
  };
}

/** Headers about the body, and method overrides, are dropped when a redirect turns the request into GET. */
const OF_THE_BODY = ["content-encoding", "content-language", "content-location", "content-type", ...METHOD_OVERRIDES];
const CONFIDENTIAL = ["authorization", "cookie", "cookie2", "proxy-authorization"];

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** Headers are bytes; a location that is not ASCII is most likely UTF-8. */
function utf8(latin1: string): string {
  return new TextDecoder().decode(Uint8Array.from(latin1, (character) => character.charCodeAt(0)));
}

function fail(message: string): NextStep {
  return { kind: "fail", message };
}
