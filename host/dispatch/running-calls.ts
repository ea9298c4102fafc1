/** The running calls of a host: their owners, and their cancellation (SPEC T3, T5). */

import type { ToolCall, ToolResult } from "../call/call.ts";
import { InFlight, nextNumber } from "../../sandbox/mod.ts";
import type { Session } from "../call/session.ts";

/** Selects calls: all fields that are given must match. */
export interface CallSelection {
  readonly callId?: string;
  readonly turnId?: string;
  /** Includes the sessions that it delegated to. */
  readonly sessionId?: string;
}

interface RunningCall {
  readonly request: ToolCall;
  readonly ended: Promise<ToolResult>;
  readonly stop: AbortController;
}

export class RunningCalls {
  readonly #calls: InFlight<RunningCall> = new InFlight();
  #lastNumber = 0;

  /** @returns the number that `remove` takes */
  add(request: ToolCall, ended: Promise<ToolResult>, stop: AbortController): number {
    this.#lastNumber = nextNumber(this.#lastNumber);
    this.#calls.set(this.#lastNumber, { request, ended, stop });
    return this.#lastNumber;
  }

  remove(number: number): void {
    this.#calls.delete(number);
  }

  /** Returns true if the id belongs to a call of another session: results are read by id, so sharing it would expose the other's result. */
  isOfAnother({ callId, session }: Pick<ToolCall, "callId" | "session">): boolean {
    return this.#calls.values().some(({ request }) => request.callId === callId && request.session.id !== session.id);
  }

  isAny(which: CallSelection): boolean {
    return this.#calls.values().some(({ request }) => isChosen(request, which));
  }

  /** Aborts the selected calls; resolves with their results when they have ended. @param but those that stay, by their id */
  async cancel(which: CallSelection, but: (callId: string) => boolean = () => false): Promise<readonly ToolResult[]> {
    const chosen = this.#calls.values().filter(({ request }) => isChosen(request, which) && !but(request.callId));
    for (const { stop } of chosen) stop.abort();
    return await Promise.all(chosen.map(({ ended }) => ended));
  }

  /** Resolves when the calls that run now have ended; undefined if there are none. @param but those that do not count */
  ended(but: (callId: string) => boolean): Promise<unknown> | undefined {
    const running = this.#calls.values().filter(({ request }) => !but(request.callId));
    return running.length === 0 ? undefined : Promise.all(running.map(({ ended }) => ended));
  }
}

/** Turns in progress: a cancelled turn starts no more calls. */
export class OpenTurns {
  readonly #turns: Set<{ readonly turnId: string | undefined; readonly session: Session; readonly stop: AbortController }> = new Set();

  /** Runs the calls with a signal that also fires with the caller's signal. */
  async run<T>(
    { turn: turnId, session, signal }: { readonly turn?: string; readonly session?: Session; readonly signal?: AbortSignal },
    defaultSession: Session,
    calls: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    const unfollow = signal && follow(signal, stop);
    const open = { turnId, session: session ?? defaultSession, stop };
    this.#turns.add(open);
    try {
      return await calls(stop.signal);
    } finally {
      this.#turns.delete(open);
      unfollow?.();
    }
  }

  cancel({ callId, turnId, sessionId }: CallSelection): void {
    if (callId !== undefined) return;
    for (const open of this.#turns) {
      const isMeant = (turnId ?? open.turnId) === open.turnId && (sessionId === undefined || isOf(sessionId, open.session));
      if (isMeant) open.stop.abort();
    }
  }
}

/**
 * Aborts `stop` when the caller's signal aborts; returns a function that unsubscribes. `AbortSignal.any` would do the same at thirty times
 * the cost, more than all of dispatch.
 */
export function follow(signal: AbortSignal, stop: AbortController): () => void {
  const abort = (): void => stop.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}

function isChosen({ callId, turnId, session }: ToolCall, which: CallSelection): boolean {
  if (which.callId !== undefined && which.callId !== callId) return false;
  if (which.turnId !== undefined && which.turnId !== turnId) return false;
  return which.sessionId === undefined || isOf(which.sessionId, session);
}

function isOf(sessionId: string, session: Session): boolean {
  return session.id === sessionId || (session.parent !== undefined && isOf(sessionId, session.parent));
}
