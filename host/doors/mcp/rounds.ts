/**
 * Calls that wait for their client between two requests (the `input_required` round trip).
 *
 * The state that the client is handed is a random word: nothing can be read from it, and only this table knows what it
 * stands for. It works once, for the client that it was given to, with the request it was given for (SPEC E3).
 */

import type { Clock, Random } from "../../platform/platform.ts";
import type { McpClient } from "./client.ts";
import type { OpenCall, Question } from "./open-call.ts";

/** A call and the question that its client was sent. */
export interface Round {
  readonly call: OpenCall;
  readonly question: Question;
  readonly client: McpClient;
  /** Hash of the tool's name and the arguments. */
  readonly about: string;
}

/** The rounds of one door. */
export interface Rounds {
  /** @returns the word that takes it up again. */
  suspend(round: Round): string;
  /** Whether there is such a round; it stays. */
  has(state: string): boolean;
  /** Takes it out, so that no second request gets it. Undefined also if it is another client's. */
  take(state: string, client: McpClient): Round | undefined;
  /** Cancels what waits for a client that is gone. */
  end(client: McpClient): void;
}

/** Of all clients together; a host holds no more questions than this either. */
const MAX_ROUNDS = 256;
/** Of one client: whoever asks for more loses its own, and nobody else's. */
const MAX_OF_CLIENT = 64;
const KEPT_MS = 60 * 60 * 1_000;
const WORD_BYTES = 32;

export function createRounds({ clock, random }: { readonly clock: Pick<Clock, "after">; readonly random: Pick<Random, "bytes"> }): Rounds {
  const rounds = new Map<string, { readonly round: Round; readonly stopTimer: () => void }>();

  function drop(state: string): Round | undefined {
    const found = rounds.get(state);
    rounds.delete(state);
    found?.stopTimer();
    return found?.round;
  }

  /** The oldest first. */
  function statesOf(client: McpClient): readonly string[] {
    return Array.from(rounds).flatMap(([state, { round }]) => (round.client === client ? [state] : []));
  }

  function dropOldest(client: McpClient | undefined): void {
    const [oldest] = client === undefined ? [] : statesOf(client);
    if (oldest !== undefined) drop(oldest)?.call.cancel();
  }

  /** Who has the most. */
  function greediest(): McpClient | undefined {
    const counts = new Map<McpClient, number>();
    for (const { round } of rounds.values()) counts.set(round.client, (counts.get(round.client) ?? 0) + 1);
    return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
  }

  return {
    suspend(round) {
      const state = Array.from(random.bytes(WORD_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
      const stopTimer = clock.after(KEPT_MS, () => drop(state)?.call.cancel());
      rounds.set(state, { round, stopTimer });
      if (statesOf(round.client).length > MAX_OF_CLIENT) dropOldest(round.client);
      if (rounds.size > MAX_ROUNDS) dropOldest(greediest());
      return state;
    },
    has: (state) => rounds.has(state),
    // Another's word is left alone: who guesses at words must not be able to end other people's calls.
    take: (state, client) => (rounds.get(state)?.round.client === client ? drop(state) : undefined),
    end(client) {
      for (const [state, { round }] of rounds) if (round.client === client) drop(state)?.call.cancel();
    },
  };
}
