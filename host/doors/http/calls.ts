/** Calls of the server's clients: their owners, results and cancellation (SPEC T3, E6). */

import type { ConfirmPrompt, ToolResult } from "../../call/call.ts";
import type { CallOptions } from "../../dispatch/call-options.ts";
import { defined } from "../../primitives/defined.ts";
import { type HashPlatform, hashOf } from "../../primitives/json/json-hash.ts";
import type { Host } from "../../host/host-interface.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import { MAX_RESULT_BYTES, sizeOf } from "../../dispatch/recent-results.ts";
import { createRemembered } from "../../dispatch/remembered.ts";
import { aborted } from "../../primitives/until-aborted.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSession } from "./sessions.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** A client's request for a call. */
export interface HttpCallRequest {
  readonly tool: string;
  readonly args: JsonValue;
  readonly callId?: string;
  readonly timeoutMs?: number;
  readonly turnId?: string;
  readonly dryRun?: boolean;
  readonly traceparent?: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** `json`: the value as one line of JSON in UTF-8, if it is larger than 64 KB. */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  readonly onYield?: (value: JsonValue, json?: Uint8Array) => void | Promise<void>;
  /** True if the caller waits for the confirmation. Otherwise it gets `pending_approval` and the call continues when confirmed. */
  readonly waits?: boolean;
}

/** A call that this server started. */
export interface HttpCall {
  readonly callId: string;
  readonly callerId: string;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly tool: string;
  readonly startedAt: number;
  /** Resolves with the result; never rejects. */
  readonly ended: Promise<ToolResult>;
}

/** Calls of one server. */
export interface HttpCalls {
  /**
   * Starts a call. A repeat with the same `callId`, tool and arguments returns the existing call with its current result.
   *
   * @throws {RequestProblem} if another call has this id, or if `result` throws
   */
  start(session: HttpSession, wanted: HttpCallRequest): Promise<HttpCall>;
  /** @throws {RequestProblem} if any door has a call with this id, so that no client gets another client's result. */
  checkNew(callId: string): void;
  /** Registers a call that runs elsewhere, under a new id. */
  note(session: HttpSession, wanted: HttpCallRequest & { readonly callId: string }, ended: Promise<ToolResult>): void;
  /** Returns a call of the caller; an admin gets any call. @throws {RequestProblem} if the caller has no such call. */
  get(caller: HttpCaller, callId: string): HttpCall;
  /** Returns the id of a call's turn; undefined for a call of another door or a call that is no longer remembered. */
  turnOf(callId: string): string | undefined;
  /**
   * Returns the call's result; undefined while it runs.
   *
   * @throws {RequestProblem} if the call waited for a confirmation and its result is no longer kept
   */
  result(callId: string): ToolResult | undefined;
}

interface HttpCallsOptions {
  readonly host: Pick<Host, "call" | "isReturning" | "result">;
  readonly platform: { readonly random: Pick<Random, "uuidv7">; readonly clock: Pick<Clock, "now"> } & HashPlatform;
}

interface Kept {
  readonly call: HttpCall;
  /** Hash of tool, arguments and dry run; absent for a step of a chain, which cannot be repeated alone. */
  readonly key?: string;
  /** Result that the caller was sent. */
  outcome?: ToolResult;
}

/** Maximum calls remembered, as many as the host keeps results of; fewer if they are large. */
const REMEMBERED = 1_000;

export function createHttpCalls({ host, platform }: HttpCallsOptions): HttpCalls {
  const calls = createRemembered<Kept>(REMEMBERED, MAX_RESULT_BYTES);

  function checkNew(callId: string): void {
    if (calls.has(callId) || host.result(callId) !== undefined)
      throw new RequestProblem("conflict", "Another call has this callId: use a new one");
  }

  function toCall(
    session: HttpSession,
    { tool, turnId, callId }: HttpCallRequest & { readonly callId: string },
    ended: Promise<ToolResult>,
  ): HttpCall {
    return {
      ...{ callId, callerId: session.callerId, sessionId: session.id, tool, startedAt: platform.clock.now(), ended },
      ...(turnId !== undefined && { turnId }),
    };
  }

  function keep(
    session: HttpSession,
    wanted: HttpCallRequest & { readonly callId: string },
    ended: Promise<ToolResult>,
    key?: string,
  ): HttpCall {
    const { callId } = wanted;
    const call = toCall(session, wanted, ended);
    const kept: Kept = { call, ...(key !== undefined && { key }) };
    calls.set(callId, kept, session.callerId);
    void ended.then((result) => {
      kept.outcome = result;
      calls.ended(callId, kept, sizeOf(result));
    });
    return call;
  }

  function result(callId: string): ToolResult | undefined {
    const kept = calls.get(callId);
    if (kept?.outcome?.status !== "pending_approval") return kept?.outcome;
    // The caller was sent `pending_approval`. Once confirmed, the call runs and gets another result.
    const now = host.result(callId);
    if (now === undefined)
      throw new RequestProblem("gone", `The result of call "${callId}" is no longer kept: the journal has what it did`);
    if (now.status !== "pending_approval") {
      kept.outcome = now;
      calls.ended(callId, kept, sizeOf(now));
    }
    return now;
  }

  return {
    async start(session, wanted) {
      const key = await keyOf(wanted, platform);
      const { callId = platform.random.uuidv7() } = wanted;
      const isReturning = wanted.callId !== undefined && (await host.isReturning(callId, session.callerId));
      const known = calls.get(callId);
      if (known !== undefined && known.call.callerId === session.callerId && known.key === key) {
        const now = result(callId);
        return now === undefined ? known.call : { ...known.call, ended: Promise.resolve(now) };
      }
      const run = (): Promise<ToolResult> => host.call(wanted.tool, wanted.args, { ...toOptions(session, wanted), callId });
      // The host knows the call of an earlier host, and compares it with this one.
      if (isReturning && known === undefined) return toCall(session, { ...wanted, callId }, run());
      checkNew(callId);
      return keep(session, { ...wanted, callId }, run(), key);
    },
    checkNew,
    note: (session, wanted, ended) => void keep(session, wanted, ended),
    get(caller, callId) {
      const kept = calls.get(callId);
      if (kept !== undefined && (kept.call.callerId === caller.id || isGoodFor(caller, "admin"))) return kept.call;
      throw new RequestProblem("not_found", "Call not found for this token (the last 1,000 are remembered, fewer if they are large)");
    },
    turnOf: (callId) => calls.get(callId)?.call.turnId,
    result,
  };
}

async function keyOf({ tool, args, dryRun = false }: HttpCallRequest, platform: HashPlatform): Promise<string> {
  return await hashOf([tool, args, dryRun], platform);
}

/** Converts a request to the host's call options, without the call's id. */
export function toOptions(
  { session }: Pick<HttpSession, "session">,
  wanted: Omit<HttpCallRequest, "tool" | "args">,
): Omit<CallOptions, "callId"> {
  const { timeoutMs, turnId, dryRun, traceparent, signal, onProgress, onYield, waits = false } = wanted;
  return {
    session,
    ...defined({ timeoutMs, turn: turnId }),
    ...(dryRun === true && { dryRun }),
    ...(traceparent !== undefined && { traceparent }),
    ...(signal && { signal }),
    ...defined({ onProgress, onYield }),
    ...(waits && { confirm: answeredElsewhere }),
  };
}

/** Confirmation prompt of a client that only waits: the answer comes through another request or another door. */
export const answeredElsewhere: ConfirmPrompt = (_request, signal) => aborted(signal);
