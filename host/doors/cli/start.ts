/** Start of the program, for `bin/bascule.mjs` and `bin/executable.cjs`. A bundle has it in a file of its own. */

import { exitWith } from "../../platform/processes/exit-with.ts";
import { compileCacheVariable, enableCompileCache } from "../../platform/threads/compile-cache.ts";

/**
 * Runs a command line, and ends the process with its exit code.
 *
 * @param self URL of this file. The rest of the program is beside it, in the sources and in a bundle
 * @param program the program as the user typed it, for advice
 */
export function start(self: string, argv: readonly string[], program: string): Promise<void> {
  // Before the rest is loaded.
  enableCompileCache(compileCacheVariable());
  return exitWith(async () => {
    // Not by its name: a bundle would contain it.
    const { runHere } = (await import(self.replace(/start(\.\w+)$/, "main$1"))) as typeof import("./main.ts");
    return await runHere(argv, program);
  });
}
