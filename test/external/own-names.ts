/** Makes test names unique: they are keys in the baseline, and a suite may use one twice. */

import type { TestResult } from "./suite.ts";

/** Adds " #2" to the second use of a name. */
export function withOwnNames(tests: readonly TestResult[]): TestResult[] {
  const seen = new Map<string, number>();
  return tests.map((test) => {
    const count = (seen.get(test.name) ?? 0) + 1;
    seen.set(test.name, count);
    return count === 1 ? test : { ...test, name: `${test.name} #${String(count)}` };
  });
}
