/** The door for programs of any kind: HTTP, for whoever has a token (SPEC I4). */

import { Hono } from "hono";
import { defectText } from "../../call/errors.ts";
import type { ServerConfig, ServerLimits } from "../../../manifests/mod.ts";
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

/** What the door is made of. */
export interface HttpDoorOptions<Api> {
  readonly platform: { readonly random: Random; readonly log: Log; readonly slices: Slices };
  readonly server: Pick<ServerConfig, "allowedHosts" | "allowedOrigins" | "limits">;
  readonly tokens: Pick<HttpTokens, "identify">;
  readonly endpoints: readonly Endpoint<Api>[];
  readonly api: Api;
  readonly mounts?: readonly HttpMount[];
}

/** A door that answers requests, wherever they come from. */
export interface HttpDoor {
  fetch(request: Request): Promise<Response>;
}

/** What is kept where `server.limits` says nothing. */
export const DEFAULT_SERVER_LIMITS: ServerLimits = Object.freeze({
  bodyBytes: DEFAULT_HTTP_LIMITS.bodyBytes,
  requests: 256,
  sessions: 64,
  streams: 16,
});

const MIB = 1024 * 1024;
/** Bytes of bodies above 64 KB that are read and worked on at once; a token that has none gets the least in any case. One that is larger goes alone. */
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
  const isOurs = (pathname: string): boolean => own.has(pathname) || pathname === "/v1" || pathname.startsWith("/v1/");

  async function answer(request: Request): Promise<Response> {
    const refused = gate.check(request);
    if (refused !== undefined) return refused;
    const caller = await tokens.identify(request.headers.get("authorization"));
    const leave = open.enter(caller?.id ?? "");
    if (leave === undefined)
      return problem("too_many", "Too many requests are open: wait until some have been answered", {}, { "retry-after": "1" });
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
    if (giveBack === undefined) return problem("unavailable", "The client is gone");
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
  const fitting = mounts.filter(({ path }) => path === "/" || pathname === path || pathname.startsWith(`${path}/`));
  return fitting.toSorted((left, right) => right.path.length - left.path.length)[0];
}

/** Why this caller may not; undefined if it may. */
function refusal(scope: Endpoint<never>["scope"], caller: HttpCaller | undefined): Response | undefined {
  if (scope === undefined) return undefined;
  const challenge = { "www-authenticate": 'Bearer realm="bascule"' };
  if (caller === undefined) return problem("unauthorized", "Send a token of this server: Authorization: Bearer <token>", {}, challenge);
  if (isGoodFor(caller, scope)) return undefined;
  return problem("forbidden", `The token "${caller.name}" is not good for this: it takes one with the scope "${scope}"`, { scope });
}

/** Every endpoint of the table, by hono's router. */
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
      ? problem("not_found", "There is nothing at this path: /v1/openapi.json lists what there is")
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

/** Requests that are being answered: so many of all callers, and a quarter of them of one. */
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
  closed: "unavailable",
  internal: "internal",
};

/** What was thrown on purpose is told; the rest is only in the log, under the request's id. */
function failed(error: unknown, requestId: string, log: Log): Response {
  if (error instanceof RequestProblem) return problem(error.code, error.message, error.extras);
  if (error instanceof BodyTooLarge) return problem("too_large", error.message);
  if (error instanceof DoorError) {
    return problem(CODE_OF[error.code], error.message, error.suggestion === undefined ? {} : { suggestion: error.suggestion });
  }
  // Only for admins are there requests that need every row of the journal.
  if (error instanceof JournalError) return problem("unavailable", `The journal cannot be read: ${error.message}`);
  log.write("error", "A request failed", { requestId, error: defectText(error) });
  return problem("internal", "The log says why, under this request's id", { requestId });
}
