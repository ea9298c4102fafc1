/** The steps of `npm run ok -- --changed`: the gate's own, on less. */

import { existsSync } from "node:fs";
import { changedFiles, readTree, selectTests } from "../changed.ts";
import { REPOSITORY } from "../run-command.ts";
import { formatTotals, readSeconds, runTests } from "../vitest-run.ts";
import { checkFormat, checkGenerated, checkLint, checkTypes } from "./sources.ts";
import type { Step, StepOutcome } from "./step.ts";

/**
 * Steps for what differs from a commit; none if nothing does.
 *
 * @throws {Error} if git does not know the commit
 */
export async function changedSteps(base: string | undefined): Promise<readonly Step[]> {
  const changed = await changedFiles(base);
  if (changed.length === 0) return [];
  // Deleted files have importers to check, but no format.
  const files = changed.filter((path) => existsSync(REPOSITORY + path));
  const plugins = new Set(changed.filter((path) => /^plugins\/[^/]+\//.test(path)).map((path) => path.split("/")[1] ?? ""));
  return [
    ...(files.length === 0
      ? []
      : ([
          { name: "format", says: "changed files are formatted (npm run format)", run: () => checkFormat(files) },
          { name: "lint", says: "house style of changed files, with types", run: () => checkLint(files) },
        ] as const)),
    { name: "types", says: "tsc on the whole, and on changed plugins", run: () => checkTypes(plugins) },
    { name: "generated", says: "generated files are fresh (npm run generate)", run: checkGenerated },
    { name: "tests", says: "tests nearest to the change, and the architecture test", isWide: true, run: () => checkNearest(changed) },
  ];
}

async function checkNearest(changed: readonly string[]): Promise<StepOutcome> {
  const { tests, related } = selectTests(changed, { tree: readTree(), seconds: await readSeconds() });
  const run = await runTests("node", tests, false);
  const remarks = [`${tests.length} test files ran; ${related} reach the change by imports (npm test runs all)`, ...run.slowest];
  return { ok: run.ok, note: formatTotals(run), output: run.output, remarks };
}
