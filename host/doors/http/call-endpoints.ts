/** Endpoints of tools and calls (SPEC I4, T3, T4, E6, E8, X6). A call that fails is a result with an error, and status 200. */

import type { TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { ToolResult } from "../../call/call.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Clock, Random, Slices } from "../../platform/platform.ts";
import { toToolView } from "../host-operations.ts";
import { resultWithoutGrants } from "../without-grants.ts";
import type { CommitCaller, Committed } from "../../effects/overlay/dry-runs.ts";
import { answeredElsewhere, type HttpCallRequest, type HttpCall, type HttpCalls } from "./calls.ts";
import { type AnswerSpec, type ApiRequest, type Endpoint, json, jsonOfList, jsonOfResults, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { CALL, COMMIT, COMMITTED, RANGE_QUERY, RESULT, RESULT_PART, RUNNING } from "./call-schemas.ts";
import { closed, ID, listed, some } from "./schema-parts.ts";
import { TOOL } from "./schemas.ts";
import type { HttpSession, HttpSessions } from "./sessions.ts";
import { createSseStream } from "./sse.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** Dependencies of these endpoints. */
export interface CallApi {
  readonly host: Pick<Host, "definitionsEach" | "cancelCall" | "commit" | "isReturning" | "readResult" | "result">;
  readonly sessions: HttpSessions;
  readonly calls: HttpCalls;
  readonly platform: { readonly clock: Pick<Clock, "after">; readonly random: Pick<Random, "uuidv7">; readonly slices: Slices };
}

const PENDING: AnswerSpec = {
  about: "The call waits for a confirmation, or runs asynchronously: `location` is the URL of its result",
  schema: Type.Union([RESULT, RUNNING]),
};
/** Answer for a call, or a turn with a call, whose result is no longer kept. */
export const GONE: AnswerSpec = { about: "The call was confirmed and has ended, and its result is no longer kept" };
export const CANCELLED: TSchema = some({
  cancelled: Type.Boolean({ description: "False if the call had already ended" }),
  result: Type.Optional(RESULT),
});

export const CALL_ENDPOINTS: readonly Endpoint<CallApi>[] = [
  {
    method: "get",
    path: "/v1/tools",
    id: "listTools",
    summary: "List the tools that a session may see and call",
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
      "Answers with the result when the call has ended; a client that disconnects before cancels the call. With `Prefer: respond-async` the server answers at once and the call continues. With `Accept: text/event-stream` the answer is a stream: events `progress`, and `yield` for each value of a tool that yields, then `result`.",
    scope: "call",
    body: CALL,
    answers: { 200: { about: "The result, also if the call failed", schema: RESULT }, 202: PENDING, 410: GONE },
    async run(request, api) {
      const { caller, body } = request;
      const sessionId = textIn(body, "sessionId");
      const session = sessionId === undefined ? api.sessions.ownOf(caller) : api.sessions.get(caller, sessionId);
      const wanted = toWish(body, request);
      if (isAsync(request)) {
        const call = await api.calls.start(session, wanted);
        const result = api.calls.result(call.callId);
        return result === undefined ? started(call) : answered(shownTo(caller, result), api);
      }
      if (/\btext\/event-stream\b/.test(request.fields.get("accept") ?? "")) return await streamed(session, wanted, request, api);
      const call = await api.calls.start(session, { ...wanted, signal: request.signal });
      return answered(shownTo(caller, await call.ended), api);
    },
  },
  {
    method: "get",
    path: "/v1/calls/{callId}",
    id: "getCall",
    summary: "Get a call's result",
    scope: "call",
    about:
      "An admin can read the results of every call of the host, of any door, while the host keeps them. A call of an earlier host that waits for a time is listed at /v1/waiting.",
    answers: { 200: { about: "The result, or the state of a running call", schema: Type.Union([RESULT, RUNNING]) }, 410: GONE },
    async run({ caller, params }, { calls, host, platform }) {
      const callId = params["callId"] ?? "";
      const ended = isGoodFor(caller, "admin") || (await host.isReturning(callId, caller.id)) ? host.result(callId) : undefined;
      if (ended !== undefined) return jsonOfResults(shownTo(caller, ended), platform.slices);
      const call = calls.get(caller, callId);
      const result = calls.result(call.callId);
      return jsonOfResults(result === undefined ? runningState(call) : shownTo(caller, result), platform.slices);
    },
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/cancel",
    id: "cancelCall",
    summary: "Cancel a call with the guest's requests and file operations",
    scope: "call",
    about: "An admin can cancel every call of the host, of any door.",
    answers: { 200: { about: "Whether the call was running, and its final result", schema: CANCELLED } },
    async run({ caller, params }, { calls, host, platform }) {
      const callId = params["callId"] ?? "";
      const isEarlier = await host.isReturning(callId, caller.id);
      if (!isEarlier && !isGoodFor(caller, "admin")) calls.get(caller, callId);
      const result = await host.cancelCall(callId);
      // For a call of another door the server cannot tell an ended call from an unknown one.
      if (result === undefined && !isEarlier) calls.get(caller, callId);
      return jsonOfResults({ cancelled: result !== undefined, result: result && shownTo(caller, result) }, platform.slices);
    },
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/commit",
    id: "commitCall",
    summary: "Commit a dry run atomically; refused if a file it read or would write has changed",
    about:
      "A token commits the dry runs of its own calls. If the tool needs confirmation, or policy made the call a dry run, a user has to commit: on the console, with an admin token other than the caller's, or with `wait` by answering the confirmation.",
    scope: "call",
    body: COMMIT,
    answers: {
      200: { about: "Committed; with `ok: false` only the changes in `filesModified` were made", schema: COMMITTED },
      403: { about: "The user has to confirm, and did not" },
      404: { about: "Dry run not found, no longer kept, or its hash differs" },
      409: { about: "A file has changed since the dry run: nothing was committed" },
    },
    run: commit,
  },
  {
    method: "get",
    path: "/v1/results/{handle}",
    id: "readResult",
    summary: "Read a range of a part that was cut from a large result, by its handle",
    about: "A token reads the results of its own calls; an admin reads the results of all sessions of this server.",
    scope: "call",
    query: RANGE_QUERY,
    answers: { 200: { about: "The range", schema: RESULT_PART } },
    run({ caller, params, query: { offset, length } }, { host, sessions }) {
      const range = { ...(typeof offset === "number" && { offset }), ...(typeof length === "number" && { length }) };
      for (const { session } of sessions.list(caller)) {
        const part = host.readResult(params["handle"] ?? "", { ...range, session });
        if (part !== undefined) return json(part);
      }
      throw new RequestProblem("not_found", "Result handle not found: unknown to this token, or no longer kept");
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
  // A caller cannot confirm its own dry run, whatever its scopes. The console acts for a user.
  const own = caller.isPerson ? undefined : await host.commit(callId, { hash, caller: asCaller });
  if (own !== undefined && (own.ok || own.code !== "unknown" || !isGoodFor(caller, "admin"))) return committed(own);
  // A dry run of the caller that ended between the two commits needs a user, too.
  const isMeant: CommitCaller["owns"] = (call) => caller.isPerson || !asCaller.owns(call);
  return committed(await host.commit(callId, { hash, of: isMeant }));
}

function committed(outcome: Committed): Response {
  if (outcome.ok || outcome.code === "failed") return json(outcome);
  const code = { unknown: "not_found", changed: "conflict", refused: "forbidden" } as const;
  throw new RequestProblem(code[outcome.code], outcome.message);
}

/** Reads the options of a call from a body that matches `CALL` or an item of `TURN`. */
export function toWish(body: ApiRequest["body"], { fields }: Pick<ApiRequest, "fields">): HttpCallRequest {
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

/** Returns the result for this caller: only an admin sees grants. */
export function shownTo(caller: HttpCaller, result: ToolResult): ToolResult {
  return isGoodFor(caller, "admin") ? result : resultWithoutGrants(result);
}

/** Whether the client prefers an asynchronous answer (RFC 7240 §4.1). */
export function isAsync({ fields }: Pick<ApiRequest, "fields">): boolean {
  return /(?:^|,)\s*respond-async\s*(?:$|[,;])/i.test(fields.get("prefer") ?? "");
}

function runningState({ callId, sessionId, turnId, tool, startedAt }: HttpCall): object {
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

/** Streams a call. Progress is dropped if the client reads too slowly; a tool that yields waits for it; the result is always sent. */
async function streamed(
  session: HttpSession,
  wanted: HttpCallRequest,
  { caller, signal }: ApiRequest,
  { calls, platform }: CallApi,
): Promise<Response> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const stream = createSseStream({ clock: platform.clock, onEnd: stop });
  const callId = wanted.callId ?? platform.random.uuidv7();
  const onProgress: HttpCallRequest["onProgress"] = (data, json) => void stream.send({ event: "progress", data, json });
  const onYield: HttpCallRequest["onYield"] = async (data, json) => void (await stream.sendInTurn({ event: "yield", data, json }));
  const started = calls.start(session, { ...wanted, callId, signal: gone.signal, onProgress, onYield });
  // A refused call has no stream: close it, so that its timer stops.
  started.catch(() => stream.close());
  const call = await started;
  stream.send({ event: "started", data: { callId } });
  void call.ended.then((result) => {
    signal.removeEventListener("abort", stop);
    stream.sendLast({ event: "result", data: shownTo(caller, result) }, platform.slices);
  });
  return stream.response;
}
