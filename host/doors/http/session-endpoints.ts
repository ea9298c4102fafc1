/** Endpoints for sessions and their turns (SPEC T1, T3, D4). */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { isJsonArray, isJsonObject } from "../../../manifests/mod.ts";
import { type CallApi, isAsync, toWish } from "./call-endpoints.ts";
import { type ApiRequest, type Endpoint, json } from "./endpoint.ts";
import { listed, SESSION, SESSION_WISH, some, TURN, TURN_STATE } from "./schemas.ts";
import type { HttpSession, SessionWish } from "./sessions.ts";
import type { HttpTurn, HttpTurns } from "./turns.ts";

/** What these endpoints work with. */
export interface SessionApi extends CallApi {
  readonly turns: HttpTurns;
}

const CANCELLED: TSchema = some({ cancelled: Type.Integer({ description: "How many calls there were to cancel" }) });

export const SESSION_ENDPOINTS: readonly Endpoint<SessionApi>[] = [
  {
    method: "post",
    path: "/v1/sessions",
    id: "openSession",
    summary: "Open a session, which has what its token has and no more",
    scope: "call",
    body: SESSION_WISH,
    answers: { 201: { about: "The session", schema: SESSION } },
    run({ caller, body }, { sessions }) {
      const opened = sessions.open(caller, toSessionWish(body));
      return json(toView(opened), 201, { location: `/v1/sessions/${opened.id}` });
    },
  },
  {
    method: "get",
    path: "/v1/sessions",
    id: "listSessions",
    summary: "The token's sessions; everybody's for an admin",
    scope: "call",
    answers: { 200: { about: "The sessions", schema: listed("sessions", SESSION) } },
    run: ({ caller }, { sessions }) => json({ sessions: sessions.list(caller).map(toView) }),
  },
  {
    method: "get",
    path: "/v1/sessions/{sessionId}",
    id: "getSession",
    summary: "One session",
    scope: "call",
    answers: { 200: { about: "The session", schema: SESSION } },
    run: (request, api) => json(toView(sessionOf(request, api))),
  },
  {
    method: "delete",
    path: "/v1/sessions/{sessionId}",
    id: "closeSession",
    summary: "Close a session; its calls are cancelled",
    scope: "call",
    answers: { 200: { about: "It is closed", schema: CANCELLED } },
    run(request, api) {
      const kept = sessionOf(request, api);
      const cancelled = api.calls.cancelAll({ sessionId: kept.id });
      api.sessions.close(kept);
      return json({ cancelled });
    },
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/cancel",
    id: "cancelSession",
    summary: "Cancel every call of a session, which stays open",
    scope: "call",
    answers: { 200: { about: "They are told to end", schema: CANCELLED } },
    run: (request, api) => json({ cancelled: api.calls.cancelAll({ sessionId: sessionOf(request, api).id }) }),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns",
    id: "takeTurn",
    summary: "Several calls, up to the session's cap at once",
    about: "With `Prefer: respond-async` the answer comes at once.",
    scope: "call",
    body: TURN,
    answers: { 200: { about: "What came of them", schema: TURN_STATE }, 202: { about: "They run", schema: TURN_STATE } },
    async run(request, { sessions, turns }) {
      const session = sessions.get(request.caller, request.params["sessionId"] ?? "");
      const { calls = [], sequential, wait } = request.body;
      const wishes = (isJsonArray(calls) ? calls : [])
        .filter(isJsonObject)
        .map((call) => toWish({ ...call, ...(wait === true && { wait }) }, request));
      const later = isAsync(request);
      const turn = await turns.take(session, wishes, { sequential: sequential === true, ...(!later && { signal: request.signal }) });
      if (!later) await turn.ended;
      const place = { location: `/v1/sessions/${session.id}/turns/${turn.turnId}` };
      return json(turnState(turn, turns), later ? 202 : 200, later ? { ...place, "preference-applied": "respond-async" } : place);
    },
  },
  {
    method: "get",
    path: "/v1/sessions/{sessionId}/turns/{turnId}",
    id: "getTurn",
    summary: "What came of a turn",
    scope: "call",
    answers: { 200: { about: "Its state", schema: TURN_STATE } },
    run: (request, api) => json(turnState(turnOf(request, api), api.turns)),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    id: "cancelTurn",
    summary: "Cancel the calls of a turn, those that have not begun too",
    scope: "call",
    answers: { 200: { about: "They are told to end", schema: CANCELLED } },
    run: (request, api) => json({ cancelled: api.turns.cancel(turnOf(request, api)) }),
  },
];

/** The caller's, and for an admin anybody's. */
function sessionOf({ caller, params }: ApiRequest, { sessions }: SessionApi): HttpSession {
  return sessions.get(caller, params["sessionId"] ?? "", "anybody");
}

function turnOf(request: ApiRequest, api: SessionApi): HttpTurn {
  return api.turns.get(sessionOf(request, api).id, request.params["turnId"] ?? "");
}

function toView({ id, session, openedAt }: HttpSession): object {
  const { role, workspace, concurrency, slots } = session;
  return { sessionId: id, role, workspace, concurrency, openedAt, running: slots.running, waiting: slots.waiting };
}

function turnState(turn: HttpTurn, turns: HttpTurns): object {
  const results = turns.results(turn);
  const { turnId, sessionId, callIds } = turn;
  return { turnId, sessionId, status: results === undefined ? "running" : "ended", callIds, results };
}

function toSessionWish({ allow, deny, ...rest }: JsonObject): SessionWish {
  const layers =
    allow === undefined && deny === undefined
      ? {}
      : { layers: [{ name: "the client's wish", ...(allow !== undefined && { allow }), ...(deny !== undefined && { deny }) }] };
  // The body fits SESSION_WISH, whose members are those of the type.
  return { ...rest, ...layers } as SessionWish;
}
