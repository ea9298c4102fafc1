/** Endpoints about the server itself: is it there, what can it do, who am I. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { type Endpoint, json, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpTokens } from "./tokens.ts";

/** What these endpoints work with. */
export interface SystemApi {
  readonly tokens: Pick<HttpTokens, "redeem">;
  /** False while the host starts or ends. */
  readonly isReady: () => boolean;
  /** Prometheus text. */
  readonly metrics: () => string;
  /** The OpenAPI document. */
  readonly document: () => JsonObject;
}

const TEXT = Type.String();
const STATE: TSchema = Type.Object({ status: TEXT });

export const SYSTEM_ENDPOINTS: readonly Endpoint<SystemApi>[] = [
  {
    method: "get",
    path: "/healthz",
    id: "health",
    summary: "Whether the process answers",
    answers: { 200: { about: "It does", schema: STATE } },
    run: () => json({ status: "ok" }),
  },
  {
    method: "get",
    path: "/readyz",
    id: "ready",
    summary: "Whether calls are taken",
    answers: { 200: { about: "They are", schema: STATE }, 503: { about: "The host is ending" } },
    run(_request, { isReady }) {
      if (isReady()) return json({ status: "ready" });
      throw new RequestProblem("unavailable", "The host is ending: it takes no new calls");
    },
  },
  {
    method: "get",
    path: "/metrics",
    id: "metrics",
    summary: "Counts and times, as Prometheus reads them",
    scope: "metrics",
    answers: { 200: { about: "The metrics", type: "text/plain" } },
    run: (_request, { metrics }) => new Response(metrics(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
  },
  {
    method: "post",
    path: "/v1/login",
    id: "logIn",
    summary: "A token for the console, in exchange for the code that the server showed when it started",
    body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 512 }) }, { additionalProperties: false }),
    answers: {
      200: { about: "A token for twelve hours", schema: Type.Object({ token: TEXT }) },
      403: { about: "The code was used, is too old, or is none" },
    },
    async run({ body }, { tokens }) {
      const token = await tokens.redeem(textIn(body, "code") ?? "");
      if (token !== undefined) return json({ token });
      throw new RequestProblem("forbidden", "The code was used, is older than ten minutes, or is none: start the server again for another");
    },
  },
  {
    method: "get",
    path: "/v1/whoami",
    id: "whoAmI",
    summary: "What the token is good for",
    scope: "call",
    answers: {
      200: { about: "Its name and scopes", schema: Type.Object({ name: TEXT, scopes: Type.Array(TEXT), role: Type.Optional(TEXT) }) },
    },
    run: ({ caller: { name, scopes, role } }) => json({ name, scopes, role }),
  },
  {
    method: "get",
    path: "/v1/openapi.json",
    id: "openApi",
    summary: "This document",
    answers: { 200: { about: "OpenAPI 3.1", schema: Type.Unsafe({ type: "object" }) } },
    run: (_request, { document }) => json(document()),
  },
];
