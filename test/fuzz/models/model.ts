/** A property of random values that holds for all of them, and how often it is tried in the gate. */

import fc from "fast-check";

export interface Model {
  /** As in "permissions: …". */
  readonly says: string;
  /** Tries `runs` values; a failure holds the smallest value that fails. */
  check(seed: number, runs: number): Promise<string | undefined>;
}

/** @param holds throws, or answers false, for a value that it does not hold for */
export function model<T>(says: string, values: fc.Arbitrary<T>, holds: (value: T) => Promise<boolean | void> | boolean | void): Model {
  const property = fc.asyncProperty(values, async (value) => await holds(value));
  return {
    says,
    async check(seed, numRuns) {
      const details = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit: LONGEST_MS });
      if (!details.failed || details.counterexample === null) return undefined;
      const why = details.errorInstance instanceof Error ? details.errorInstance.message : "it does not hold";
      return `${why}\n${fc.stringify(details.counterexample[0])}\nseed ${details.seed}, after ${details.numRuns} values`;
    },
  };
}

/** Making a failing value small ends by then; fast-check says how far it came. */
const LONGEST_MS = 30_000;
