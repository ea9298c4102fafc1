/** A call that may span several requests of its client: each request runs it to its end or to its next question. */

import type { InputRequests } from "@modelcontextprotocol/server";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { ToolCall, ToolResult } from "../../call/call.ts";

/** Input that a call needs from its client to continue. */
export interface Question {
  readonly inputs: InputRequests;
  /** Takes the client's answers, by the names of `inputs`. Returns false if one is missing; the question then stays open. */
  answer(responses: Readonly<Record<string, unknown>>): boolean;
  /** Ends the question without an answer from this client. */
  giveUp(): void;
  /** Aborted when the question was answered, here or elsewhere, or has timed out. */
  readonly settled: AbortSignal;
}

/** Callbacks of the request that follows a call. */
export interface Follower {
  readonly onProgress: NonNullable<ToolCall["onProgress"]>;
  readonly onYield: (value: JsonValue, json?: Uint8Array) => void;
  readonly onLog: NonNullable<ToolCall["onLog"]>;
}

/** Progress of a call: its end, or an open question. */
type Step = { readonly kind: "ended"; readonly result: ToolResult } | { readonly kind: "question"; readonly question: Question };

/** A running call. */
export interface OpenCall {
  /** Waits until the call has ended or has an open question. */
  next(): Promise<Step>;
  /** Sets who receives progress and log lines; undefined drops them. */
  follow(follower: Follower | undefined): void;
  cancel(): void;
}

/** Callbacks for the call itself. */
export interface CallSide extends Follower {
  readonly signal: AbortSignal;
  ask(question: Question): void;
}

/** Starts a call. `start` must not reject. */
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
    onYield: (value, json) => follower?.onYield(value, json),
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
