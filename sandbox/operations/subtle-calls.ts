/** Cryptography for the calls of one worker: a key table for each call that uses any; short operations one at a time, long ones when the host has a lane. */

import { CallKeys } from "./call-keys.ts";
import { type LocalAnswer, NO_BYTES } from "./local-answer.ts";
import { LARGE_BYTES } from "../marshal.ts";
import type { Subtle } from "./subtle.ts";
import { runSubtle } from "./subtle-operations.ts";
import { RoundRobin } from "./round-robin.ts";

/** What it needs of the worker. */
export interface SubtleCallsEnvironment {
  readonly subtle: Subtle;
  /** Milliseconds. */
  now(): number;
  /** Waits until a call's operation that holds one of the runtime's threads for long may begin; what it gives is called when that is done. */
  lane(call: number): Promise<() => void>;
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

/** Signatures and the like take some milliseconds at most. */
const LONG_METHODS: ReadonlySet<string> = new Set(["deriveBits", "deriveKey", "generateKey"]);

function isLong(method: string, length: number): boolean {
  return length > LARGE_BYTES || LONG_METHODS.has(method);
}

function openCall(call: number, env: SubtleCallsEnvironment, turns: RoundRobin): SubtleCall {
  const keys = new CallKeys(call);
  const owner = {};
  let longTurns: RoundRobin | undefined;
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

  /** Beside the short ones, which do not wait for it. */
  async function runLong(request: SubtleCallRequest, settle: SettleSubtle): Promise<void> {
    const done = await env.lane(call);
    try {
      if (!closed) await run(request, settle);
    } finally {
      done();
    }
  }

  return {
    begin(request, settle) {
      const length = request.bytes?.length ?? 0;
      if (pending >= MAX_PENDING || waitingBytes + length > MAX_WAITING_BYTES) return false;
      pending++;
      waitingBytes += length;
      if (isLong(request.method, length)) (longTurns ??= new RoundRobin(env.background)).take(owner, () => runLong(request, settle));
      else turns.take(owner, () => run(request, settle));
      return true;
    },
    close() {
      closed = true;
      turns.leave(owner);
      longTurns?.leave(owner);
      keys.clear();
    },
  };
}
