/** Turns: several calls that belong together (SPEC D4, K6, T3). */

import type { ToolResult } from "../../call/call.ts";
import { chainsOf, type ToolChain } from "../../dispatch/chains/turn.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Random } from "../../platform/platform.ts";
import { MAX_RESULT_BYTES, sizeOf } from "../../dispatch/recent-results.ts";
import { sizeIn } from "../../primitives/json/heap-size.ts";
import { createRemembered } from "../../dispatch/remembered.ts";
import { type CallWish, type HttpCall, type HttpCalls, toOptions } from "./calls.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSession } from "./sessions.ts";

/** How a turn is to be taken. */
export interface TurnWish {
  readonly sequential: boolean;
  /** The calls are steps of one chain; `parallelMutations`: also those that change something run beside others. */
  readonly mode: "direct" | "chain";
  readonly parallelMutations: boolean;
  readonly signal?: AbortSignal;
}

/** A turn that was taken here. */
export interface HttpTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** In the order of the calls. */
  readonly callIds: readonly string[];
  /** Resolves when all have ended. */
  readonly ended: Promise<void>;
}

/** What came of a turn. */
export interface TurnOutcome {
  /** In the order of the calls. One that waits for a person is among them as such, and later as what came of it. */
  readonly results: readonly ToolResult[];
  /** The turn itself, if it was sent as a chain, and one for each of its calls that called others (SPEC AU6). */
  readonly toolChains: readonly ToolChain[];
}

/** The turns of one server. */
export interface HttpTurns {
  /** @throws {RequestProblem} if an id of a call is another's. */
  take(session: HttpSession, wishes: readonly CallWish[], wish: TurnWish): Promise<HttpTurn>;
  /** @throws {RequestProblem} if the session has no such turn. */
  get(sessionId: string, turnId: string): HttpTurn;
  /** Undefined while one of them runs. */
  outcome(turn: HttpTurn): TurnOutcome | undefined;
  /** Begins none of its calls any more, and tells those that run to end. @returns how many there were, when they have ended. */
  cancel(session: HttpSession, turn: HttpTurn): Promise<number>;
}

interface Kept {
  readonly turn: HttpTurn;
  readonly stop: AbortController;
  outcome?: TurnOutcome;
}

type Named = CallWish & { readonly callId: string };

/** Fewer where what came of them is large. */
const REMEMBERED = 256;

export function createHttpTurns(host: Pick<Host, "turn" | "cancelTurn">, calls: HttpCalls, random: Pick<Random, "uuidv7">): HttpTurns {
  const turns = createRemembered<Kept>(REMEMBERED, MAX_RESULT_BYTES);

  /** Each by itself, so that a repeat of one is that one. */
  async function direct(session: HttpSession, wishes: readonly Named[], sequential: boolean): Promise<TurnOutcome> {
    const started: HttpCall[] = [];
    for (const wish of wishes) {
      // One that was cancelled before it began ends as such: every call has a result.
      const call = await calls.start(session, wish);
      started.push(call);
      if (sequential) await call.ended;
    }
    const results = await Promise.all(started.map(({ ended }) => ended));
    return { results, toolChains: chainsOf(results) };
  }

  function chain(
    session: HttpSession,
    wishes: readonly Named[],
    wish: TurnWish & { readonly turnId: string; readonly signal: AbortSignal },
  ): Promise<TurnOutcome> {
    for (const { callId } of wishes) calls.checkNew(callId);
    const { sequential, parallelMutations, turnId, signal } = wish;
    // What their request said of all of them.
    const { waits, traceparent } = wishes[0] ?? {};
    const shared = toOptions(session, { turnId, signal, ...(waits && { waits }), ...(traceparent !== undefined && { traceparent }) });
    const turn = host.turn(wishes, { ...shared, mode: "chain", sequential, parallelMutations });
    for (const [index, one] of wishes.entries())
      calls.note(
        session,
        one,
        turn.then(({ results }) => resultAt(results, index)),
      );
    return turn;
  }

  return {
    async take(session, wishes, wish) {
      const turnId = random.uuidv7();
      const stop = new AbortController();
      const named = wishes.map((one) => ({ ...one, turnId, callId: one.callId ?? random.uuidv7(), signal: stop.signal }));
      const callIds = named.map(({ callId }) => callId);
      if (new Set(callIds).size < callIds.length) throw new RequestProblem("invalid_request", "Two calls of the turn have one callId");
      const { signal } = wish;
      const cancel = (): void => stop.abort();
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted === true) cancel();
      const running =
        wish.mode === "chain" ? chain(session, named, { ...wish, turnId, signal: stop.signal }) : direct(session, named, wish.sequential);
      const ended = running.then(
        (outcome) => {
          kept.outcome = outcome;
          turns.ended(turnId, kept, sizeIn(outcome.toolChains) + outcome.results.reduce((bytes, result) => bytes + sizeOf(result), 0));
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
      turns.set(turnId, kept, session.callerId);
      return kept.turn;
    },
    get(sessionId, turnId) {
      const kept = turns.get(turnId);
      if (kept !== undefined && kept.turn.sessionId === sessionId) return kept.turn;
      throw new RequestProblem("not_found", "The session has no such turn (the last 256 are remembered, fewer if they are large)");
    },
    outcome(turn) {
      const outcome = turns.get(turn.turnId)?.outcome;
      return outcome && { ...outcome, results: outcome.results.map((result) => calls.result(result.callId) ?? result) };
    },
    async cancel({ session }, turn) {
      turns.get(turn.turnId)?.stop.abort();
      return (await host.cancelTurn(session, turn.turnId)).length;
    },
  };
}

function resultAt(results: readonly ToolResult[], index: number): ToolResult {
  const result = results[index];
  // One for each request, in their order.
  if (result === undefined) throw new Error(`The turn has no result ${index}`);
  return result;
}
