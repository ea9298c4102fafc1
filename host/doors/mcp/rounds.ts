/**
 * Calls that wait for their client between two requests (the `input_required` round trip).
 *
 * The state that the client gets is random; only this table maps it to a call. It works once, for the client it was sent
 * to, with the request it was sent for (SPEC E3).
 */

import { toHex } from "../../platform/bytes.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import type { McpClient } from "./client.ts";
import type { OpenCall, Question } from "./open-call.ts";

/** A suspended call and the question that its client was sent. */
export interface Round {
  readonly call: OpenCall;
  readonly question: Question;
  readonly client: McpClient;
  /** Hash of the tool's name, the arguments and the options. */
  readonly about: string;
}

/** The suspended calls of one door. */
export interface Rounds {
  /** Suspends a call. @returns the state that resumes it. */
  suspend(round: Round): string;
  /** Whether a state is known; does not use it up. */
  has(state: string): boolean;
  /** Removes and returns a round, so that a state works once. Undefined if it is unknown or belongs to another client. */
  take(state: string, client: McpClient): Round | undefined;
  /** Cancels the suspended calls of a client that has disconnected. */
  end(client: McpClient): void;
}

/** Maximum rounds of all clients; also the host's maximum of pending confirmations. */
const MAX_ROUNDS = 256;
/** Maximum rounds per client. Beyond that, the client's own oldest round is dropped. */
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

  /** Returns the states of a client, oldest first. */
  function statesOf(client: McpClient): readonly string[] {
    return Array.from(rounds).flatMap(([state, { round }]) => (round.client === client ? [state] : []));
  }

  function dropOldest(client: McpClient | undefined): void {
    const [oldest] = client === undefined ? [] : statesOf(client);
    if (oldest !== undefined) drop(oldest)?.call.cancel();
  }

  /** Returns the client with the most rounds. */
  function greediest(): McpClient | undefined {
    const counts = new Map<McpClient, number>();
    for (const { round } of rounds.values()) counts.set(round.client, (counts.get(round.client) ?? 0) + 1);
    return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
  }

  return {
    suspend(round) {
      const state = toHex(random.bytes(WORD_BYTES));
      const stopTimer = clock.after(KEPT_MS, () => drop(state)?.call.cancel());
      rounds.set(state, { round, stopTimer });
      if (statesOf(round.client).length > MAX_OF_CLIENT) dropOldest(round.client);
      if (rounds.size > MAX_ROUNDS) dropOldest(greediest());
      return state;
    },
    has: (state) => rounds.has(state),
    // The state of another client stays: guessing states must not end other clients' calls.
    take: (state, client) => (rounds.get(state)?.round.client === client ? drop(state) : undefined),
    end(client) {
      for (const [state, { round }] of rounds) if (round.client === client) drop(state)?.call.cancel();
    },
  };
}
