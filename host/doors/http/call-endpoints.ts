/** Endpoints for tools and calls (SPEC I4, T3, T4, E6). What goes wrong in a call is in its result, with status 200. */

import type { TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { ToolResult } from "../../call.ts";
import type { Host } from "../../host-interface.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import { toToolView } from "../host-operations.ts";
import type { CallWish, HttpCall, HttpCalls } from "./calls.ts";
import { type AnswerSpec, type ApiRequest, type Endpoint, json, textIn } from "./endpoint.ts";
import { CALL, closed, ID, listed, RESULT, RUNNING, some, TOOL } from "./schemas.ts";
import type { HttpSession, HttpSessions } from "./sessions.ts";
import { createSseStream } from "./sse.ts";

/** What these endpoints work with. */
export interface CallApi {
  readonly host: Pick<Host, "definitionsFor">;
  readonly sessions: HttpSessions;
  readonly calls: HttpCalls;
  readonly platform: { readonly clock: Pick<Clock, "after">; readonly random: Pick<Random, "uuidv7"> };
}

const PENDING: AnswerSpec = {
  about: "A person has to agree first, or the call was asked to go on by itself: `location` has its result",
  schema: RESULT,
};
const CANCELLED: TSchema = some({ cancelled: Type.Boolean({ description: "False if it had ended" }) });

export const CALL_ENDPOINTS: readonly Endpoint<CallApi>[] = [
  {
    method: "get",
    path: "/v1/tools",
    id: "listTools",
    summary: "The tools that a session may see and call",
    scope: "call",
    query: closed({ sessionId: Type.Optional(ID) }),
    answers: { 200: { about: "The tools", schema: listed("tools", TOOL) } },
    run: ({ caller, query }, { host, sessions }) => {
      const sessionId = textIn(query, "sessionId");
      const { session } = sessionId === undefined ? sessions.ownOf(caller) : sessions.get(caller, sessionId);
      return json({ tools: host.definitionsFor(session).map(toToolView) });
    },
  },
  {
    method: "post",
    path: "/v1/calls",
    id: "call",
    summary: "Call a tool",
    about:
      "Answers with the result when the call has ended; a client that goes before cancels it. With `Prefer: respond-async` the answer comes at once, and the call goes on by itself. With `Accept: text/event-stream` the answer is a stream: events `progress`, then `result`.",
    scope: "call",
    body: CALL,
    answers: { 200: { about: "What came of it, whatever that is", schema: RESULT }, 202: PENDING },
    async run(request, api) {
      const { caller, body } = request;
      const sessionId = textIn(body, "sessionId");
      const session = sessionId === undefined ? api.sessions.ownOf(caller) : api.sessions.get(caller, sessionId);
      const wish = toWish(body, request);
      if (isAsync(request)) return started(await api.calls.start(session, wish));
      if (/\btext\/event-stream\b/.test(request.fields.get("accept") ?? "")) return await streamed(session, wish, request, api);
      const call = await api.calls.start(session, { ...wish, signal: request.signal });
      return answered(await call.ended);
    },
  },
  {
    method: "get",
    path: "/v1/calls/{callId}",
    id: "getCall",
    summary: "What came of a call",
    scope: "call",
    answers: { 200: { about: "Its result, or that it runs", schema: Type.Union([RESULT, RUNNING]) } },
    run: ({ caller, params }, { calls }) => {
      const call = calls.get(caller, params["callId"] ?? "");
      const result = calls.result(call.callId);
      return json(result ?? runningState(call));
    },
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/cancel",
    id: "cancelCall",
    summary: "Cancel a call, down to the guest's requests and files",
    scope: "call",
    answers: { 200: { about: "Whether there was something to cancel", schema: CANCELLED } },
    run: ({ caller, params }, { calls }) => json({ cancelled: calls.cancel(calls.get(caller, params["callId"] ?? "").callId) }),
  },
];

/** A call's wish from a body that fits `CALL` or an item of `TURN`. */
export function toWish(body: ApiRequest["body"], { fields }: Pick<ApiRequest, "fields">): CallWish {
  const { args = {}, timeoutMs, wait } = body;
  const callId = textIn(body, "callId");
  const traceparent = fields.get("traceparent");
  return {
    tool: textIn(body, "tool") ?? "",
    args,
    ...(callId !== undefined && { callId }),
    ...(typeof timeoutMs === "number" && { timeoutMs }),
    ...(wait === true && { waits: true }),
    ...(traceparent !== null && { traceparent }),
  };
}

/** RFC 7240 §4.1. */
export function isAsync({ fields }: Pick<ApiRequest, "fields">): boolean {
  return /(?:^|,)\s*respond-async\s*(?:$|[,;])/i.test(fields.get("prefer") ?? "");
}

export function runningState({ callId, sessionId, turnId, tool, startedAt }: HttpCall): object {
  return { callId, sessionId, turnId, tool, status: "running", startedAt };
}

function answered(result: ToolResult): Response {
  return result.status === "pending_approval"
    ? json(result, 202, { location: `/v1/calls/${encodeURIComponent(result.callId)}` })
    : json(result);
}

function started(call: HttpCall): Response {
  return json(runningState(call), 202, {
    location: `/v1/calls/${encodeURIComponent(call.callId)}`,
    "preference-applied": "respond-async",
  });
}

/** Progress that a slow client does not take is left out; the result always comes. */
async function streamed(session: HttpSession, wish: CallWish, { signal }: ApiRequest, { calls, platform }: CallApi): Promise<Response> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const stream = createSseStream({ clock: platform.clock, onEnd: stop });
  const callId = wish.callId ?? platform.random.uuidv7();
  const call = await calls.start(session, {
    ...wish,
    callId,
    signal: gone.signal,
    onProgress: (progress) => void stream.send({ event: "progress", data: progress }),
  });
  stream.send({ event: "started", data: { callId } });
  void call.ended.then((result) => {
    signal.removeEventListener("abort", stop);
    stream.sendLast({ event: "result", data: result });
  });
  return stream.response;
}
