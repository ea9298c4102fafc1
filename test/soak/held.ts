/** Counts resources of a process that must be released. */

import { readdirSync, readlinkSync } from "node:fs";

/** Counts by name: open files, timers and sockets, listeners of the process. */
export type Held = ReadonlyMap<string, number>;

export function whatIsHeld(): Held {
  const held = new Map<string, number>();
  const add = (name: string): void => void held.set(name, (held.get(name) ?? 0) + 1);
  for (const fd of openFiles()) add(fd);
  for (const resource of process.getActiveResourcesInfo()) add(`resource ${resource}`);
  for (const event of process.eventNames()) {
    for (let left = process.listenerCount(event); left > 0; left--) add(`listener ${String(event)}`);
  }
  return held;
}

/** Returns the resources that have increased since `before`. */
export function heldSince(before: Held): readonly string[] {
  const found: string[] = [];
  for (const [name, count] of whatIsHeld()) {
    const more = count - (before.get(name) ?? 0);
    if (more > 0) found.push(`${more} × ${name}`);
  }
  return found;
}

/** Returns the open files by kind. Empty on systems other than Linux. */
function openFiles(): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [`file ${readlinkSync(`/proc/self/fd/${fd}`).replace(/\d+/g, "N")}`];
    } catch {
      // The descriptor that was open for the listing itself.
      return [];
    }
  });
}
