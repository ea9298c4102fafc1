/**
 * A reporter of vitest: which tests passed on their second try only, and of what they failed first.
 *
 * A test may be tried again, because one of thousands may starve on a crowded machine; one that needs it often is wrong. Without this
 * nobody would see which.
 */

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Names the file into which they are written, as a JSON array of lines. */
export const SECOND_TRIES_FILE = "BASCULE_SECOND_TRIES";

/** vitest makes one of its default export. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env[SECOND_TRIES_FILE];
    if (file !== undefined) writeFileSync(file, JSON.stringify(modules.flatMap(secondTriesOf)));
  }
}

function secondTriesOf(module: TestModule): readonly string[] {
  return [...module.children.allTests()]
    .filter((test) => test.diagnostic()?.flaky === true)
    .map((test) => {
      const [first = "it did not say why"] = (test.result().errors?.[0]?.message ?? "").split("\n").filter((line) => line !== "");
      return `${module.relativeModuleId} > ${test.fullName}: ${first}`;
    });
}
