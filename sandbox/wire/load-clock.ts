/** The time limits of a load. Top-level code has the limit as CPU time, and a slow machine does not count against it. */

import { LIMIT_CEILINGS } from "../../manifests/mod.ts";
import type { Fault, LoadFault } from "./fault.ts";

/** Factor of the wall limit, whatever CPU time was used: 2 minutes for a limit of 5 s, 12 for the highest of 30 s. */
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
      ? `Loading takes more than ${limitMs} ms of CPU time; move work from the top level into the tool function${more(limitMs)}`
      : `Loading did not end within ${limitMs} ms; load it again when the machine is less busy, or move work from the top level into the tool function`;
  return { kind: "limit", message };
}

function more(limitMs: number): string {
  const highest = LIMIT_CEILINGS.loadMs;
  return limitMs >= highest ? "" : `, or write "limits": { "loadMs": ${highest} } into the manifest, for the user or the policy to allow`;
}
