/** Garbage collection on request, where a runtime does not collect in time by itself. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * On Deno: V8 does not count a WebAssembly memory that is not reachable any more, and keeps a dozen of 64 MiB in every thread. Node's
 * keeps two. Undefined where it is not needed.
 */
export const collectGarbage: (() => void) | undefined = "Deno" in globalThis ? () => (collect ??= findCollector())() : undefined;

let collect: (() => void) | undefined;

/** V8 gives it to contexts that are made while the flag is set: to one of ours, and to no other of the process. */
function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    // What V8 calls so.
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
