/** A load's time: top-level code has the processor for its limit; a machine that gives it little is no fault of its own. */

import { CallClock, type ClockEnvironment } from "../call/call-clock.ts";
import type { Fault, LoadFault } from "../fault.ts";

/** A load that has not ended after so many times its limit fails, however little of that was its own: 2 minutes for 5 s. */
const WALL_FACTOR = 24;

export function loadWallMs(loadMs: number): number {
  return loadMs * WALL_FACTOR;
}

/** Begins a load's time. */
export function createLoadClock(number: number, loadMs: number, env: ClockEnvironment): CallClock {
  return new CallClock(number, { wallMs: loadWallMs(loadMs), cpuMs: loadMs }, env);
}

/** Said by the worker, and by the host when it has to end the worker that loads. @param fault undefined: the time is not over. */
export function lateFault(fault: Fault | undefined): LoadFault | undefined {
  if (fault?.kind !== "timeout") return undefined;
  const { limit, limitMs } = fault;
  const message =
    limit === "cpu"
      ? `Loading takes more than ${limitMs} ms of processor time; move work from the top level into the tool function`
      : `Loading did not end within ${limitMs} ms; load it again when the machine has less to do, or move work from the top level into the tool function`;
  return { kind: "limit", message };
}
