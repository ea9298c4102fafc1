/** Runs the tests of one file in order and reports each when it ends (SPEC PB3, I7). Imported by the entry that `bascule test` writes. */

import { tellProgress } from "../call/context.ts";
import { forgetLeaks, leaksSince, type LeakMark, markLeaks } from "./test-leaks.ts";
import { beginCollecting, type HookName, hooks, type TestCase, tests } from "./test-register.ts";
import { attempt, closeSteps, createContext, heard, type Report, type Scope, scopeResult, setOrigin } from "./test-step.ts";
import { arrayIncludes, bareList, PrimordialRegExp, reflectApply, stringIncludes, stringSlice } from "../language/primordials.ts";
import { performanceNow } from "../call/call-time.ts";

/** Options from the host (`host/cli/test-plugin.ts`). */
export interface TestRunOptions {
  /** Path relative to the plugin's folder. */
  readonly file: string;
  /** Part of a name, or a regular expression between slashes. */
  readonly filter?: string;
  readonly sanitizeOps?: boolean;
  readonly sanitizeResources?: boolean;
  /** Tests that ran already, in a call that ended too early. */
  readonly done?: readonly number[];
}

/** Imports the file and runs the tests that it registered. */
export async function runTests(options: TestRunOptions, load: (file: string) => Promise<unknown>): Promise<null> {
  const report: Report = tellProgress;
  setOrigin(options.file);
  beginCollecting({ ops: options.sanitizeOps === true, resources: options.sanitizeResources === true });
  await load(`./${options.file}`);
  const chosen = choose(options);
  report({ type: "plan", tests: describePlan(chosen), filtered: tests.length - chosen.length, usedOnly: usesOnly() });
  const done = options.done ?? [];
  const mine = filterList(chosen, (index) => !arrayIncludes(done, index));
  const isNeeded = filterList(mine, (index) => tests[index]?.ignore === false).length > 0;
  if (isNeeded) await runHooks("beforeAll");
  for (let index = 0; index < mine.length; index++) {
    const at = mine[index] ?? 0;
    const test = tests[at];
    if (test !== undefined) await runTest(test, at, report);
    await heard();
  }
  if (isNeeded) await runHooks("afterAll");
  return null;
}

function choose({ filter }: TestRunOptions): number[] {
  const isWanted = toMatcher(filter);
  const onlyThose = usesOnly();
  const chosen = bareList<number>();
  for (let index = 0; index < tests.length; index++) {
    const test = tests[index];
    if (test !== undefined && (!onlyThose || test.only) && isWanted(test.name)) chosen[chosen.length] = index;
  }
  return chosen;
}

function usesOnly(): boolean {
  for (let index = 0; index < tests.length; index++) if (tests[index]?.only === true) return true;
  return false;
}

function toMatcher(filter: string | undefined): (name: string) => boolean {
  if (filter === undefined) return () => true;
  const last = filter.length - 1;
  if (last < 1 || filter[0] !== "/" || filter[last] !== "/") return (name) => stringIncludes(name, filter);
  const expression = new PrimordialRegExp(stringSlice(filter, 1, last));
  return (name) => reflectApply(regExpTest, expression, [name]) === true;
}

const regExpTest = PrimordialRegExp.prototype.test;

function hasOwnPermissions(index: number): boolean {
  const wanted = tests[index]?.permissions;
  return wanted !== undefined && wanted !== null && wanted !== "inherit";
}

function describePlan(chosen: readonly number[]): object[] {
  const plan = bareList<object>();
  for (let place = 0; place < chosen.length; place++) {
    const index = chosen[place] ?? 0;
    const test = tests[index];
    if (test === undefined) continue;
    const { name, ignore, stack, permissions } = test;
    plan[plan.length] = { index, name, ignore, stack, ...(hasOwnPermissions(index) && { permissions }) };
  }
  return plan;
}

function filterList(list: readonly number[], keep: (item: number) => boolean): number[] {
  const kept = bareList<number>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? 0;
    if (keep(item)) kept[kept.length] = item;
  }
  return kept;
}

/** Runs "before" hooks in order of registration and "after" hooks in reverse order. */
async function runHooks(name: HookName): Promise<void> {
  const list = hooks[name];
  const isAfter = name === "afterEach" || name === "afterAll";
  for (let turn = 0; turn < list.length; turn++) await list[isAfter ? list.length - 1 - turn : turn]?.();
}

async function runTest(test: TestCase, index: number, report: Report): Promise<void> {
  if (test.ignore) return report({ type: "result", index, status: "ignored", ms: 0 });
  report({ type: "wait", index });
  const began = performanceNow();
  const mark = test.sanitizeOps ? markLeaks() : undefined;
  const scope: Scope = {
    index,
    id: 0,
    level: 0,
    name: test.name,
    names: test.name,
    parent: undefined,
    steps: bareList(),
    sanitized: test,
    done: false,
    failed: false,
  };
  const thrown = await attempt(async () => {
    await runHooks("beforeEach");
    await test.fn(createContext(scope, report));
  });
  // The hooks always run; the first error counts.
  const failure = thrown ?? (await attempt(() => runHooks("afterEach")));
  if (thrown !== undefined) await attempt(() => runHooks("afterEach"));
  const error = failure ?? (mark === undefined ? undefined : await leakError(mark));
  const result = error === undefined ? scopeResult(scope) : { error };
  closeSteps(scope, report);
  report({ type: "result", index, status: result === undefined ? "ok" : "failed", ms: performanceNow() - began, ...result });
}

async function leakError(mark: LeakMark): Promise<object | undefined> {
  const leaks = await leaksSince(mark);
  if (leaks === undefined) return undefined;
  forgetLeaks(mark);
  return { name: "", message: leaks, stack: "" };
}
