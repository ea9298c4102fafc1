/** Endpoints for a person: questions, grants, reasons, undo, MCP servers (SPEC E5, E8, C3, K3, P6). An agent's token is not good for any of them. */

import { Type } from "@sinclair/typebox";
import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  parsePermissions,
  PERMISSION_KINDS,
  type Permissions,
  problemToText,
} from "../../../manifests/mod.ts";
import type { PendingConfirmation } from "../../confirmations/pending.ts";
import { LockFileError } from "../../plugins/consent/lock.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Platform } from "../../platform/platform.ts";
import { type McpServerStatus, McpToolsChanged } from "../../sources/mcp/mod.ts";
import type { Operations } from "../operations.ts";
import type { HttpCalls } from "./calls.ts";
import { type ApiRequest, type Endpoint, json, jsonOfList, textIn } from "./endpoint.ts";
import { inWords, MCP_SERVER, UNDOABLE, UNDONE } from "./person-schemas.ts";
import { RequestProblem } from "./problem.ts";
import { ANSWER, closed, CONFIRMATION, GRANT, listed, NAME, OBJECT, some, TEXT, WHY_QUERY } from "./schemas.ts";
import type { HttpSessions } from "./sessions.ts";

/** What these endpoints work with. */
export interface PersonApi {
  readonly host: Pick<Host, "mcpServers" | "acceptMcpTools">;
  readonly operations: Operations;
  readonly sessions: HttpSessions;
  readonly calls: HttpCalls;
  readonly platform: Pick<Platform, "slices">;
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
    run: async (_request, api) =>
      jsonOfList("confirmations", await api.operations.pending(), (pending) => withTurn(pending, api), api.platform.slices),
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
  {
    method: "get",
    path: "/v1/undo",
    id: "listUndoable",
    summary: "The calls whose changes can be put back, the newest first",
    scope: "admin",
    answers: { 200: { about: "The calls", schema: listed("calls", UNDOABLE) } },
    run: async (_request, { operations }) => json({ calls: await operations.undoable() }),
  },
  {
    method: "post",
    path: "/v1/undo/{callId}",
    id: "undoCall",
    summary: "Put back what a call changed, where it still is as the call left it",
    scope: "admin",
    body: closed({
      dryRun: Type.Optional(Type.Boolean({ description: "Only say what would be done" })),
      force: Type.Optional(Type.Boolean({ description: "Also what is not as the call left it, as far as it was kept" })),
    }),
    answers: { 200: { about: "What was put back, and what was left", schema: UNDONE } },
    async run({ params, body }, { operations }) {
      const undone = await operations.undo(params["callId"] ?? "", { dryRun: body["dryRun"] === true, force: body["force"] === true });
      if (undone.ok) return json(undone);
      throw new RequestProblem("not_found", undone.message);
    },
  },
  {
    method: "get",
    path: "/v1/mcp-servers",
    id: "listMcpServers",
    summary: "The MCP servers whose tools are offered, and what of them is not offered",
    scope: "admin",
    answers: { 200: { about: "The servers", schema: listed("servers", MCP_SERVER) } },
    run: (_request, { host }) => json({ servers: host.mcpServers().map(withWords) }),
  },
  {
    method: "post",
    path: "/v1/mcp-servers/{name}/accept",
    id: "acceptMcpTools",
    summary: "Accept what a server's tools say now: all of them, or those named",
    scope: "admin",
    about: "They are accepted as they were shown, or not at all.",
    body: closed({
      tools: Type.Optional(Type.Array(NAME, { maxItems: 512 })),
      digest: Type.String({ minLength: 1, maxLength: 128, description: "`waiting.digest` of the server that was shown" }),
    }),
    answers: {
      200: { about: "Those that were not offered before", schema: some({ accepted: Type.Array(TEXT) }) },
      409: { about: "They say something else by now" },
    },
    async run({ params, body }, { host }) {
      const server = host.mcpServers().find(({ name }) => name === params["name"]);
      if (server === undefined) throw new RequestProblem("not_found", "There is no such MCP server: GET /v1/mcp-servers lists them");
      if (server.state !== "connected")
        throw new RequestProblem("unavailable", `The MCP server is not connected: ${server.problem ?? "it did not answer"}`);
      const tools = isJsonArray(body["tools"]) ? body["tools"].filter((tool) => typeof tool === "string") : undefined;
      try {
        return json({ accepted: await host.acceptMcpTools(server.name, tools, textIn(body, "digest") ?? "") });
      } catch (error) {
        if (error instanceof McpToolsChanged) throw new RequestProblem("conflict", error.message);
        if (error instanceof TypeError || error instanceof LockFileError) throw new RequestProblem("forbidden", error.message);
        throw error;
      }
    },
  },
];

/** What waits, in words too. */
function withWords({ waiting, ...server }: McpServerStatus): object {
  return waiting === undefined ? server : { ...server, waiting: { ...waiting, words: inWords(waiting.changes) } };
}

function withTurn(pending: PendingConfirmation, { calls }: PersonApi): object {
  const turnId = calls.turnOf(pending.request.callId);
  return { ...pending, ...(turnId !== undefined && { turnId }) };
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
    throw new RequestProblem(
      "forbidden",
      "The token that asked cannot answer: a person does, on the console, at a terminal, or with a token of their own",
    );
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
