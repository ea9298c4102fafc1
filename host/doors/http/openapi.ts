/** Makes the server's OpenAPI 3.1 document from the table that routes its requests (SPEC I4). */

import type { TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { AnswerSpec, Endpoint } from "./endpoint.ts";
import { RESULT, SESSION, TURN_STATE } from "./call-schemas.ts";
import { CONFIRMATION, PLUGIN, PROBLEM, TOOL } from "./schemas.ts";

/** Schemas that are referenced by name. */
const NAMED: ReadonlyMap<unknown, string> = new Map<TSchema, string>([
  [CONFIRMATION, "Confirmation"],
  [PLUGIN, "Plugin"],
  [PROBLEM, "Problem"],
  [RESULT, "Result"],
  [SESSION, "Session"],
  [TOOL, "Tool"],
  [TURN_STATE, "Turn"],
]);

/** Returns the document as plain JSON. Its version is the version of the API, not of bascule. */
export function openApiDocument(): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of ENDPOINTS) (paths[endpoint.path] ??= {})[endpoint.method] = operationOf(endpoint);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "bascule",
      version: "1",
      description:
        "A plugin host for untrusted tools. A call that fails is a result with an error; a request that fails is a problem (RFC 9457).",
      license: { name: "MIT", identifier: "MIT" },
    },
    // The server that serves the document.
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(Array.from(NAMED, ([schema, name]) => [name, { ...(schema as TSchema) }])),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
  // Serializing drops TypeBox's symbols, so that only JSON is left.
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
      default: { description: "The request is invalid or not permitted", content: PROBLEM_CONTENT },
    },
  };
}

/** Returns the answers to invalid requests that all endpoints of this kind share; an endpoint's own text for a status replaces them. */
function refusals<Api>({ scope, path, query, body }: Endpoint<Api>): object {
  const refused = {
    ...((body !== undefined || query !== undefined) && { 400: "The request is malformed or invalid: see `detail`" }),
    ...(scope !== undefined && { 401: "A token is required", 403: "The token lacks the scope" }),
    ...(path.includes("{") && { 404: "Not found, or not accessible to this token" }),
    ...(body !== undefined && { 413: "The body is too large", 415: "The body is not JSON" }),
    429: "Too many requests, in total or of this token",
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
  // The schemas are our own: the properties of an object are schemas, `required` is a list of names.
  const properties = (query?.["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  const required = (query?.["required"] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }));
}
