/**
 * Cryptography for the calls of one worker: a key table for each call that uses it. Short operations run one at a time, long ones when
 * the host grants a lane.
 */

import { CallKeys } from "./call-keys.ts";
import { type LocalAnswer, NO_BYTES } from "./local-answer.ts";
import { LARGE_BYTES } from "../../wire/marshal.ts";
import type { Subtle } from "./subtle.ts";
import { runSubtle } from "./subtle-operations.ts";
import { RoundRobin } from "./round-robin.ts";

/** The parts of the worker that it needs. */
interface SubtleCallsEnvironment {
  readonly subtle: Subtle;
  /** Milliseconds. */
  now(): number;
  /**
   * Waits until a call may start a long operation on one of the runtime's threads. Returns a function to call when the operation is done.
   */
  lane(call: number): Promise<() => void>;
  /** Keeps the thread's event loop running until the work is done. */
  background(work: Promise<void>): void;
}

/** Cryptography of one call. Created on first use. */
export interface SubtleCall {
  /**
   * Queues an operation. `settle` is not called after `close`.
   *
   * @returns false if too much is waiting already
   */
  begin(request: SubtleCallRequest, settle: SettleSubtle): boolean;
  /** Drops keys and queued operations. A running operation finishes, and its result is ignored. */
  close(): void;
}

export interface SubtleCallRequest {
  readonly method: string;
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

/** Takes an answer. `elapsedMs` is the duration of the operation, without its waiting time. */
type SettleSubtle = (answer: LocalAnswer, elapsedMs: number) => void;

/** Maximum waiting input of one call. The size of each operation is bounded elsewhere. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Maximum pending operations. Large, because they take turns anyway, and programs sign lists with `Promise.all`. */
const MAX_PENDING = 1_024;

/** @returns a function that opens a call's session; `call` is a number that is unique in the sandbox */
export function createSubtleCalls(env: SubtleCallsEnvironment): (call: number) => SubtleCall {
  const turns = new RoundRobin(env.background);
  return (call) => openCall(call, env, turns);
}

/** Methods that may take long. Signatures and similar operations take some milliseconds at most. */
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

  /** Runs beside the short operations, which do not wait for it. */
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
