/** Endpoints for tools and calls (SPEC I4, T3, T4, E6, E8, X6). What goes wrong in a call is in its result, with status 200. */

import type { TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { ToolResult } from "../../call/call.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Clock, Random, Slices } from "../../platform/platform.ts";
import { toToolView } from "../host-operations.ts";
import { resultWithoutGrants } from "../without-grants.ts";
import type { CommitCaller, Committed } from "../../effects/overlay/dry-runs.ts";
import { answeredElsewhere, type CallWish, type HttpCall, type HttpCalls } from "./calls.ts";
import { type AnswerSpec, type ApiRequest, type Endpoint, json, jsonOfList, jsonOfResults, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { CALL, closed, COMMIT, COMMITTED, ID, listed, RANGE_QUERY, RESULT, RESULT_PART, RUNNING, some, TOOL } from "./schemas.ts";
import type { HttpSession, HttpSessions } from "./sessions.ts";
import { createSseStream } from "./sse.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** What these endpoints work with. */
export interface CallApi {
  readonly host: Pick<Host, "definitionsEach" | "cancelCall" | "commit" | "readResult">;
  readonly sessions: HttpSessions;
  readonly calls: HttpCalls;
  readonly platform: { readonly clock: Pick<Clock, "after">; readonly random: Pick<Random, "uuidv7">; readonly slices: Slices };
}

const PENDING: AnswerSpec = {
  about: "A person has to agree first, or the call was asked to go on by itself: `location` has its result",
  schema: Type.Union([RESULT, RUNNING]),
};
/** Also of a turn with such a call. */
export const GONE: AnswerSpec = { about: "A person agreed, it ended, and its result is kept no more" };
const CANCELLED: TSchema = some({
  cancelled: Type.Boolean({ description: "False if it had ended" }),
  result: Type.Optional(RESULT),
});

export const CALL_ENDPOINTS: readonly Endpoint<CallApi>[] = [
  {
    method: "get",
    path: "/v1/tools",
    id: "listTools",
    summary: "The tools that a session may see and call",
    scope: "call",
    query: closed({ sessionId: Type.Optional(ID) }),
    answers: { 200: { about: "The tools", schema: listed("tools", TOOL) } },
    run: ({ caller, query }, { host, sessions, platform }) => {
      const sessionId = textIn(query, "sessionId");
      const { session } = sessionId === undefined ? sessions.ownOf(caller) : sessions.get(caller, sessionId);
      return jsonOfList("tools", host.definitionsEach(session), toToolView, platform.slices);
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
    answers: { 200: { about: "What came of it, whatever that is", schema: RESULT }, 202: PENDING, 410: GONE },
    async run(request, api) {
      const { caller, body } = request;
      const sessionId = textIn(body, "sessionId");
      const session = sessionId === undefined ? api.sessions.ownOf(caller) : api.sessions.get(caller, sessionId);
      const wish = toWish(body, request);
      if (isAsync(request)) {
        const call = await api.calls.start(session, wish);
        const result = api.calls.result(call.callId);
        return result === undefined ? started(call) : answered(shownTo(caller, result), api);
      }
      if (/\btext\/event-stream\b/.test(request.fields.get("accept") ?? "")) return await streamed(session, wish, request, api);
      const call = await api.calls.start(session, { ...wish, signal: request.signal });
      return answered(shownTo(caller, await call.ended), api);
    },
  },
  {
    method: "get",
    path: "/v1/calls/{callId}",
    id: "getCall",
    summary: "What came of a call",
    scope: "call",
    answers: { 200: { about: "Its result, or that it runs", schema: Type.Union([RESULT, RUNNING]) }, 410: GONE },
    run: ({ caller, params }, { calls, platform }) => {
      const call = calls.get(caller, params["callId"] ?? "");
      const result = calls.result(call.callId);
      return jsonOfResults(result === undefined ? runningState(call) : shownTo(caller, result), platform.slices);
    },
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/cancel",
    id: "cancelCall",
    summary: "Cancel a call, down to the guest's requests and files",
    scope: "call",
    about: "An admin's reach every call of the host, of whatever door.",
    answers: { 200: { about: "Whether there was something to cancel, and what came of it in the end", schema: CANCELLED } },
    async run({ caller, params }, { calls, host, platform }) {
      const callId = params["callId"] ?? "";
      if (!isGoodFor(caller, "admin")) calls.get(caller, callId);
      const result = await host.cancelCall(callId);
      // Of another door's nobody knows here whether it has ended or never was.
      if (result === undefined) calls.get(caller, callId);
      return jsonOfResults({ cancelled: result !== undefined, result: result && shownTo(caller, result) }, platform.slices);
    },
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/commit",
    id: "commitCall",
    summary: "Do what a dry run said, all of it or nothing, if nothing that it read or would write is another now",
    about:
      "A token commits the dry runs of its own calls. Where a person is asked about the tool, or policy made the call a dry run, it takes a person: the console, an admin's token that did not call itself, or with `wait` whoever answers the question.",
    scope: "call",
    body: COMMIT,
    answers: {
      200: { about: "It is done; with `ok: false` only what `filesModified` lists", schema: COMMITTED },
      403: { about: "A person has to agree, and did not" },
      404: { about: "There is no such dry run (any more), or it said something else" },
      409: { about: "Something changed meanwhile: nothing was done" },
    },
    run: commit,
  },
  {
    method: "get",
    path: "/v1/results/{handle}",
    id: "readResult",
    summary: "A part of what was left out of a result that was too large, by the handle in it",
    about:
      "Of the token's own calls; an admin's reads the results of every session of this server, as it reads their calls and the record.",
    scope: "call",
    query: RANGE_QUERY,
    answers: { 200: { about: "The part", schema: RESULT_PART } },
    run({ caller, params, query: { offset, length } }, { host, sessions }) {
      const range = { ...(typeof offset === "number" && { offset }), ...(typeof length === "number" && { length }) };
      for (const { session } of sessions.list(caller)) {
        const part = host.readResult(params["handle"] ?? "", { ...range, session });
        if (part !== undefined) return json(part);
      }
      throw new RequestProblem("not_found", "No result of this token has this handle, or it is kept no more");
    },
  },
];

async function commit({ caller, params, body, signal }: ApiRequest, { host }: CallApi): Promise<Response> {
  const callId = params["callId"] ?? "";
  const hash = textIn(body, "hash") ?? "";
  const asCaller: CommitCaller = {
    owns: ({ session }) => session.owner === caller.id,
    ...(body["wait"] === true && { confirm: answeredElsewhere, signal }),
  };
  // Whoever called says no yes of a person's, whatever its scopes; the console is a person's own.
  const own = caller.isPerson ? undefined : await host.commit(callId, { hash, caller: asCaller });
  if (own !== undefined && (own.ok || own.code !== "unknown" || !isGoodFor(caller, "admin"))) return committed(own);
  // One of the caller's own that is there only now waits for a person, too.
  const isMeant: CommitCaller["owns"] = (call) => caller.isPerson || !asCaller.owns(call);
  return committed(await host.commit(callId, { hash, of: isMeant }));
}

function committed(outcome: Committed): Response {
  if (outcome.ok || outcome.code === "failed") return json(outcome);
  const code = { unknown: "not_found", changed: "conflict", refused: "forbidden" } as const;
  throw new RequestProblem(code[outcome.code], outcome.message);
}

/** A call's wish from a body that fits `CALL` or an item of `TURN`. */
export function toWish(body: ApiRequest["body"], { fields }: Pick<ApiRequest, "fields">): CallWish {
  const { args = {}, timeoutMs, wait, dryRun } = body;
  const callId = textIn(body, "callId");
  const traceparent = fields.get("traceparent");
  return {
    tool: textIn(body, "tool") ?? "",
    args,
    ...(callId !== undefined && { callId }),
    ...(typeof timeoutMs === "number" && { timeoutMs }),
    ...(wait === true && { waits: true }),
    ...(dryRun === true && { dryRun }),
    ...(traceparent !== null && { traceparent }),
  };
}

/** What was granted to tools is an admin's to see. */
export function shownTo(caller: HttpCaller, result: ToolResult): ToolResult {
  return isGoodFor(caller, "admin") ? result : resultWithoutGrants(result);
}

/** RFC 7240 §4.1. */
export function isAsync({ fields }: Pick<ApiRequest, "fields">): boolean {
  return /(?:^|,)\s*respond-async\s*(?:$|[,;])/i.test(fields.get("prefer") ?? "");
}

export function runningState({ callId, sessionId, turnId, tool, startedAt }: HttpCall): object {
  return { callId, sessionId, turnId, tool, status: "running", startedAt };
}

function answered(result: ToolResult, { platform }: CallApi): Response {
  return result.status === "pending_approval"
    ? jsonOfResults(result, platform.slices, 202, { location: `/v1/calls/${encodeURIComponent(result.callId)}` })
    : jsonOfResults(result, platform.slices);
}

function started(call: HttpCall): Response {
  return json(runningState(call), 202, {
    location: `/v1/calls/${encodeURIComponent(call.callId)}`,
    "preference-applied": "respond-async",
  });
}

/** Progress that a slow client does not take is left out; the result always comes. */
async function streamed(
  session: HttpSession,
  wish: CallWish,
  { caller, signal }: ApiRequest,
  { calls, platform }: CallApi,
): Promise<Response> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const stream = createSseStream({ clock: platform.clock, onEnd: stop });
  const callId = wish.callId ?? platform.random.uuidv7();
  const onProgress: CallWish["onProgress"] = (data, json) => void stream.send({ event: "progress", data, json });
  const started = calls.start(session, { ...wish, callId, signal: gone.signal, onProgress });
  // What is refused has no stream, and nothing of it goes on.
  started.catch(() => stream.close());
  const call = await started;
  stream.send({ event: "started", data: { callId } });
  void call.ended.then((result) => {
    signal.removeEventListener("abort", stop);
    stream.sendLast({ event: "result", data: shownTo(caller, result) }, platform.slices);
  });
  return stream.response;
}
