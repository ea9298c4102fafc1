/** Cryptography for the calls of one worker: a key table for each call that uses any, and one operation at a time. */

import { CallKeys } from "./call-keys.ts";
import { type LocalAnswer, NO_BYTES } from "./local-answer.ts";
import type { Subtle } from "./subtle.ts";
import { runSubtle } from "./subtle-operations.ts";
import { RoundRobin } from "./round-robin.ts";

/** What it needs of the worker. */
export interface SubtleCallsEnvironment {
  readonly subtle: Subtle;
  /** Milliseconds. */
  now(): number;
  /** Keeps the thread's event loop turning until the work is done. */
  background(work: Promise<void>): void;
}

/** One call's share. Made when the call first asks for cryptography. */
export interface SubtleCall {
  /**
   * Begins an operation when it is this call's turn; `settle` is not called after `close`.
   *
   * @returns false if too much waits already.
   */
  begin(request: SubtleCallRequest, settle: SettleSubtle): boolean;
  /** Forgets keys and what waits; what runs goes on, and nobody learns what came of it. */
  close(): void;
}

export interface SubtleCallRequest {
  readonly method: string;
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

/** `elapsedMs` is what the operation took, not what it waited. */
export type SettleSubtle = (answer: LocalAnswer, elapsedMs: number) => void;

/** Input of one call's operations that waits: each operation's own size is bounded elsewhere. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** They take turns, so that more at once only wait; programs sign a list of things with `Promise.all`. */
const MAX_PENDING = 1_024;

/** @returns what opens a call's share; `call` is a number that no other call of the sandbox has. */
export function createSubtleCalls(env: SubtleCallsEnvironment): (call: number) => SubtleCall {
  const turns = new RoundRobin(env.background);
  return (call) => openCall(call, env, turns);
}

function openCall(call: number, env: SubtleCallsEnvironment, turns: RoundRobin): SubtleCall {
  const keys = new CallKeys(call);
  const owner = {};
  let waitingBytes = 0;
  let pending = 0;
  let closed = false;

  async function run({ method, text, bytes = NO_BYTES }: SubtleCallRequest, settle: SettleSubtle): Promise<void> {
    waitingBytes -= bytes.length;
    const begun = env.now();
    const answer = await runSubtle({ method, text, bytes }, env.subtle, keys);
    pending--;
    if (closed) return keys.clear();
    settle(answer, env.now() - begun);
  }

  return {
    begin(request, settle) {
      const length = request.bytes?.length ?? 0;
      if (pending >= MAX_PENDING || waitingBytes + length > MAX_WAITING_BYTES) return false;
      pending++;
      waitingBytes += length;
      turns.take(owner, () => run(request, settle));
      return true;
    },
    close() {
      closed = true;
      turns.leave(owner);
      keys.clear();
    },
  };
}
