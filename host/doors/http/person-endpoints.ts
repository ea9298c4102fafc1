/** Endpoints for a person: questions, plugins, grants, settings, reasons (SPEC E5, C3, P6). An agent's token is not good for any of them. */

import { Type } from "@sinclair/typebox";
import {
  type JsonObject,
  type JsonValue,
  parsePermissions,
  PERMISSION_KINDS,
  type Permissions,
  problemToText,
} from "../../../manifests/mod.ts";
import type { PendingConfirmation } from "../../confirmations/pending.ts";
import type { Operations } from "../operations.ts";
import type { HttpCalls } from "./calls.ts";
import { type ApiRequest, type Endpoint, json, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { ANSWER, closed, CONFIRMATION, GRANT, listed, NAME, OBJECT, PLUGIN, some, TEXT, WHY_QUERY } from "./schemas.ts";
import type { HttpSessions } from "./sessions.ts";

/** What these endpoints work with. */
export interface PersonApi {
  readonly operations: Operations;
  readonly sessions: HttpSessions;
  readonly calls: HttpCalls;
}

const OUTCOME = some({ outcome: Type.Literal("answered") });

export const PERSON_ENDPOINTS: readonly Endpoint<PersonApi>[] = [
  {
    method: "get",
    path: "/v1/status",
    id: "status",
    summary: "Which host this is, and what it serves",
    scope: "admin",
    answers: { 200: { about: "The host", schema: OBJECT } },
    run: async (_request, { operations }) => json(await operations.status()),
  },
  {
    method: "get",
    path: "/v1/confirmations",
    id: "listConfirmations",
    summary: "The questions that wait for a person, of every door",
    scope: "admin",
    answers: { 200: { about: "The oldest first", schema: listed("confirmations", CONFIRMATION) } },
    run: async (_request, api) => json({ confirmations: (await api.operations.pending()).map((pending) => withTurn(pending, api)) }),
  },
  {
    method: "post",
    path: "/v1/confirmations/{requestId}",
    id: "answerConfirmation",
    summary: "Answer a question",
    about: "The first answer counts. A token cannot answer the questions of its own calls.",
    scope: "admin",
    body: ANSWER,
    answers: { 200: { about: "This was the first answer", schema: OUTCOME }, 409: { about: "It is another question by now" } },
    run: (request, api) => answer(request, api),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/confirmations/{requestId}",
    id: "answerConfirmationOfTurn",
    summary: "Answer a question of a turn; `-` is the turn of a call that belongs to none",
    scope: "admin",
    body: ANSWER,
    answers: { 200: { about: "This was the first answer", schema: OUTCOME }, 409: { about: "It is another question by now" } },
    run: (request, api) => answer(request, api, { sessionId: request.params["sessionId"] ?? "", turnId: request.params["turnId"] ?? "" }),
  },
  {
    method: "get",
    path: "/v1/plugins",
    id: "listPlugins",
    summary: "Every plugin, loaded or not, with what it asks for and what it was granted",
    scope: "admin",
    answers: { 200: { about: "The plugins", schema: listed("plugins", PLUGIN) } },
    run: async (_request, { operations }) => json({ plugins: await operations.list() }),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}",
    id: "getPlugin",
    summary: "A plugin, or a tool with its plugin",
    scope: "admin",
    answers: { 200: { about: "It", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.info(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/reload",
    id: "reloadPlugins",
    summary: "Look for changes now",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "How many are served differently", schema: some({ reloaded: Type.Integer() }) } },
    run: async (_request, { operations }) => json({ reloaded: await operations.reload() }),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/accept",
    id: "acceptPlugin",
    summary: "Let the version serve that waits for a person, if it is still the one that was shown",
    scope: "admin",
    body: closed({ digest: Type.String({ minLength: 8, maxLength: 64, description: "Of the version that was shown" }) }),
    answers: { 200: { about: "What became of it: accepted, changed meanwhile, or it does not run", schema: OBJECT } },
    run: async ({ params, body }, { operations }) => json(await operations.accept(params["name"] ?? "", textIn(body, "digest") ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/rollback",
    id: "rollBackPlugin",
    summary: "Go back to the version that was good before",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "The version that serves now", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.rollback(params["name"] ?? "")),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/settings",
    id: "getSettings",
    summary: "What a plugin is set to",
    scope: "admin",
    answers: { 200: { about: "Its settings", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.settings(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/settings",
    id: "changeSetting",
    summary: "Set one of a plugin's settings, or with no text let its default hold again",
    scope: "admin",
    body: closed({ key: NAME, text: Type.Optional(Type.String({ maxLength: 65_536 })) }),
    answers: { 200: { about: "Its settings now", schema: OBJECT } },
    async run({ params, body }, { operations }) {
      const text = textIn(body, "text");
      return json(await operations.settings(params["name"] ?? "", { key: textIn(body, "key") ?? "", ...(text !== undefined && { text }) }));
    },
  },
  {
    method: "get",
    path: "/v1/grants",
    id: "listGrants",
    summary: "What people granted",
    scope: "admin",
    answers: { 200: { about: "The grants", schema: some({ file: TEXT, problems: Type.Array(OBJECT), grants: Type.Array(GRANT) }) } },
    run: async (_request, { operations }) => json(await operations.grants()),
  },
  {
    method: "post",
    path: "/v1/grants",
    id: "grant",
    summary: "Grant permissions to a plugin, within what it asks for",
    scope: "admin",
    body: closed({ plugin: NAME, permissions: OBJECT }),
    answers: { 200: { about: "What it holds now", schema: GRANT } },
    run: async ({ body }, { operations }) => json(await operations.grant(textIn(body, "plugin") ?? "", permissionsOf(body["permissions"]))),
  },
  {
    method: "post",
    path: "/v1/grants/revoke",
    id: "revoke",
    summary: "Take permissions back; without any, all of a plugin's",
    scope: "admin",
    body: closed({ plugin: NAME, permissions: Type.Optional(OBJECT) }),
    answers: { 200: { about: "How many grants changed", schema: some({ changed: Type.Integer() }) } },
    async run({ body }, { operations }) {
      const taken = body["permissions"] === undefined ? undefined : permissionsOf(body["permissions"]);
      return json({ changed: await operations.revoke(textIn(body, "plugin") ?? "", taken) });
    },
  },
  {
    method: "get",
    path: "/v1/why",
    id: "why",
    summary: "Why a tool or plugin may or may not be called, or do something",
    scope: "admin",
    query: WHY_QUERY,
    answers: { 200: { about: "Every layer's word", schema: listed("tools", OBJECT) } },
    run: async ({ query }, { operations }) => json(await operations.why(toQuestion(query))),
  },
];

function withTurn(pending: PendingConfirmation, { calls }: PersonApi): object {
  return { ...pending, turnId: calls.turnOf(pending.request.callId) };
}

async function answer(
  { params, body, caller }: ApiRequest,
  api: PersonApi,
  place?: { readonly sessionId: string; readonly turnId: string },
): Promise<Response> {
  const requestId = params["requestId"] ?? "";
  const pending = (await api.operations.pending()).find(({ request }) => request.requestId === requestId);
  const isThere = pending !== undefined && (place === undefined || isAt(pending, place, api));
  if (!isThere) throw new RequestProblem("not_found", "There is no such question (any more): it was answered, or its time is over");
  if (!caller.isPerson && pending.owner === caller.id)
    throw new RequestProblem("forbidden", "The token that asked cannot answer: use the console, another token, or bascule approve");
  const outcome = await api.operations.resolve(requestId, { approve: body["approve"] === true, hash: textIn(body, "hash") ?? "" });
  if (outcome === "answered") return json({ outcome });
  if (outcome === "changed")
    throw new RequestProblem("conflict", "The hash is not that of the question: read it again, and answer what it says");
  throw new RequestProblem("not_found", "There is no such question (any more): it was answered, or its time is over");
}

function isAt(pending: PendingConfirmation, place: { readonly sessionId: string; readonly turnId: string }, { calls }: PersonApi): boolean {
  return pending.sessionId === place.sessionId && (calls.turnOf(pending.request.callId) ?? "-") === place.turnId;
}

function permissionsOf(value: JsonValue | undefined): Permissions {
  const parsed = parsePermissions(value ?? null);
  if (parsed.ok) return parsed.value;
  throw new RequestProblem("invalid_request", `Invalid permissions: ${parsed.problems.map(problemToText).join("; ")}`);
}

function toQuestion(query: JsonObject): Parameters<Operations["why"]>[0] {
  const value = textIn(query, "value");
  const role = textIn(query, "role");
  const kind = PERMISSION_KINDS.find((known) => known === query["kind"]);
  const readOnly = query["readOnly"] === true;
  const noWeb = query["noWeb"] === true;
  return {
    name: textIn(query, "name") ?? "",
    ...(kind !== undefined && { act: { kind, ...(value !== undefined && { value }) } }),
    ...((role !== undefined || readOnly || noWeb) && { context: { readOnly, noWeb, ...(role !== undefined && { role }) } }),
  };
}
