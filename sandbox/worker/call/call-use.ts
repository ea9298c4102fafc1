/** Peak usage of each limit by one call, for its result (SPEC B3). */

import type { CallClock } from "./call-clock.ts";
import type { CallLog } from "./call-log.ts";
import type { InvocationUsed } from "../../wire/invocation.ts";
import type { UseState } from "../../wire/resting-call.ts";
import { nesting } from "../../wire/marshal.ts";
import { utf8Length } from "../../../manifests/mod.ts";
import type { Lease } from "../lease.ts";

export class CallUse {
  #operationBytes: number;
  #pendingOperations: number;
  #timers: number;
  #jsonDepth: number;

  constructor(from: UseState = NOTHING_USED) {
    this.#operationBytes = from.operationBytes;
    this.#pendingOperations = from.pendingOperations;
    this.#timers = from.timers;
    this.#jsonDepth = from.jsonDepth;
  }

  /** Records a payload sent in either direction. */
  carried(text: string, bytes: Uint8Array | undefined): void {
    this.#operationBytes = Math.max(this.#operationBytes, text.length, bytes?.length ?? 0);
  }

  /** Returns the nesting depth of the text, without the outer `around` levels. Stops counting above `allowed`. */
  nests(text: string, allowed: number, around: number = 0): number {
    const depth = nesting(text, allowed + around) - around;
    this.#jsonDepth = Math.max(this.#jsonDepth, depth);
    return depth;
  }

  pending(count: number): void {
    this.#pendingOperations = Math.max(this.#pendingOperations, count);
  }

  timers(count: number): void {
    this.#timers = Math.max(this.#timers, count);
  }

  get most(): UseState {
    return {
      operationBytes: this.#operationBytes,
      pendingOperations: this.#pendingOperations,
      timers: this.#timers,
      jsonDepth: this.#jsonDepth,
    };
  }
}

const NOTHING_USED: UseState = { operationBytes: 0, pendingOperations: 0, timers: 0, jsonDepth: 0 };

/** The parts of a call that record its usage. */
interface UsingCall {
  readonly clock: CallClock;
  readonly log: CallLog;
  readonly lease: Lease;
  readonly use: CallUse;
}

interface Counts {
  /** JSON text of the arguments. */
  readonly args: string;
  readonly operations: number;
  readonly outputBytes: number;
}

/** Returns everything the call has used so far. */
export function usedBy({ clock, log, lease, use }: UsingCall, { args, operations, outputBytes }: Counts): InvocationUsed {
  const { usedBytes, usedStackBytes: stackBytes, fuelSpent } = lease;
  return {
    wallMs: clock.wallMs,
    cpuMs: clock.cpuMs,
    memoryBytes: usedBytes,
    outputBytes,
    logBytes: log.bytes,
    operations,
    argumentBytes: utf8Length(args, args.length * 3 - 1),
    ...use.most,
    ...(stackBytes !== undefined && { stackBytes }),
    fuel: fuelSpent,
  };
}
