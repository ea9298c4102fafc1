/** Turns: several calls that belong together (SPEC D4, T3). */

import type { ToolResult } from "../../call.ts";
import type { Random } from "../../platform/platform.ts";
import type { CallWish, HttpCall, HttpCalls } from "./calls.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSession } from "./sessions.ts";

/** A turn that was taken here. */
export interface HttpTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** In the order of the calls. */
  readonly callIds: readonly string[];
  /** Resolves when all have ended. */
  readonly ended: Promise<void>;
}

/** The turns of one server. */
export interface HttpTurns {
  /** @throws {RequestProblem} if an id of a call is another's. */
  take(
    session: HttpSession,
    wishes: readonly CallWish[],
    options: { readonly sequential: boolean; readonly signal?: AbortSignal },
  ): Promise<HttpTurn>;
  /** @throws {RequestProblem} if the session has no such turn. */
  get(sessionId: string, turnId: string): HttpTurn;
  /** Undefined while one of them runs. A call that waits for a person is among them as such, and later as what came of it. */
  results(turn: HttpTurn): readonly ToolResult[] | undefined;
  /** @returns how many calls there were to cancel. */
  cancel(turn: HttpTurn): number;
}

interface Kept {
  readonly turn: HttpTurn;
  readonly stop: AbortController;
  /** As they ended. */
  results?: readonly ToolResult[];
}

const REMEMBERED = 256;

export function createHttpTurns(calls: HttpCalls, random: Pick<Random, "uuidv7">): HttpTurns {
  const turns = new Map<string, Kept>();

  async function runAll(
    session: HttpSession,
    wishes: readonly CallWish[],
    { sequential, stop }: { readonly sequential: boolean; readonly stop: AbortSignal },
  ): Promise<readonly ToolResult[]> {
    const started: HttpCall[] = [];
    for (const wish of wishes) {
      // One that was cancelled before it began ends as such: every call has a result.
      const call = await calls.start(session, { ...wish, signal: stop });
      started.push(call);
      if (sequential) await call.ended;
    }
    return await Promise.all(started.map(({ ended }) => ended));
  }

  return {
    async take(session, wishes, { sequential, signal }) {
      const turnId = random.uuidv7();
      const named = wishes.map((wish) => ({ ...wish, turnId, callId: wish.callId ?? random.uuidv7() }));
      const callIds = named.map(({ callId }) => callId);
      if (new Set(callIds).size < callIds.length) throw new RequestProblem("invalid_request", "Two calls of the turn have one callId");
      const stop = new AbortController();
      const cancel = (): void => stop.abort();
      signal?.addEventListener("abort", cancel, { once: true });
      const running = runAll(session, named, { sequential, stop: stop.signal });
      const ended = running.then(
        (results) => {
          kept.results = results;
          signal?.removeEventListener("abort", cancel);
        },
        (error: unknown) => {
          stop.abort();
          turns.delete(turnId);
          throw error;
        },
      );
      // Of a turn that nobody waits for: a refused call has been told already.
      ended.catch(() => undefined);
      const kept: Kept = { turn: { turnId, sessionId: session.id, callIds, ended }, stop };
      turns.set(turnId, kept);
      for (const [old, { results }] of turns) if (turns.size > REMEMBERED && results !== undefined) turns.delete(old);
      return kept.turn;
    },
    get(sessionId, turnId) {
      const kept = turns.get(turnId);
      if (kept !== undefined && kept.turn.sessionId === sessionId) return kept.turn;
      throw new RequestProblem("not_found", "The session has no such turn (the last 256 are remembered)");
    },
    results(turn) {
      const results = turns.get(turn.turnId)?.results;
      return results?.map((result) => calls.result(result.callId) ?? result);
    },
    cancel(turn) {
      turns.get(turn.turnId)?.stop.abort();
      return calls.cancelAll(turn);
    },
  };
}
