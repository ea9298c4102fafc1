/** HTTP door for any program with a token (SPEC I4). */

import { Hono } from "hono";
import { type ServerConfig, type ServerLimits, isAtOrBelow } from "../../../manifests/mod.ts";
import { defectText } from "../../platform/error-text.ts";
import { BodyTooLarge, DEFAULT_HTTP_LIMITS } from "../../platform/network/http-types.ts";
import { type GiveBack, LARGE_BYTES, Shares } from "../../../sandbox/mod.ts";
import { JournalError } from "../../platform/files/journal-types.ts";
import type { Log, Random, Slices } from "../../platform/platform.ts";
import { DoorError } from "../operations.ts";
import { ANYBODY, type ApiRequest, type Endpoint } from "./endpoint.ts";
import { createHttpGate } from "./gate.ts";
import type { HttpMount } from "./mount.ts";
import { problem, type ProblemCode, RequestProblem } from "./problem.ts";
import { type BodyOptions, readBody, readQuery, sizeOfBody } from "./read-request.ts";
import { type HttpCaller, type HttpTokens, isGoodFor } from "./tokens.ts";

interface HttpDoorOptions<Api> {
  readonly platform: { readonly random: Random; readonly log: Log; readonly slices: Slices };
  readonly server: Pick<ServerConfig, "allowedHosts" | "allowedOrigins" | "limits">;
  readonly tokens: Pick<HttpTokens, "identify">;
  readonly endpoints: readonly Endpoint<Api>[];
  readonly api: Api;
  readonly mounts?: readonly HttpMount[];
}

/** A door that answers requests, independent of the HTTP server. */
interface HttpDoor {
  fetch(request: Request): Promise<Response>;
}

/** Limits that apply if `server.limits` does not set them. */
export const DEFAULT_SERVER_LIMITS: ServerLimits = Object.freeze({
  bodyBytes: DEFAULT_HTTP_LIMITS.bodyBytes,
  requests: 256,
  sessions: 64,
  streams: 16,
});

const MIB = 1024 * 1024;
/**
 * Bytes of request bodies above 64 KB that are held at once: per token, in total, and the share that a token without any always gets.
 * A body that is larger than its share is read alone.
 */
const LARGE_BODIES = Object.freeze({ token: 8 * MIB, whole: 16 * MIB, least: 4 * MIB });

export function createHttpDoor<Api>(options: HttpDoorOptions<Api>): HttpDoor {
  const { platform, server, tokens, endpoints, mounts = [] } = options;
  const gate = createHttpGate(server);
  const limits = { ...DEFAULT_SERVER_LIMITS, ...server.limits };
  const open = createOpenRequests(limits.requests);
  const bodies = new Shares(LARGE_BODIES.whole, LARGE_BODIES.least);
  const room = (size: number, { signal }: Request, caller: HttpCaller | undefined): Promise<GiveBack | undefined> => {
    const party = caller?.id ?? "";
    return bodies.take({ size, party, line: party, within: [[`token ${party}`, LARGE_BODIES.token]] }, signal);
  };
  const routes = createRoutes(options, (request, caller) => ({
    ...{ maxBytes: limits.bodyBytes, slices: options.platform.slices },
    room: (size) => room(size, request, caller),
  }));
  const own = new Set(endpoints.map(({ path }) => path));
  const isOurs = (pathname: string): boolean => own.has(pathname) || isAtOrBelow(pathname, "/v1");

  async function answer(request: Request): Promise<Response> {
    const refused = gate.check(request);
    if (refused !== undefined) return refused;
    const caller = await tokens.identify(request.headers.get("authorization"));
    const leave = open.enter(caller?.id ?? "");
    if (leave === undefined) return problem("too_many", "Too many open requests: wait until some are answered", {}, { "retry-after": "1" });
    try {
      return await serve(request, caller);
    } finally {
      leave();
    }
  }

  async function serve(request: Request, caller: HttpCaller | undefined): Promise<Response> {
    const { pathname } = new URL(request.url);
    const mount = isOurs(pathname) ? undefined : mountOf(mounts, pathname);
    if (mount === undefined) return await routes(request, caller);
    const size = request.body === null ? 0 : sizeOfBody(request, limits.bodyBytes);
    const giveBack = size <= LARGE_BYTES ? (): void => {} : await room(size, request, caller);
    if (giveBack === undefined) return problem("unavailable", "The client has disconnected");
    try {
      return refusal(mount.scope, caller) ?? (await mount.fetch(request, caller));
    } finally {
      giveBack();
    }
  }

  return {
    async fetch(request) {
      const requestId = platform.random.uuidv7();
      const response = await answer(request).catch((error: unknown) => failed(error, requestId, platform.log));
      return gate.finish(request, response, requestId);
    },
  };
}

