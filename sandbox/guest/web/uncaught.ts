/** Reports uncaught errors: `reportError`, and errors of timers, microtasks and listeners. */

import { finish } from "../call/outcome.ts";
import { describeThrown } from "../inspect/thrown.ts";

/** Fires an `error` event. @returns whether the program handled the error */
let tellProgram: (error: unknown) => boolean = () => false;
let telling = false;

/** Set once at boot by `report-error.ts`, which imports the events, which import this module. */
export function setErrorListener(tell: (error: unknown) => boolean): void {
  tellProgram = tell;
}

/** Ends the call as unhandled unless the program prevents it, as Deno ends the process. */
export function reportUncaught(error: unknown): void {
  // An error in an error listener is not reported to the listeners again.
  if (!telling) {
    telling = true;
    const handled = tellProgram(error);
    telling = false;
    if (handled) return;
  }
  finish(`r${describeThrown(error)}`);
}
