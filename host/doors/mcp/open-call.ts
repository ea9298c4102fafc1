/** A call that may take its client several requests: each brings it to its end, or to its next question. */

import type { InputRequests } from "@modelcontextprotocol/server";
import type { ToolCall, ToolResult } from "../../call/call.ts";

/** What a call needs to know of its client before it goes on. */
export interface Question {
  readonly inputs: InputRequests;
  /** Takes what the client says, by the names of `inputs`; false if an answer is missing, and the question still stands. */
  answer(responses: Readonly<Record<string, unknown>>): boolean;
  /** Nobody will answer it here. */
  giveUp(): void;
  /** Fires when the question does not stand any more: answered here or elsewhere, or its time is over. */
  readonly settled: AbortSignal;
}

/** What a request that follows a call hears of it. */
export interface Follower {
  readonly onProgress: NonNullable<ToolCall["onProgress"]>;
  readonly onLog: NonNullable<ToolCall["onLog"]>;
}

/** How far a call is. */
export type Step = { readonly kind: "ended"; readonly result: ToolResult } | { readonly kind: "question"; readonly question: Question };

/** A call while it lasts. */
export interface OpenCall {
  /** The end, or a question that stands. */
  next(): Promise<Step>;
  /** From now on this one hears of the call; undefined: nobody does. */
  follow(follower: Follower | undefined): void;
  cancel(): void;
}

/** What the call itself is given. */
export interface CallSide extends Follower {
  readonly signal: AbortSignal;
  ask(question: Question): void;
}

/** Starts it. `start` must not reject. */
export function openCall(start: (side: CallSide) => Promise<ToolResult>): OpenCall {
  const stop = new AbortController();
  const questions = new Set<Question>();
  let follower: Follower | undefined;
  let wake: (() => void) | undefined;
  let result: ToolResult | undefined;

  const changed = (): void => wake?.();
  void start({
    signal: stop.signal,
    onProgress: (value, json) => follower?.onProgress(value, json),
    onLog: (level, text) => follower?.onLog(level, text),
    ask(question) {
      questions.add(question);
      question.settled.addEventListener("abort", () => questions.delete(question), { once: true });
      changed();
    },
  }).then((ended) => {
    result = ended;
    changed();
  });

  return {
    async next() {
      for (;;) {
        if (result !== undefined) return { kind: "ended", result };
        const [question] = questions;
        if (question !== undefined) return { kind: "question", question };
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    follow: (next) => void (follower = next),
    cancel: () => stop.abort(),
  };
}
