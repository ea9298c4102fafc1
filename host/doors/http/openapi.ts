/** The OpenAPI 3.1 document of the server, made of the same table that routes its requests (SPEC I4). */

import type { TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { AnswerSpec, Endpoint } from "./endpoint.ts";
import { CONFIRMATION, PLUGIN, PROBLEM, RESULT, SESSION, TOOL, TURN_STATE } from "./schemas.ts";

/** Shown once, and referred to by name. */
const NAMED: ReadonlyMap<unknown, string> = new Map<TSchema, string>([
  [CONFIRMATION, "Confirmation"],
  [PLUGIN, "Plugin"],
  [PROBLEM, "Problem"],
  [RESULT, "Result"],
  [SESSION, "Session"],
  [TOOL, "Tool"],
  [TURN_STATE, "Turn"],
]);

/** Plain JSON. The version is that of the API, not of bascule. */
export function openApiDocument(): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of ENDPOINTS) (paths[endpoint.path] ??= {})[endpoint.method] = operationOf(endpoint);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "bascule",
      version: "1",
      description:
        "A plugin host for untrusted tools. What goes wrong in a call is in its result; what is wrong with a request is a problem (RFC 9457).",
      license: { name: "MIT", identifier: "MIT" },
    },
    // Where the document is served.
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(Array.from(NAMED, ([schema, name]) => [name, { ...(schema as TSchema) }])),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
  // Through text, so that TypeBox's symbols stay behind and only JSON is left.
  return JSON.parse(JSON.stringify(document, (_key, value: unknown) => reference(NAMED.get(value)) ?? value)) as JsonObject;
}

function reference(name: string | undefined): object | undefined {
  return name === undefined ? undefined : { $ref: `#/components/schemas/${name}` };
}

function operationOf<Api>(endpoint: Endpoint<Api>): object {
  const { id, summary, about, scope, path, query, body, answers } = endpoint;
  const parameters = [...pathParameters(path), ...queryParameters(query)];
  return {
    operationId: id,
    summary,
    ...((about !== undefined || scope !== undefined) && {
      description: [about, scope === undefined ? undefined : `Needs the scope \`${scope}\`.`]
        .filter((text) => text !== undefined)
        .join("\n\n"),
    }),
    security: scope === undefined ? [] : [{ token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: {
      ...refusals(endpoint),
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(Number(status), answer)])),
      default: { description: "The request is wrong, or not permitted", content: PROBLEM_CONTENT },
    },
  };
}

/** What every endpoint of this kind answers to a request that is wrong; its own words for a status come after. */
function refusals<Api>({ scope, path, query, body }: Endpoint<Api>): object {
  const refused = {
    ...((body !== undefined || query !== undefined) && { 400: "The request is malformed or invalid: `detail` says where" }),
    ...(scope !== undefined && { 401: "A token is needed", 403: "The token is not good for this" }),
    ...(path.includes("{") && { 404: "There is no such thing, or it is not this token's" }),
    ...(body !== undefined && { 413: "The body is too large", 415: "The body is no JSON" }),
    429: "There are too many requests, of all or of this token",
  };
  return Object.fromEntries(Object.entries(refused).map(([status, about]) => [status, { description: about, content: PROBLEM_CONTENT }]));
}

const PROBLEM_CONTENT = { "application/problem+json": { schema: PROBLEM } };

function responseOf(status: number, { about, schema, type = "application/json" }: AnswerSpec): object {
  if (status >= 400) return { description: about, content: PROBLEM_CONTENT };
  return { description: about, content: { [type]: { schema: schema ?? { type: "string" } } } };
}

function pathParameters(path: string): readonly object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function queryParameters(query: TSchema | undefined): readonly object[] {
  // Our own schemas: an object's properties are schemas, `required` is a list of names.
  const properties = (query?.["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  const required = (query?.["required"] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }));
}
