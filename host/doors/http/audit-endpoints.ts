/** Endpoints for the durable record and for events as they come (SPEC AU3, H8, I4). */

import { Type } from "@sinclair/typebox";
import type { Audit } from "../../audit/audit.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Endpoint, json, jsonOf, textIn } from "./endpoint.ts";
import type { EventStreams } from "./event-streams.ts";
import { RequestProblem } from "./problem.ts";
import { AUDIT_QUERY, closed, ID, listed, NAME, OBJECT, some, TEXT } from "./schemas.ts";
import type { HttpSessions } from "./sessions.ts";
import { isGoodFor } from "./tokens.ts";

/** What these endpoints work with. */
export interface AuditApi {
  readonly audit: Pick<Audit, "flush" | "search" | "session" | "verify">;
  readonly sessions: HttpSessions;
  readonly streams: EventStreams;
  readonly platform: Pick<Platform, "slices">;
}

const DEFAULT_LIMIT = 100;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const AUDIT_ENDPOINTS: readonly Endpoint<AuditApi>[] = [
  {
    method: "get",
    path: "/v1/audit",
    id: "searchAudit",
    summary: "Search the durable record: the newest events that fit, the oldest first",
    scope: "admin",
    query: AUDIT_QUERY,
    answers: { 200: { about: "The events", schema: listed("events", some({ number: Type.Integer(), event: OBJECT })) } },
    async run({ query }, { audit, platform }) {
      const { limit, ...filter } = query;
      await audit.flush();
      const damage: string[] = [];
      const events = await audit.search(filter, typeof limit === "number" ? limit : DEFAULT_LIMIT, (found) => damage.push(found));
      return jsonOf({ events, ...(damage.length > 0 && { damage }) }, platform.slices);
    },
  },
  {
    method: "get",
    path: "/v1/audit/verify",
    id: "verifyAudit",
    summary: "Whether the record is as it was written",
    scope: "admin",
    query: closed({ head: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "A seal that must still be in it" })) }),
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
    summary: "A session as the record has it: its calls, what came of them, what they did",
    scope: "admin",
    answers: { 200: { about: "It; empty where the record holds nothing of it", schema: OBJECT } },
    async run({ params }, { audit, platform }) {
      await audit.flush();
      return jsonOf(await audit.session(params["sessionId"] ?? ""), platform.slices);
    },
  },
  {
    method: "get",
    path: "/v1/events",
    id: "streamEvents",
    summary: "Events as they come, as server-sent events",
    about:
      "An admin gets all events, another token those of its own sessions. A client that comes back sends `Last-Event-ID` and gets what it missed, from memory or from the record; where that is not all, an event `gap` says so. A client that reads too slowly gets `gap` with the last id that it was sent, and is to come back.",
    scope: "call",
    query: closed({
      sessionId: Type.Optional(ID),
      type: Type.Optional({ ...NAME, description: "A type, or its beginning: `tool`" }),
      lastEventId: Type.Optional(ID),
    }),
    answers: { 200: { about: "`event` is the type, `id` the event's, `data` the event", type: "text/event-stream" } },
    async run({ caller, query, fields }, { sessions, streams }) {
      const sessionId = textIn(query, "sessionId");
      if (sessionId !== undefined && !isGoodFor(caller, "admin")) sessions.get(caller, sessionId);
      const lastEventId = fields.get("last-event-id") ?? textIn(query, "lastEventId");
      if (lastEventId !== undefined && !UUID.test(lastEventId))
        throw new RequestProblem("invalid_request", "Last-Event-ID is not the id of an event");
      const type = textIn(query, "type");
      return await streams.open(caller, {
        ...(sessionId !== undefined && { sessionId }),
        ...(type !== undefined && { type }),
        ...(lastEventId !== undefined && { lastEventId }),
      });
    },
  },
];
