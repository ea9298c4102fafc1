/** Endpoints for sessions and their turns (SPEC T1, T3, D4). */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { isJsonArray, isJsonObject } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { type CallApi, GONE, isAsync, shownTo, toWish } from "./call-endpoints.ts";
import { type ApiRequest, type Endpoint, json, jsonOfResults } from "./endpoint.ts";
import { listed, SESSION, SESSION_WISH, some, TURN, TURN_STATE } from "./schemas.ts";
import type { HttpSession, SessionWish } from "./sessions.ts";
import type { HttpCaller } from "./tokens.ts";
import type { HttpTurn, HttpTurns } from "./turns.ts";

/** What these endpoints work with. */
export interface SessionApi extends CallApi {
  readonly host: CallApi["host"] & Pick<Host, "cancelSession">;
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
    run: async (request, api) => json({ cancelled: await api.sessions.close(sessionOf(request, api)) }),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/cancel",
    id: "cancelSession",
    summary: "Cancel every call of a session, which stays open",
    about: "Of a token's own session: also those of the sessions that it opened.",
    scope: "call",
    answers: { 200: { about: "They have ended", schema: CANCELLED } },
    run: async (request, api) => json({ cancelled: (await api.host.cancelSession(sessionOf(request, api).id)).length }),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns",
    id: "takeTurn",
    summary: "Several calls, up to the session's cap at once",
    about:
      "With `Prefer: respond-async` the answer comes at once. With `mode: chain` the calls are steps of one chain: those that only read run together, each of the others by itself, and what comes after a failure is not run.",
    scope: "call",
    body: TURN,
    answers: { 200: { about: "What came of them", schema: TURN_STATE }, 202: { about: "They run", schema: TURN_STATE } },
    async run(request, { sessions, turns, platform }) {
      const session = sessions.get(request.caller, request.params["sessionId"] ?? "");
      const { calls = [], sequential, wait, mode, parallelMutations } = request.body;
      const wishes = (isJsonArray(calls) ? calls : [])
        .filter(isJsonObject)
        .map((call) => toWish({ ...call, ...(wait === true && { wait }) }, request));
      const later = isAsync(request);
      const turn = await turns.take(session, wishes, {
        ...{ sequential: sequential === true, mode: mode === "chain" ? mode : "direct", parallelMutations: parallelMutations === true },
        ...(!later && { signal: request.signal }),
      });
      if (!later) await turn.ended;
      const place = { location: `/v1/sessions/${session.id}/turns/${turn.turnId}` };
      return jsonOfResults(
        turnState(turn, turns, request.caller),
        platform.slices,
        later ? 202 : 200,
        later ? { ...place, "preference-applied": "respond-async" } : place,
      );
    },
  },
  {
    method: "get",
    path: "/v1/sessions/{sessionId}/turns/{turnId}",
    id: "getTurn",
    summary: "What came of a turn",
    scope: "call",
    answers: { 200: { about: "Its state", schema: TURN_STATE }, 410: GONE },
    run: (request, api) => jsonOfResults(turnState(turnOf(request, api), api.turns, request.caller), api.platform.slices),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    id: "cancelTurn",
    summary: "Cancel the calls of a turn, those that have not begun too",
    scope: "call",
    answers: { 200: { about: "They have ended", schema: CANCELLED } },
    run: async (request, api) => json({ cancelled: await api.turns.cancel(sessionOf(request, api), turnOf(request, api)) }),
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

function turnState(turn: HttpTurn, turns: HttpTurns, caller: HttpCaller): object {
  const whole = turns.outcome(turn);
  const outcome = whole && { ...whole, results: whole.results.map((result) => shownTo(caller, result)) };
  const { turnId, sessionId, callIds } = turn;
  return { turnId, sessionId, status: outcome === undefined ? "running" : "ended", callIds, ...outcome };
}

function toSessionWish({ allow, deny, ...rest }: JsonObject): SessionWish {
  const layers =
    allow === undefined && deny === undefined
      ? {}
      : { layers: [{ name: "the client's wish", ...(allow !== undefined && { allow }), ...(deny !== undefined && { deny }) }] };
  // The body fits SESSION_WISH, whose members are those of the type.
  return { ...rest, ...layers } as SessionWish;
}
