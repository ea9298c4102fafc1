/** Runs one file of a plugin's tests in the sandbox, through dispatch like any call (SPEC I7, PB3). */

import {
  coversPermissions,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parsePermissions,
  type Permissions,
} from "../../manifests/mod.ts";
import type { ToolResult } from "../call/call.ts";
import type { ToolErrorData } from "../call/errors.ts";
import type { Host } from "../host/host-interface.ts";
import { NEVER_SETTLES } from "../routes/fault-to-error.ts";
import type { Session } from "../call/session.ts";
import type { FileOutcome, TestError, TestEvent, TestOutcome, TestStatus } from "./outcome.ts";
import { TEST_TOOL } from "./test-copy.ts";

/** Options for one test file. */
export interface TestRun {
  readonly plugin: string;
  readonly file: string;
  readonly filter?: string;
  readonly sanitizeOps: boolean;
  readonly sanitizeResources: boolean;
  /** Permissions of the run. */
  readonly grants: Permissions;
  /** Serves the test copy of the plugin with these grants. */
  readonly host: Host;
  /** Narrows the permissions of later calls, until called again; undefined restores all of them. */
  readonly narrow: (permissions: Permissions | undefined) => void;
  /** Creates an empty workspace. */
  readonly newWorkspace: () => Promise<string>;
  /** Maps engine positions to the author's files. */
  readonly authorStack: (stack: string) => Promise<string>;
  readonly onEvent: (event: TestEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs all tests of the file. A test that ends its call (it never settles, or exceeds its time or memory) fails, and the other tests run in
 * another call.
 */
export async function runTestFile(run: TestRun): Promise<FileOutcome> {
  const record = createRecord(run);
  const session = run.host.session({ workspace: await run.newWorkspace() });
  for (;;) {
    const result = await callTests(run, session, record);
    run.narrow(undefined);
    if (result.ok) return await record.outcome(undefined);
    const error = await errorOfCall(result.error, run);
    if (!endsOneTest(result.error) || run.signal.aborted || !record.failRunning(error)) {
      record.cancelRest();
      return await record.outcome(error);
    }
  }
}

async function callTests(run: TestRun, session: Session, record: TestRecord): Promise<ToolResult> {
  const { host, file, filter, sanitizeOps, sanitizeResources } = run;
  return await host.call(
    `${run.plugin}.${TEST_TOOL}`,
    { file, sanitizeOps, sanitizeResources, done: record.done(), ...(filter !== undefined && { filter }) },
    { session, confirm: () => Promise.resolve(true), onProgress: record.take, signal: run.signal },
  );
}

/** An error outside of all tests ends the file, as in Deno. */
function endsOneTest({ code, message }: ToolErrorData): boolean {
  return code === "timeout" || code === "resource_exhausted" || message === NEVER_SETTLES;
}

async function errorOfCall({ code, message, details }: ToolErrorData, run: TestRun): Promise<TestError> {
  const stack = details?.["stack"];
  if (message === NEVER_SETTLES)
    return { message: "Promise resolution is still pending but nothing is left that could resolve it", stack: "" };
  return {
    message: code === "tool_failed" ? message : `${code}: ${message}`,
    stack: typeof stack === "string" ? await run.authorStack(stack) : "",
  };
}

/** Intersects a test's Deno `permissions` with those of the run; returns the problem if they exceed them. */
function narrowed(granted: Permissions, wanted: JsonValue): Permissions | string {
  if (wanted === "none") return {};
  if (!isJsonObject(wanted)) return `Expected "inherit", "none" or an object as the test's permissions`;
  const made = new Map<string, JsonValue>();
  for (const [kind, value] of Object.entries(wanted)) {
    // The run's permissions are JSON, as written.
    const own = (granted as Readonly<Record<string, JsonValue>>)[kind];
    if (value !== "inherit") made.set(kind, value);
    else if (own !== undefined) made.set(kind, own);
  }
  const parsed = parsePermissions(Object.fromEntries(made));
  if (!parsed.ok) return `The test has invalid permissions: ${parsed.problems.map(({ message }) => message).join("; ")}`;
  const beyond = coversPermissions(granted, parsed.value);
  return beyond.length === 0 ? parsed.value : `NotCapable: Can't escalate parent thread permissions (${beyond.join("; ")})`;
}

interface Planned {
  readonly index: number;
  readonly name: string;
  readonly ignore: boolean;
  readonly stack: string;
  readonly permissions?: JsonValue;
}

interface Step {
  readonly id: number;
  readonly level: number;
  readonly outcome: MutableOutcome;
}

/** Errors and places have engine positions until the end. */
interface MutableOutcome extends Omit<TestOutcome, "steps"> {
  readonly steps: MutableOutcome[];
}

interface TestRecord {
  /** Takes the guest's progress, which may have any shape. */
  readonly take: (value: JsonValue) => void;
  /** Returns the tests that need not run again. */
  done(): readonly number[];
  /** Fails the running test. Returns false if no test runs. */
  failRunning(error: TestError): boolean;
  cancelRest(): void;
  outcome(error: TestError | undefined): Promise<FileOutcome>;
}

const MAX_EVENTS = 100_000;

function createRecord(run: TestRun): TestRecord {
  let plan: readonly Planned[] | undefined;
  let filtered = 0;
  let usedOnly = false;
  let events = 0;
  let running: Planned | undefined;
  let hasStarted = false;
  const results = new Map<number, MutableOutcome>();
  /** Ended steps, deepest first, until their parent ends. */
  const ended: Step[] = [];
  /** The running test and its open steps, outermost first. */
  const open: { readonly index: number; readonly name: string; isShown: boolean }[] = [];

  function take(value: JsonValue): void {
    if (!isJsonObject(value) || ++events > MAX_EVENTS) return;
    const type = textAt(value, "type");
    if (type === "plan" && plan === undefined) return takePlan(value);
    const planned = plan?.find(({ index }) => index === numberAt(value, "index"));
    if (planned !== undefined && type === "result") run.narrow(undefined);
    if (planned === undefined || results.has(planned.index)) return;
    if (type === "wait") start(planned);
    if (type === "step-wait") begin(planned, numberAt(value, "level"), textAt(value, "name"));
    if (type === "step-result") endStep(value);
    if (type === "result") end(planned, value);
  }

  function takePlan(value: JsonObject): void {
    const listed = Array.isArray(value["tests"]) ? (value["tests"] as readonly JsonValue[]) : [];
    plan = listed.filter(isJsonObject).map((one) => ({
      index: numberAt(one, "index"),
      name: textAt(one, "name"),
      ignore: one["ignore"] === true,
      stack: textAt(one, "stack"),
      ...(one["permissions"] !== undefined && { permissions: one["permissions"] }),
    }));
    filtered = numberAt(value, "filtered");
    usedOnly = value["usedOnly"] === true;
    run.onEvent({ type: "file", plugin: run.plugin, file: run.file, tests: plan.length });
  }

  function start(planned: Planned): void {
    running = planned;
    hasStarted = true;
    if (planned.permissions === undefined) return;
    const permissions = narrowed(run.grants, planned.permissions);
    run.narrow(typeof permissions === "string" ? {} : permissions);
    // The test still runs, but counts as failed: it requests more than the run has.
    if (typeof permissions === "string") set(planned, "failed", { message: permissions, stack: "" });
  }

  /** Shows a line for a test or step before the first of its steps. */
  function begin(planned: Planned, level: number, name: string): void {
    if (open[0]?.index !== planned.index) open.splice(0, open.length, { index: planned.index, name: planned.name, isShown: false });
    open.length = Math.min(open.length, Math.max(1, level));
    open.forEach((one, above) => {
      if (!one.isShown) run.onEvent({ type: "begin", level: above, name: one.name });
      one.isShown = true;
    });
    open.push({ index: planned.index, name, isShown: false });
  }

  function endStep(value: JsonObject): void {
    const level = numberAt(value, "level");
    const outcome = toOutcome(value, textAt(value, "name"), textAt(value, "stack"), stepsAbove(level));
    run.onEvent({ type: "end", level, outcome });
    ended.push({ id: numberAt(value, "id"), level, outcome });
  }

  function stepsAbove(level: number): MutableOutcome[] {
    const steps: MutableOutcome[] = [];
    for (let last = ended.at(-1); last !== undefined && last.level > level; last = ended.at(-1)) {
      steps.unshift(last.outcome);
      ended.pop();
    }
    return steps;
  }

  function end(planned: Planned, value: JsonObject): void {
    const outcome = toOutcome(value, planned.name, planned.stack, stepsAbove(0));
    results.set(planned.index, outcome);
    run.onEvent({ type: "end", level: 0, outcome });
  }

  function set(planned: Planned, status: TestStatus, error?: TestError): void {
    const outcome = { name: planned.name, status, ms: 0, place: planned.stack, steps: stepsAbove(0), ...(error && { error }) };
    results.set(planned.index, outcome);
    run.onEvent({ type: "end", level: 0, outcome });
  }

  const rest = (): readonly Planned[] => (plan ?? []).filter(({ index }) => !results.has(index));

  return {
    take,
    done: () => [...results.keys()],
    failRunning(error) {
      const failed = running;
      if (failed === undefined || results.has(failed.index)) return false;
      set(failed, "failed", error);
      return true;
    },
    cancelRest() {
      // An error before the first test applies to all of them.
      if (hasStarted) for (const planned of rest()) set(planned, planned.ignore ? "ignored" : "cancelled");
    },
    async outcome(error) {
      // Tests that the guest did not report did not run.
      if (error === undefined) for (const planned of rest()) set(planned, "cancelled");
      const found = await Promise.all([...results].toSorted(([a], [b]) => a - b).map(([, one]) => withPlaces(one, run.authorStack)));
      return { plugin: run.plugin, file: run.file, kind: "tests", results: found, filtered, usedOnly, ...(error && { error }) };
    },
  };
}

function toOutcome(value: JsonObject, name: string, stack: string, steps: MutableOutcome[]): MutableOutcome {
  const told = textAt(value, "status");
  const status: TestStatus = told === "ok" || told === "ignored" ? told : "failed";
  const error = told === "incomplete" ? INCOMPLETE : errorOf(value);
  return { name, status, ms: numberAt(value, "ms"), place: stack, steps, ...(error && { error }) };
}

const INCOMPLETE: TestError = { message: "Didn't complete before parent. Await step with `await t.step(...)`.", stack: "" };

function errorOf(value: JsonObject): TestError | undefined {
  const error = value["error"];
  if (!isJsonObject(error)) return undefined;
  const name = textAt(error, "name");
  const message = textAt(error, "message");
  return { message: name === "" ? message : message === "" ? name : `${name}: ${message}`, stack: textAt(error, "stack") };
}

async function withPlaces(outcome: MutableOutcome, authorStack: TestRun["authorStack"]): Promise<TestOutcome> {
  const { place = "", error, steps, ...rest } = outcome;
  const registered = /([^\s()]+:\d+:\d+)\)?\s*$/m.exec(await authorStack(place))?.[1];
  return {
    ...rest,
    ...(registered !== undefined && { place: registered }),
    ...(error !== undefined && { error: { message: error.message, stack: await authorStack(error.stack) } }),
    steps: await Promise.all(steps.map((step) => withPlaces(step, authorStack))),
  };
}

function textAt(value: JsonObject, key: string): string {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
}

function numberAt(value: JsonObject, key: string): number {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : 0;
}
