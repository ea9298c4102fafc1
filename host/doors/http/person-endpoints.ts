/** Endpoints for the user: confirmations, grants, reasons, undo, MCP servers (SPEC E5, E8, C3, K3, P6). They need an admin token. */

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
import { ANSWER_SCOPES, type PendingConfirmation } from "../../confirmations/pending.ts";
import { defined } from "../../primitives/defined.ts";
import { LockFileError } from "../../plugins/consent/lock.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Platform } from "../../platform/platform.ts";
import { type McpServerStatus, McpToolsChanged } from "../../sources/mcp/mod.ts";
import type { Operations } from "../operations.ts";
import type { HttpCalls } from "./calls.ts";
import { type ApiRequest, type Endpoint, json, jsonOfList, textIn } from "./endpoint.ts";
import { inWords, MCP_SERVER, UNDOABLE, UNDONE } from "./person-schemas.ts";
import { RequestProblem } from "./problem.ts";
import { closed, listed, NAME, OBJECT, some, TEXT } from "./schema-parts.ts";
import { ANSWER, CONFIRMATION, GRANT, WHY_QUERY } from "./schemas.ts";
import type { HttpSessions } from "./sessions.ts";

/** Dependencies of these endpoints. */
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
    summary: "Get the host's version, project and notices",
    scope: "admin",
    answers: { 200: { about: "The host", schema: OBJECT } },
    run: async (_request, { operations }) => json(await operations.status()),
  },
  {
    method: "get",
    path: "/v1/confirmations",
    id: "listConfirmations",
    summary: "List the pending confirmations of all doors",
    scope: "admin",
    answers: { 200: { about: "The confirmations, oldest first", schema: listed("confirmations", CONFIRMATION) } },
    run: async (_request, api) =>
      jsonOfList("confirmations", await api.operations.pending(), (pending) => withTurn(pending, api), api.platform.slices),
  },
  {
    method: "post",
    path: "/v1/confirmations/{requestId}",
    id: "answerConfirmation",
    summary: "Answer a confirmation",
    about: "The first answer counts. A token cannot answer the confirmations of its own calls.",
    scope: "admin",
    body: ANSWER,
    answers: { 200: { about: "This was the first answer", schema: OUTCOME }, 409: { about: "The confirmation has changed" } },
    run: (request, api) => answer(request, api),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/confirmations/{requestId}",
    id: "answerConfirmationOfTurn",
    summary: "Answer a confirmation of a turn; `-` stands for calls without a turn",
    scope: "admin",
    body: ANSWER,
    answers: { 200: { about: "This was the first answer", schema: OUTCOME }, 409: { about: "The confirmation has changed" } },
    run: (request, api) => answer(request, api, { sessionId: request.params["sessionId"] ?? "", turnId: request.params["turnId"] ?? "" }),
  },
  {
    method: "get",
    path: "/v1/grants",
    id: "listGrants",
    summary: "List the grants",
    scope: "admin",
    answers: { 200: { about: "The grants", schema: some({ file: TEXT, problems: Type.Array(OBJECT), grants: Type.Array(GRANT) }) } },
    run: async (_request, { operations }) => json(await operations.grants()),
  },
  {
    method: "post",
    path: "/v1/grants",
    id: "grant",
    summary: "Grant permissions to a plugin, within those it requests",
    scope: "admin",
    body: closed({ plugin: NAME, permissions: OBJECT }),
    answers: { 200: { about: "The plugin's grant", schema: GRANT } },
    run: async ({ body }, { operations }) => json(await operations.grant(textIn(body, "plugin") ?? "", permissionsOf(body["permissions"]))),
  },
  {
    method: "post",
    path: "/v1/grants/revoke",
    id: "revoke",
    summary: "Revoke permissions of a plugin; all of them if none are given",
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
    summary: "Explain why a tool or plugin may or may not be called, or do something",
    scope: "admin",
    query: WHY_QUERY,
    answers: { 200: { about: "The verdict of each layer, per tool", schema: listed("tools", OBJECT) } },
    run: async ({ query }, { operations }) => json(await operations.why(toQuestion(query))),
  },
  {
    method: "get",
    path: "/v1/undo",
    id: "listUndoable",
    summary: "List the calls that can be undone, newest first",
    scope: "admin",
    answers: { 200: { about: "The calls", schema: listed("calls", UNDOABLE) } },
    run: async (_request, { operations }) => json({ calls: await operations.undoable() }),
  },
  {
    method: "post",
    path: "/v1/undo/{callId}",
    id: "undoCall",
    summary: "Undo a call's changes to files that have not changed since",
    scope: "admin",
    body: closed({
      dryRun: Type.Optional(Type.Boolean({ description: "Only report what would be undone" })),
      force: Type.Optional(Type.Boolean({ description: "Also undo files that have changed since, if their contents were kept" })),
    }),
    answers: { 200: { about: "The restored files, and those left as they are", schema: UNDONE } },
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
    summary: "List the MCP servers, with the tools that are offered and those that are not",
    scope: "admin",
    answers: { 200: { about: "The servers", schema: listed("servers", MCP_SERVER) } },
    run: (_request, { host }) => json({ servers: host.mcpServers().map(withWords) }),
  },
  {
    method: "post",
    path: "/v1/mcp-servers/{name}/accept",
    id: "acceptMcpTools",
    summary: "Accept the current definitions of a server's tools: all of them, or the named ones",
    scope: "admin",
    about: "Accepts the definitions that were shown, identified by `digest`, or none.",
    body: closed({
      tools: Type.Optional(Type.Array(NAME, { maxItems: 512 })),
      digest: Type.String({ minLength: 1, maxLength: 128, description: "`waiting.digest` of the server that was shown" }),
    }),
    answers: {
      200: { about: "The tools that were not offered before", schema: some({ accepted: Type.Array(TEXT) }) },
      409: { about: "The tools changed since they were shown" },
    },
    async run({ params, body }, { host }) {
      const server = host.mcpServers().find(({ name }) => name === params["name"]);
      if (server === undefined) throw new RequestProblem("not_found", "MCP server not found: GET /v1/mcp-servers lists them");
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

/** Adds the waiting changes as text. */
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
  if (!isThere) throw new RequestProblem("not_found", "Confirmation not found: unknown, already answered, or timed out");
  if (!caller.isPerson && pending.owner === caller.id)
    throw new RequestProblem(
      "forbidden",
      "A token cannot answer the confirmations of its own calls: answer on the console, at a terminal, or with another admin token",
    );
  const approve = body["approve"] === true;
  const scope = ANSWER_SCOPES.find((known) => known === body["scope"]);
  const reason = textIn(body, "reason");
  if (approve && reason !== undefined) throw new RequestProblem("invalid_request", "A reason belongs to a denial: leave it out to approve");
  if (!approve && scope !== undefined) throw new RequestProblem("invalid_request", "A scope belongs to an approval: leave it out to deny");
  const outcome = await api.operations.resolve(requestId, { approve, hash: textIn(body, "hash") ?? "", ...defined({ scope, reason }) });
  if (outcome === "answered") return json({ outcome });
  if (outcome === "unoffered")
    throw new RequestProblem("invalid_request", `This confirmation offers the scopes ${pending.scopes.join(", ")}, not "${scope}"`);
  if (outcome === "changed")
    throw new RequestProblem("conflict", "The hash differs from the confirmation's: read the confirmation again before you answer");
  throw new RequestProblem("not_found", "Confirmation not found: unknown, already answered, or timed out");
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
