/** A property that must hold for all random values, and a way to check it. */

import fc from "fast-check";

export interface Model {
  /** The claim, as in "permissions: …". */
  readonly says: string;
  /** Tries `runs` values. Returns a failure with the smallest failing value. */
  check(seed: number, runs: number): Promise<string | undefined>;
}

/** @param holds throws or returns false for a value that violates the property */
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

/** Time limit for shrinking a failing value. fast-check reports how far it got. */
const LONGEST_MS = 30_000;
