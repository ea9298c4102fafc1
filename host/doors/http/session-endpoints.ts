/** Endpoints of sessions and their turns (SPEC T1, T3, D4). */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../manifests/mod.ts";
import { isJsonArray, isJsonObject } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { defined } from "../../primitives/defined.ts";
import { type CallApi, GONE, isAsync, shownTo, toWish } from "./call-endpoints.ts";
import { type ApiRequest, type Endpoint, json, jsonOfResults } from "./endpoint.ts";
import { SESSION, SESSION_WISH, TURN, TURN_STATE } from "./call-schemas.ts";
import { listed, some } from "./schema-parts.ts";
import type { HttpSession, SessionRequest } from "./sessions.ts";
import type { HttpCaller } from "./tokens.ts";
import type { HttpTurn, HttpTurns } from "./turns.ts";

/** Dependencies of these endpoints. */
export interface SessionApi extends CallApi {
  readonly host: CallApi["host"] & Pick<Host, "cancelSession">;
  readonly turns: HttpTurns;
}

const CANCELLED: TSchema = some({ cancelled: Type.Integer({ description: "How many calls were cancelled" }) });

export const SESSION_ENDPOINTS: readonly Endpoint<SessionApi>[] = [
  {
    method: "post",
    path: "/v1/sessions",
    id: "openSession",
    summary: "Open a session, within the rights of its token",
    scope: "call",
    body: SESSION_WISH,
    answers: { 201: { about: "The session", schema: SESSION } },
    run({ caller, body }, { sessions }) {
      const opened = sessions.open(caller, toSessionRequest(body));
      return json(toView(opened), 201, { location: `/v1/sessions/${opened.id}` });
    },
  },
  {
    method: "get",
    path: "/v1/sessions",
    id: "listSessions",
    summary: "List the token's sessions; all sessions for an admin",
    scope: "call",
    answers: { 200: { about: "The sessions", schema: listed("sessions", SESSION) } },
    run: ({ caller }, { sessions }) => json({ sessions: sessions.list(caller).map(toView) }),
  },
  {
    method: "get",
    path: "/v1/sessions/{sessionId}",
    id: "getSession",
    summary: "Get a session",
    scope: "call",
    answers: { 200: { about: "The session", schema: SESSION } },
    run: (request, api) => json(toView(sessionOf(request, api))),
  },
  {
    method: "delete",
    path: "/v1/sessions/{sessionId}",
    id: "closeSession",
    summary: "Close a session and cancel its calls",
    scope: "call",
    answers: { 200: { about: "The session is closed", schema: CANCELLED } },
    run: async (request, api) => json({ cancelled: await api.sessions.close(sessionOf(request, api)) }),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/cancel",
    id: "cancelSession",
    summary: "Cancel all calls of a session, which stays open",
    about: "For the token's own session, this includes the calls of the sessions that the token opened.",
    scope: "call",
    answers: { 200: { about: "The calls have ended", schema: CANCELLED } },
    run: async (request, api) => json({ cancelled: (await api.host.cancelSession(sessionOf(request, api).id)).length }),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns",
    id: "takeTurn",
    summary: "Run several calls, in parallel up to the session's concurrency",
    about:
      "With `Prefer: respond-async` the server answers at once. With `mode: chain` the calls are steps of one chain: steps that only read run in parallel, each other step runs alone, and no step runs after a failed one.",
    scope: "call",
    body: TURN,
    answers: { 200: { about: "The results", schema: TURN_STATE }, 202: { about: "The calls are running", schema: TURN_STATE } },
    async run(request, { sessions, turns, platform }) {
      const session = sessions.get(request.caller, request.params["sessionId"] ?? "");
      const { calls = [], sequential, wait, mode, parallelMutations } = request.body;
      const requests = (isJsonArray(calls) ? calls : [])
        .filter(isJsonObject)
        .map((call) => toWish({ ...call, ...(wait === true && { wait }) }, request));
      const later = isAsync(request);
      const turn = await turns.take(session, requests, {
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
    summary: "Get a turn's state and results",
    scope: "call",
    answers: { 200: { about: "The turn's state", schema: TURN_STATE }, 410: GONE },
    run: (request, api) => jsonOfResults(turnState(turnOf(request, api), api.turns, request.caller), api.platform.slices),
  },
  {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    id: "cancelTurn",
    summary: "Cancel the calls of a turn, including those that have not begun",
    scope: "call",
    answers: { 200: { about: "The calls have ended", schema: CANCELLED } },
    run: async (request, api) => json({ cancelled: await api.turns.cancel(sessionOf(request, api), turnOf(request, api)) }),
  },
];

/** Returns a session of the caller; an admin gets any session. */
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

function toSessionRequest({ allow, deny, ...rest }: JsonObject): SessionRequest {
  const layers =
    allow === undefined && deny === undefined ? {} : { layers: [{ name: "the client's options", ...defined({ allow, deny }) }] };
  // The body matches SESSION_WISH, which has the members of the type.
  return { ...rest, ...layers } as SessionRequest;
}
