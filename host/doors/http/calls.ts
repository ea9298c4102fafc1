/** The calls of the server's clients: whose they are, what came of them, and how they are cancelled (SPEC T3, E6). */

import type { ConfirmPrompt, ToolResult } from "../../call/call.ts";
import type { CallOptions } from "../../dispatch/calls.ts";
import { type HashPlatform, hashOf } from "../../primitives/json/json-hash.ts";
import type { Host } from "../../host/host-interface.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import { MAX_RESULT_BYTES, sizeOf } from "../../dispatch/recent-results.ts";
import { createRemembered } from "../../dispatch/remembered.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSession } from "./sessions.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** One call as a client asks for it. */
export interface CallWish {
  readonly tool: string;
  readonly args: JsonValue;
  readonly callId?: string;
  readonly timeoutMs?: number;
  readonly turnId?: string;
  readonly dryRun?: boolean;
  readonly traceparent?: string;
  /** Cancels it. */
  readonly signal?: AbortSignal;
  /** `json`: of a value above 64 KB its JSON in UTF-8, in one line. */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /** The caller waits while a person is asked; otherwise it is told that one is, and the call goes on by itself. */
  readonly waits?: boolean;
}

/** A call that was started here. */
export interface HttpCall {
  readonly callId: string;
  readonly callerId: string;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly tool: string;
  readonly startedAt: number;
  /** Never rejects. */
  readonly ended: Promise<ToolResult>;
}

/** The calls of one server. */
export interface HttpCalls {
  /**
   * A repeat with the same `callId`, tool and arguments is the same call, with what came of it by now.
   *
   * @throws {RequestProblem} if the id is another call's, or as `result` does
   */
  start(session: HttpSession, wish: CallWish): Promise<HttpCall>;
  /** @throws {RequestProblem} if it is the id of a call, of whatever door: nobody gets another's result by it. */
  checkNew(callId: string): void;
  /** Takes note of a call that is made elsewhere, under an id that is new. */
  note(session: HttpSession, wish: CallWish & { readonly callId: string }, ended: Promise<ToolResult>): void;
  /** One of the caller's, or of anybody's for an admin. @throws {RequestProblem} if there is none for this caller. */
  get(caller: HttpCaller, callId: string): HttpCall;
  /** Undefined for a call of another door, and for one that was forgotten. */
  turnOf(callId: string): string | undefined;
  /** The call's result so far; undefined while it runs. @throws {RequestProblem} if it waited for a confirmation, and its result is kept no more. */
  result(callId: string): ToolResult | undefined;
}

export interface HttpCallsOptions {
  readonly host: Pick<Host, "call" | "result">;
  readonly platform: { readonly random: Pick<Random, "uuidv7">; readonly clock: Pick<Clock, "now"> } & HashPlatform;
}

interface Kept {
  readonly call: HttpCall;
  /** Absent for a call that is part of something, and is not repeated by itself. */
  readonly key?: string;
  /** As the caller was told. */
  outcome?: ToolResult;
}

/** As many as the host remembers results of; fewer where they are large. */
const REMEMBERED = 1_000;

export function createHttpCalls({ host, platform }: HttpCallsOptions): HttpCalls {
  const calls = createRemembered<Kept>(REMEMBERED, MAX_RESULT_BYTES);

  function checkNew(callId: string): void {
    if (calls.has(callId) || host.result(callId) !== undefined)
      throw new RequestProblem("conflict", "The callId is that of another call: use a new one");
  }

  function keep(session: HttpSession, wish: CallWish & { readonly callId: string }, ended: Promise<ToolResult>, key?: string): HttpCall {
    const { tool, turnId, callId } = wish;
    const call: HttpCall = {
      ...{ callId, callerId: session.callerId, sessionId: session.id, tool, startedAt: platform.clock.now(), ended },
      ...(turnId !== undefined && { turnId }),
    };
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
    // Its caller was told that a person is asked. Once approved it runs, and gets another result.
    const now = host.result(callId);
    if (now === undefined) throw new RequestProblem("gone", `The result of call "${callId}" is kept no more: the journal has what it did`);
    if (now.status !== "pending_approval") {
      kept.outcome = now;
      calls.ended(callId, kept, sizeOf(now));
    }
    return now;
  }

  return {
    async start(session, wish) {
      const key = await keyOf(wish, platform);
      const { callId = platform.random.uuidv7() } = wish;
      const known = calls.get(callId);
      if (known !== undefined && known.call.callerId === session.callerId && known.key === key) {
        const now = result(callId);
        return now === undefined ? known.call : { ...known.call, ended: Promise.resolve(now) };
      }
      checkNew(callId);
      const ended = host.call(wish.tool, wish.args, { ...toOptions(session, wish), callId });
      return keep(session, { ...wish, callId }, ended, key);
    },
    checkNew,
    note: (session, wish, ended) => void keep(session, wish, ended),
    get(caller, callId) {
      const kept = calls.get(callId);
      if (kept !== undefined && (kept.call.callerId === caller.id || isGoodFor(caller, "admin"))) return kept.call;
      throw new RequestProblem("not_found", "There is no such call of this token (the last 1,000 are remembered, fewer if they are large)");
    },
    turnOf: (callId) => calls.get(callId)?.call.turnId,
    result,
  };
}

async function keyOf({ tool, args, dryRun = false }: CallWish, platform: HashPlatform): Promise<string> {
  return await hashOf([tool, args, dryRun], platform);
}

/** What the host is told of a call, beside its tool, its arguments and its id. */
export function toOptions({ session }: Pick<HttpSession, "session">, wish: Omit<CallWish, "tool" | "args">): Omit<CallOptions, "callId"> {
  const { timeoutMs, turnId, dryRun, traceparent, signal, onProgress, waits = false } = wish;
  return {
    session,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(turnId !== undefined && { turn: turnId }),
    ...(dryRun === true && { dryRun }),
    ...(traceparent !== undefined && { traceparent }),
    ...(signal && { signal }),
    ...(onProgress !== undefined && { onProgress }),
    ...(waits && { confirm: answeredElsewhere }),
  };
}

/** The question is answered by somebody else, through another request or another door; this client only waits. */
export const answeredElsewhere: ConfirmPrompt = (_request, signal) =>
  new Promise((resolve) => {
    const end = (): void => resolve(undefined);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
