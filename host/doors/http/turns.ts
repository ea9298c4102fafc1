/** Turns: groups of calls of one request (SPEC D4, K6, T3). */

import type { ToolResult } from "../../call/call.ts";
import { chainsOf, type ToolChain } from "../../dispatch/chains/turn.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Random } from "../../platform/platform.ts";
import { MAX_RESULT_BYTES, sizeOf } from "../../dispatch/recent-results.ts";
import { sizeIn } from "../../primitives/json/heap-size.ts";
import { createRemembered } from "../../dispatch/remembered.ts";
import { type HttpCallRequest, type HttpCall, type HttpCalls, toOptions } from "./calls.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSession } from "./sessions.ts";

/** Options of a turn. */
interface TurnOptions {
  readonly sequential: boolean;
  /** `chain`: the calls are steps of one chain. With `parallelMutations`, steps with side effects run in parallel too. */
  readonly mode: "direct" | "chain";
  readonly parallelMutations: boolean;
  readonly signal?: AbortSignal;
}

/** A turn that this server started. */
export interface HttpTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** Ids in the order of the calls. */
  readonly callIds: readonly string[];
  /** Resolves when all calls have ended. */
  readonly ended: Promise<void>;
}

/** Outcome of a turn. */
interface TurnOutcome {
  /** Results in the order of the calls. A call that waits for confirmation is `pending_approval` first and has its own result later. */
  readonly results: readonly ToolResult[];
  /** The turn, if sent as a chain, and one chain for each call that made nested calls (SPEC AU6). */
  readonly toolChains: readonly ToolChain[];
}

/** Turns of one server. */
export interface HttpTurns {
  /** Starts the calls. @throws {RequestProblem} if another call has one of the ids. */
  take(session: HttpSession, requests: readonly HttpCallRequest[], wanted: TurnOptions): Promise<HttpTurn>;
  /** Returns a turn. @throws {RequestProblem} if the session has no such turn. */
  get(sessionId: string, turnId: string): HttpTurn;
  /** Returns the outcome; undefined while a call is running. */
  outcome(turn: HttpTurn): TurnOutcome | undefined;
  /** Starts no more calls and cancels the running ones. @returns how many were cancelled, after they have ended. */
  cancel(session: HttpSession, turn: HttpTurn): Promise<number>;
}

interface Kept {
  readonly turn: HttpTurn;
  readonly stop: AbortController;
  outcome?: TurnOutcome;
}

type Named = HttpCallRequest & { readonly callId: string };

/** Maximum turns remembered; fewer if their results are large. */
const REMEMBERED = 256;

export function createHttpTurns(host: Pick<Host, "turn" | "cancelTurn">, calls: HttpCalls, random: Pick<Random, "uuidv7">): HttpTurns {
  const turns = createRemembered<Kept>(REMEMBERED, MAX_RESULT_BYTES);

  /** Runs each call on its own, so that a repeat finds it by its id. */
  async function direct(session: HttpSession, requests: readonly Named[], sequential: boolean): Promise<TurnOutcome> {
    const started: HttpCall[] = [];
    for (const wanted of requests) {
      // A call that was cancelled before it began still gets a result.
      const call = await calls.start(session, wanted);
      started.push(call);
      if (sequential) await call.ended;
    }
    const results = await Promise.all(started.map(({ ended }) => ended));
    return { results, toolChains: chainsOf(results) };
  }

  function chain(
    session: HttpSession,
    requests: readonly Named[],
    wanted: TurnOptions & { readonly turnId: string; readonly signal: AbortSignal },
  ): Promise<TurnOutcome> {
    for (const { callId } of requests) calls.checkNew(callId);
    const { sequential, parallelMutations, turnId, signal } = wanted;
    // The request sets these options for all calls alike.
    const { waits, traceparent } = requests[0] ?? {};
    const shared = toOptions(session, { turnId, signal, ...(waits && { waits }), ...(traceparent !== undefined && { traceparent }) });
    const turn = host.turn(requests, { ...shared, mode: "chain", sequential, parallelMutations });
    for (const [index, one] of requests.entries())
      calls.note(
        session,
        one,
        turn.then(({ results }) => resultAt(results, index)),
      );
    return turn;
  }

  return {
    async take(session, requests, wanted) {
      const turnId = random.uuidv7();
      const stop = new AbortController();
      const named = requests.map((one) => ({ ...one, turnId, callId: one.callId ?? random.uuidv7(), signal: stop.signal }));
      const callIds = named.map(({ callId }) => callId);
      if (new Set(callIds).size < callIds.length) throw new RequestProblem("invalid_request", "Two calls of the turn have the same callId");
      const { signal } = wanted;
      const cancel = (): void => stop.abort();
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted === true) cancel();
      const running =
        wanted.mode === "chain"
          ? chain(session, named, { ...wanted, turnId, signal: stop.signal })
          : direct(session, named, wanted.sequential);
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
      // Prevents an unhandled rejection if the turn runs asynchronously.
      ended.catch(() => undefined);
      const kept: Kept = { turn: { turnId, sessionId: session.id, callIds, ended }, stop };
      turns.set(turnId, kept, session.callerId);
      return kept.turn;
    },
    get(sessionId, turnId) {
      const kept = turns.get(turnId);
      if (kept !== undefined && kept.turn.sessionId === sessionId) return kept.turn;
      throw new RequestProblem("not_found", "Turn not found in this session (the last 256 are remembered, fewer if they are large)");
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
  // `host.turn` returns one result per call, in order.
  if (result === undefined) throw new Error(`The turn has no result ${index}`);
  return result;
}
