/** The calls of the server's clients: which run, whose they are, and how they are cancelled (SPEC T3, E6). */

import type { ConfirmPrompt, ToolResult } from "../../call.ts";
import { hashOf } from "../../confirmations/request.ts";
import type { Host } from "../../host-interface.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { Clock, Random } from "../../platform/platform.ts";
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
  readonly traceparent?: string;
  /** Cancels it. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: JsonValue) => void;
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
  /** A repeat with the same `callId`, tool and arguments is the same call. @throws {RequestProblem} if the id is another call's. */
  start(session: HttpSession, wish: CallWish): Promise<HttpCall>;
  /** One of the caller's, or of anybody's for an admin. @throws {RequestProblem} if there is none for this caller. */
  get(caller: HttpCaller, callId: string): HttpCall;
  /** Undefined for a call of another door, and for one that was forgotten. */
  turnOf(callId: string): string | undefined;
  /** What came of it so far; undefined while it runs. */
  result(callId: string): ToolResult | undefined;
  /** False if it has ended. */
  cancel(callId: string): boolean;
  /** Those of a session, or of one of its turns. @returns how many there were to cancel. */
  cancelAll(of: { readonly sessionId: string; readonly turnId?: string }): number;
}

export interface HttpCallsOptions {
  readonly host: Pick<Host, "call" | "result">;
  readonly platform: { readonly random: Pick<Random, "uuidv7">; readonly clock: Pick<Clock, "now"> };
}

interface Kept {
  readonly call: HttpCall;
  readonly key: string;
  readonly stop: AbortController;
  isOver: boolean;
}

/** As many as the host remembers results of. */
const REMEMBERED = 1_000;

export function createHttpCalls({ host, platform }: HttpCallsOptions): HttpCalls {
  const calls = new Map<string, Kept>();

  function forgetOldest(): void {
    for (const [callId, { isOver }] of calls) {
      if (calls.size <= REMEMBERED) return;
      if (isOver) calls.delete(callId);
    }
  }

  function run(callId: string, { session }: HttpSession, wish: CallWish, stop: AbortController): Promise<ToolResult> {
    const { tool, args, timeoutMs, turnId, traceparent, onProgress, waits = false } = wish;
    return host.call(tool, args, {
      session,
      callId,
      signal: stop.signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(turnId !== undefined && { turn: turnId }),
      ...(traceparent !== undefined && { traceparent }),
      ...(onProgress !== undefined && { onProgress }),
      ...(waits && { confirm: answeredElsewhere }),
    });
  }

  return {
    async start(session, wish) {
      const key = await hashOf([wish.tool, wish.args]);
      const callId = wish.callId ?? platform.random.uuidv7();
      const known = calls.get(callId);
      if (known !== undefined && known.call.callerId === session.callerId && known.key === key) return known.call;
      // Also of other doors: nobody gets another's result by its id.
      if (known !== undefined || host.result(callId) !== undefined)
        throw new RequestProblem("conflict", "The callId is that of another call: use a new one");
      const { tool, turnId, signal } = wish;
      const stop = new AbortController();
      const cancel = (): void => stop.abort();
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted === true) cancel();
      const ended = run(callId, session, wish, stop);
      const call: HttpCall = {
        callId,
        callerId: session.callerId,
        sessionId: session.id,
        tool,
        startedAt: platform.clock.now(),
        ended,
        ...(turnId !== undefined && { turnId }),
      };
      const kept: Kept = { call, key, stop, isOver: false };
      calls.set(callId, kept);
      forgetOldest();
      void ended.then(() => {
        kept.isOver = true;
        signal?.removeEventListener("abort", cancel);
      });
      return call;
    },
    get(caller, callId) {
      const kept = calls.get(callId);
      if (kept !== undefined && (kept.call.callerId === caller.id || isGoodFor(caller, "admin"))) return kept.call;
      throw new RequestProblem("not_found", "There is no such call of this token (the last 1,000 are remembered)");
    },
    turnOf: (callId) => calls.get(callId)?.call.turnId,
    // A call that waits for a person has ended for its caller, and gets another result later.
    result: (callId) => (calls.get(callId)?.isOver === true ? host.result(callId) : undefined),
    cancel(callId) {
      const kept = calls.get(callId);
      if (kept === undefined || kept.isOver) return false;
      kept.stop.abort();
      return true;
    },
    cancelAll({ sessionId, turnId }) {
      const open = [...calls.values()].filter(
        ({ call, isOver }) => !isOver && call.sessionId === sessionId && (turnId === undefined || call.turnId === turnId),
      );
      for (const { stop } of open) stop.abort();
      return open.length;
    },
  };
}

/** The question is answered by somebody else, through another request or another door; this client only waits. */
const answeredElsewhere: ConfirmPrompt = (_request, signal) =>
  new Promise((resolve) => {
    const end = (): void => resolve(undefined);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