function mountOf(mounts: readonly HttpMount[], pathname: string): HttpMount | undefined {
  const fitting = mounts.filter(({ path }) => isAtOrBelow(pathname, path));
  return fitting.toSorted((left, right) => right.path.length - left.path.length)[0];
}

/** Returns the refusal if the caller lacks the scope. */
function refusal(scope: Endpoint<never>["scope"], caller: HttpCaller | undefined): Response | undefined {
  if (scope === undefined) return undefined;
  const challenge = { "www-authenticate": 'Bearer realm="bascule"' };
  if (caller === undefined) return problem("unauthorized", "Missing or unknown token: send Authorization: Bearer <token>", {}, challenge);
  if (isGoodFor(caller, scope)) return undefined;
  return problem("forbidden", `The token "${caller.name}" lacks the scope "${scope}"`, { scope });
}

/** Routes requests to the endpoints of the table with hono's router. */
function createRoutes<Api>(
  { endpoints, api }: Pick<HttpDoorOptions<Api>, "endpoints" | "api">,
  bodiesOf: (request: Request, caller: HttpCaller | undefined) => BodyOptions,
): (request: Request, caller: HttpCaller | undefined) => Promise<Response> {
  const app = new Hono<{ Bindings: { readonly caller: HttpCaller | undefined } }>();
  for (const endpoint of endpoints) {
    app.on(endpoint.method.toUpperCase(), endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      const { caller } = context.env;
      const request = context.req.raw;
      const refused = refusal(endpoint.scope, caller);
      if (refused !== undefined) return refused;
      return await endpoint.run(
        await readRequest(endpoint, request, {
          ...{ params: context.req.param(), caller: caller ?? ANYBODY },
          bodies: bodiesOf(request, caller),
        }),
        api,
      );
    });
  }
  app.notFound((context) => {
    const others = endpoints.filter(({ path }) => matches(path, context.req.path)).map(({ method }) => method.toUpperCase());
    return others.length === 0
      ? problem("not_found", "Path not found: /v1/openapi.json lists all paths")
      : problem("method_not_allowed", `This path takes ${others.join(", ")}`, {}, { allow: others.join(", ") });
  });
  app.onError((error) => {
    throw error;
  });
  return async (request, caller) => await app.fetch(request, { caller });
}

function matches(path: string, actual: string): boolean {
  const parts = path.split("/");
  const given = actual.split("/");
  return parts.length === given.length && parts.every((part, index) => part.startsWith("{") || part === given[index]);
}

async function readRequest<Api>(
  { query, body }: Endpoint<Api>,
  request: Request,
  {
    params,
    caller,
    bodies,
  }: { readonly params: Readonly<Record<string, string>>; readonly caller: HttpCaller; readonly bodies: BodyOptions },
): Promise<ApiRequest> {
  return {
    params,
    query: readQuery(request.url, query),
    body: body === undefined ? {} : await readBody(request, body, bodies),
    fields: request.headers,
    signal: request.signal,
    caller,
  };
}

/** Limits the open requests: `most` in total, a quarter of them per caller. */
function createOpenRequests(most: number): { enter(callerId: string): (() => void) | undefined } {
  const byCaller = new Map<string, number>();
  const mostOfOne = Math.max(1, Math.floor(most / 4));
  let all = 0;
  return {
    enter(callerId) {
      const own = byCaller.get(callerId) ?? 0;
      if (all >= most || own >= mostOfOne) return undefined;
      all += 1;
      byCaller.set(callerId, own + 1);
      return () => {
        all -= 1;
        const left = (byCaller.get(callerId) ?? 1) - 1;
        if (left === 0) byCaller.delete(callerId);
        else byCaller.set(callerId, left);
      };
    },
  };
}

const CODE_OF: Readonly<Record<DoorError["code"], ProblemCode>> = {
  not_found: "not_found",
  invalid_request: "invalid_request",
  too_large: "too_large",
  busy: "too_many",
  refused: "forbidden",
  failed: "forbidden",
  closed: "unavailable",
  internal: "internal",
};

/** Turns an error into a problem. Unexpected errors are only logged, with the request's id. */
function failed(error: unknown, requestId: string, log: Log): Response {
  if (error instanceof RequestProblem) return problem(error.code, error.message, error.extras);
  if (error instanceof BodyTooLarge) return problem("too_large", error.message);
  if (error instanceof DoorError) {
    return problem(CODE_OF[error.code], error.message, error.suggestion === undefined ? {} : { suggestion: error.suggestion });
  }
  // Only admin endpoints read the whole journal, so its message reaches no other caller.
  if (error instanceof JournalError) return problem("unavailable", `Cannot read the journal: ${error.message}`);
  log.write("error", "A request failed", { requestId, error: defectText(error) });
  return problem("internal", "Internal error: the host's log has the reason under this requestId", { requestId });
}
