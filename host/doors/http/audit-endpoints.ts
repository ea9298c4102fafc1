/** Endpoints of the journal and of live events (SPEC AU3, H8, I4). */

import { Type } from "@sinclair/typebox";
import { isJsonObject } from "../../../manifests/mod.ts";
import type { Audit } from "../../audit/audit.ts";
import type { KeptEvent } from "../../audit/search.ts";
import type { Platform } from "../../platform/platform.ts";
import { defined } from "../../primitives/defined.ts";
import { type Endpoint, json, jsonOf, textIn } from "./endpoint.ts";
import type { EventStreams } from "./event-streams.ts";
import { RequestProblem } from "./problem.ts";
import { closed, ID, listed, NAME, OBJECT, some, TEXT } from "./schema-parts.ts";
import { AUDIT_QUERY } from "./schemas.ts";
import type { HttpSessions } from "./sessions.ts";
import { isGoodFor } from "./tokens.ts";

/** Dependencies of these endpoints. */
export interface AuditApi {
  readonly audit: Pick<Audit, "flush" | "search" | "session" | "verify">;
  readonly sessions: HttpSessions;
  readonly streams: EventStreams;
  readonly platform: Pick<Platform, "slices">;
}

const DEFAULT_LIMIT = 100;
/** Members of payloads that can be large. */
const LARGE_MEMBERS: ReadonlySet<string> = new Set(["arguments", "output", "partialOutput", "decision", "limitsUsed", "errors", "delta"]);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const AUDIT_ENDPOINTS: readonly Endpoint<AuditApi>[] = [
  {
    method: "get",
    path: "/v1/audit",
    id: "searchAudit",
    summary: "Search the journal: the newest matching events, oldest first",
    scope: "admin",
    query: AUDIT_QUERY,
    answers: { 200: { about: "The events", schema: listed("events", some({ number: Type.Integer(), event: OBJECT })) } },
    async run({ query }, { audit, platform }) {
      const { limit, brief, ...filter } = query;
      await audit.flush();
      const damage: string[] = [];
      const events = await audit.search(filter, typeof limit === "number" ? limit : DEFAULT_LIMIT, (found) => damage.push(found));
      return jsonOf({ events: brief === true ? events.map(toBrief) : events, ...(damage.length > 0 && { damage }) }, platform.slices);
    },
  },
  {
    method: "get",
    path: "/v1/audit/verify",
    id: "verifyAudit",
    summary: "Verify that the journal was not changed",
    scope: "admin",
    query: closed({
      head: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "A seal that the journal must contain" })),
    }),
    answers: { 200: { about: "The report", schema: some({ ok: Type.Boolean(), rows: Type.Integer(), problems: Type.Array(TEXT) }) } },
    async run({ query }, { audit }) {
      await audit.flush();
      return json(await audit.verify(textIn(query, "head")));
    },
  },
  {
    method: "get",
    path: "/v1/audit/sessions/{sessionId}",
    id: "auditSession",
    summary: "Get a session from the journal: its calls, their results and effects",
    scope: "admin",
    answers: { 200: { about: "The session; empty if the journal has no record of it", schema: OBJECT } },
    async run({ params }, { audit, platform }) {
      await audit.flush();
      return jsonOf(await audit.session(params["sessionId"] ?? ""), platform.slices);
    },
  },
  {
    method: "get",
    path: "/v1/events",
    id: "streamEvents",
    summary: "Stream live events as server-sent events",
    about:
      "An admin gets all events, any other token those of its own sessions. A client that reconnects sends `Last-Event-ID` and gets the events that it missed, from memory or from the journal; if some are lost, an event `gap` tells it. A client that reads too slowly gets `gap` with the id of the last event it was sent, and has to reconnect.",
    scope: "call",
    query: closed({
      sessionId: Type.Optional(ID),
      type: Type.Optional({ ...NAME, description: "An event type or its first part, such as `tool`" }),
      lastEventId: Type.Optional(ID),
    }),
    answers: { 200: { about: "`event` is the event's type, `id` its id, `data` the event", type: "text/event-stream" } },
    async run({ caller, query, fields }, { sessions, streams }) {
      const sessionId = textIn(query, "sessionId");
      if (sessionId !== undefined && !isGoodFor(caller, "admin")) sessions.get(caller, sessionId);
      const lastEventId = fields.get("last-event-id") ?? textIn(query, "lastEventId");
      if (lastEventId !== undefined && !UUID.test(lastEventId))
        throw new RequestProblem("invalid_request", "Last-Event-ID must be the id of an event");
      const type = textIn(query, "type");
      return await streams.open(caller, {
        ...defined({ sessionId, type, lastEventId }),
      });
    },
  },
];

function toBrief({ number, event }: KeptEvent): KeptEvent {
  const { payload } = event;
  if (!isJsonObject(payload)) return { number, event };
  return { number, event: { ...event, payload: Object.fromEntries(Object.entries(payload).filter(([name]) => !LARGE_MEMBERS.has(name))) } };
}
