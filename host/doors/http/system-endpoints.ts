/** Endpoints of the server itself: health, metrics, login and the OpenAPI document. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { type Endpoint, json, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpTokens } from "./tokens.ts";

/** Dependencies of these endpoints. */
export interface SystemApi {
  readonly tokens: Pick<HttpTokens, "redeem">;
  /** Returns false once the server is closing. */
  readonly isReady: () => boolean;
  /** Returns the metrics as Prometheus text. */
  readonly metrics: () => string;
  /** Returns the OpenAPI document. */
  readonly document: () => JsonObject;
}

const TEXT = Type.String();
const STATE: TSchema = Type.Object({ status: TEXT });

export const SYSTEM_ENDPOINTS: readonly Endpoint<SystemApi>[] = [
  {
    method: "get",
    path: "/healthz",
    id: "health",
    summary: "Check that the process answers",
    answers: { 200: { about: "The process answers", schema: STATE } },
    run: () => json({ status: "ok" }),
  },
  {
    method: "get",
    path: "/readyz",
    id: "ready",
    summary: "Check that the server takes calls",
    answers: { 200: { about: "The server takes calls", schema: STATE }, 503: { about: "The host is shutting down" } },
    run(_request, { isReady }) {
      if (isReady()) return json({ status: "ready" });
      throw new RequestProblem("unavailable", "The host is shutting down and takes no new calls");
    },
  },
  {
    method: "get",
    path: "/metrics",
    id: "metrics",
    summary: "Get metrics in Prometheus text format",
    scope: "metrics",
    answers: { 200: { about: "The metrics", type: "text/plain" } },
    run: (_request, { metrics }) => new Response(metrics(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
  },
  {
    method: "post",
    path: "/v1/login",
    id: "logIn",
    summary: "Exchange the login code that the server showed at start for a console token",
    body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 512 }) }, { additionalProperties: false }),
    answers: {
      200: { about: "A token that is valid for twelve hours", schema: Type.Object({ token: TEXT }) },
      403: { about: "The code is unknown, used or expired" },
    },
    async run({ body }, { tokens }) {
      const token = await tokens.redeem(textIn(body, "code") ?? "");
      if (token !== undefined) return json({ token });
      throw new RequestProblem("forbidden", "Login code unknown, used, or older than ten minutes: restart the server to get a new one");
    },
  },
  {
    method: "get",
    path: "/v1/whoami",
    id: "whoAmI",
    summary: "Get the token's name and scopes",
    scope: "call",
    answers: {
      200: { about: "The name and scopes", schema: Type.Object({ name: TEXT, scopes: Type.Array(TEXT), role: Type.Optional(TEXT) }) },
    },
    run: ({ caller: { name, scopes, role } }) => json({ name, scopes, role }),
  },
  {
    method: "get",
    path: "/v1/openapi.json",
    id: "openApi",
    summary: "Get this document",
    answers: { 200: { about: "OpenAPI 3.1", schema: Type.Unsafe({ type: "object" }) } },
    run: (_request, { document }) => json(document()),
  },
];
