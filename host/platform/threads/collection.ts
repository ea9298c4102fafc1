/** Garbage collection on request, for a runtime that does not collect in time by itself. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Needed on Deno only: V8 does not count an unreachable WebAssembly memory and keeps a dozen of 64 MiB in every thread. Node's V8 keeps
 * two. Undefined if not needed.
 */
export const collectGarbage: (() => void) | undefined = "Deno" in globalThis ? () => (collect ??= findCollector())() : undefined;

let collect: (() => void) | undefined;

/** Takes `gc` from a new context. V8 adds it to contexts made while the flag is set: to this one, and to no other of the process. */
function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    // V8 defines `gc` as a function.
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
