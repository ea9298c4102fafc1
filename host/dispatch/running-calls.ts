/** The calls of a host that are under way: whose they are, and how they are told to end (SPEC T3, T5). */

import type { ToolCall, ToolResult } from "../call/call.ts";
import { InFlight, nextNumber } from "../../sandbox/mod.ts";
import type { Session } from "../call/session.ts";

/** Calls by whose they are: all fields that are given must match. */
export interface CallSelection {
  readonly callId?: string;
  readonly turnId?: string;
  /** With the sessions that it delegated to. */
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

  get size(): number {
    return this.#calls.size;
  }

  /** @returns what `remove` takes */
  add(request: ToolCall, ended: Promise<ToolResult>, stop: AbortController): number {
    this.#lastNumber = nextNumber(this.#lastNumber);
    this.#calls.set(this.#lastNumber, { request, ended, stop });
    return this.#lastNumber;
  }

  remove(number: number): void {
    this.#calls.delete(number);
  }

  /** True if the id is that of a call of another session: who may read the one's result by its id would read the other's. */
  isOfAnother({ callId, session }: Pick<ToolCall, "callId" | "session">): boolean {
    return this.#calls.values().some(({ request }) => request.callId === callId && request.session.id !== session.id);
  }

  isAny(which: CallSelection): boolean {
    return this.#calls.values().some(({ request }) => isChosen(request, which));
  }

  /** Tells them to end; resolves with their results when they have. */
  async cancel(which: CallSelection): Promise<readonly ToolResult[]> {
    const chosen = this.#calls.values().filter(({ request }) => isChosen(request, which));
    for (const { stop } of chosen) stop.abort();
    return await Promise.all(chosen.map(({ ended }) => ended));
  }

  /** Resolves when those that are under way now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#calls.values().map(({ ended }) => ended));
  }
}

/** Turns that are under way: a turn that is told to end begins no more calls. */
export class OpenTurns {
  readonly #turns: Set<{ readonly turnId: string | undefined; readonly session: Session; readonly stop: AbortController }> = new Set();

  /** Runs its calls with a signal that fires with the wish's own, too. */
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
 * Aborts `stop` when the caller's signal does; returns how to end that. `AbortSignal.any` would do the same at thirty
 * times the price, more than all of dispatch.
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
