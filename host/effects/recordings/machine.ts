/** Returns the facts of this machine and this version of bascule that a recorded call may depend on. */

import type { Platform } from "../../platform/platform.ts";
import { VERSION } from "../../primitives/version.ts";
import type { RecordedMachine } from "../../call/recording.ts";

export function machineOf({ workers }: Pick<Platform, "workers">): RecordedMachine {
  return { bascule: VERSION, runtime: workers.runtime, timeZone: workers.timeZone(), language: workers.language };
}

/** Describes each fact that differs. Empty if all are equal. */
export function machineDifferences(then: RecordedMachine, now: RecordedMachine): readonly string[] {
  const names = ["bascule", "runtime", "timeZone", "language"] as const;
  return names.filter((name) => then[name] !== now[name]).map((name) => `${WORDS[name]} was ${then[name]} and is ${now[name]}`);
}

const WORDS: Readonly<Record<keyof RecordedMachine, string>> = {
  bascule: "bascule",
  runtime: "the runtime",
  timeZone: "the time zone",
  language: "the language",
};
