/** The time limits of a load. Top-level code has the limit as CPU time, and a slow machine does not count against it. */

import type { Fault, LoadFault } from "./fault.ts";

/** Factor of the wall limit, whatever CPU time was used: 2 minutes for a limit of 5 s. */
const WALL_FACTOR = 24;

export function loadWallMs(loadMs: number): number {
  return loadMs * WALL_FACTOR;
}

/**
 * Returns the load fault for a timeout, used by the worker, and by the host if it has to end the worker. @param fault undefined if the
 * time is not over
 */
export function lateFault(fault: Fault | undefined): LoadFault | undefined {
  if (fault?.kind !== "timeout") return undefined;
  const { limit, limitMs } = fault;
  const message =
    limit === "cpu"
      ? `Loading takes more than ${limitMs} ms of CPU time; move work from the top level into the tool function`
      : `Loading did not end within ${limitMs} ms; load it again when the machine is less busy, or move work from the top level into the tool function`;
  return { kind: "limit", message };
}
