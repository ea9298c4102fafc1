/** `TestContext` and its steps, with Deno's rules for steps that overlap or are not awaited. */

import { pendingOperations } from "../call/channel.ts";
import {
  bareList,
  jsonParse,
  mapForEach,
  PrimordialError,
  PrimordialPromise,
  PrimordialTypeError,
  reflectDefineProperty,
} from "../language/primordials.ts";
import { performanceNow } from "../call/call-time.ts";
import { currentStack } from "../inspect/stack.ts";
import { isTestFunction, type TestFunction } from "./test-register.ts";
import { describeThrown } from "../inspect/thrown.ts";
import { startTimer } from "../web/timers.ts";
import { tag, toDomString } from "../web/webidl.ts";

const PLUGIN_ROOT = "file:///$plugin/";
// Captured before a plugin can replace it.
const encodePath = encodeURI;

/** Reports to the host, in order. */
export type Report = (event: object) => void;

/** Sanitizers that are on. */
interface Sanitized {
  readonly sanitizeOps: boolean;
  readonly sanitizeResources: boolean;
  readonly sanitizeExit: boolean;
}

/** A running or finished test or step. */
export interface Scope {
  /** Index of its test. */
  readonly index: number;
  readonly id: number;
  readonly level: number;
  readonly name: string;
  /** Name with the names of its parents, as Deno shows it. */
  readonly names: string;
  readonly parent: Scope | undefined;
  readonly steps: Scope[];
  readonly sanitized: Sanitized;
  readonly stack?: string;
  done: boolean;
  failed: boolean;
}

let lastId = 0;
let origin = PLUGIN_ROOT;

/** Sets the file of the run: the `origin` of its tests. */
export function setOrigin(file: string): void {
  origin = encodePath(`${PLUGIN_ROOT}${file}`);
}

/** Maximum reports without an answer, because a call's operations in flight are limited and the test needs its own. */
const MOST_UNHEARD = 16;

/** Waits until the host has answered enough reports. */
export async function heard(): Promise<void> {
  while (!isHeard()) await new PrimordialPromise<void>((resolve) => void startTimer(resolve, 0));
}

function isHeard(): boolean {
  let unheard = 0;
  mapForEach(pendingOperations(), (operation) => {
    if (operation === "progress") unheard++;
  });
  return unheard <= MOST_UNHEARD;
}

export function createContext(scope: Scope, report: Report): object {
  const context = {};
  const members = {
    name: scope.name,
    parent: scope.parent === undefined ? undefined : contexts[scope.parent.id],
    origin,
    step: (first: unknown, second?: unknown) => step(scope, report, first, second),
  };
  for (const [key, value] of Object.entries(members))
    reflectDefineProperty(context, key, {
      __proto__: null,
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    } as PropertyDescriptor);
  tag(context, "TestContext");
  contexts[scope.id] = context;
  return context;
}

/** Contexts by id, for the `parent` of a context. */
const contexts = bareList<object>();

async function step(parent: Scope, report: Report, first: unknown, second: unknown): Promise<boolean> {
  if (parent.done) {
    throw new PrimordialError(
      "Cannot run test step after parent scope has finished execution. Ensure any `.step(...)` calls are executed before their parent scope completes execution.",
    );
  }
  const { name, fn, ignore, sanitized } = readStep(first, second, parent.sanitized);
  const { index } = parent;
  const scope: Scope = {
    ...{ index, id: ++lastId, level: parent.level + 1, name, names: `${parent.names} ... ${name}`, parent },
    ...{ steps: bareList<Scope>(), sanitized, stack: currentStack(), done: false, failed: false },
  };
  parent.steps[parent.steps.length] = scope;
  if (ignore) {
    scope.done = true;
    tell(scope, report, { status: "ignored", ms: 0 });
    return false;
  }
  report({ type: "step-wait", index, id: scope.id, level: scope.level, name });
  const began = performanceNow();
  const overlap = overlapError(scope);
  const error = overlap === undefined ? await attempt(() => fn(createContext(scope, report))) : { name: "", message: overlap, stack: "" };
  const result = error === undefined ? scopeResult(scope) : { error };
  // The parent may have ended in the meantime and reported the step as incomplete.
  if (scope.done) return false;
  closeSteps(scope, report);
  scope.done = true;
  scope.failed = result !== undefined;
  tell(scope, report, { status: result === undefined ? "ok" : "failed", ms: performanceNow() - began, ...result });
  // Skips a needless `await`, so that parallel steps interleave as in Deno.
  if (!isHeard()) await heard();
  return result === undefined;
}

/** Runs a function and describes its error, if any. */
export async function attempt(run: () => unknown): Promise<object | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    // `describeThrown` writes an object.
    return jsonParse(describeThrown(error)) as object;
  }
}

interface Step {
  readonly name: string;
  readonly fn: TestFunction;
  readonly ignore: boolean;
  readonly sanitized: Sanitized;
}

function readStep(first: unknown, second: unknown, inherited: Sanitized): Step {
  const plain = { ignore: false, sanitized: inherited };
  if (typeof first === "string") {
    if (!isTestFunction(second)) throw new PrimordialTypeError("Expected function for second argument");
    return { ...plain, name: first, fn: second };
  }
  if (isTestFunction(first)) {
    if (first.name === "") throw new PrimordialTypeError("The step function must have a name");
    if (second !== undefined && second !== null) throw new PrimordialTypeError("Unexpected second argument to TestContext.step()");
    return { ...plain, name: first.name, fn: first };
  }
  if (typeof first !== "object" || first === null) throw new PrimordialTypeError("Expected a test definition or name and function");
  const options = first as Readonly<Record<string, unknown>>;
  const { fn, name } = options;
  if (!isTestFunction(fn)) throw new PrimordialTypeError("Expected function for second argument");
  return {
    name: toDomString(name),
    fn,
    ignore: !!options["ignore"],
    sanitized: {
      sanitizeOps: flag(options["sanitizeOps"], inherited.sanitizeOps),
      sanitizeResources: flag(options["sanitizeResources"], inherited.sanitizeResources),
      sanitizeExit: flag(options["sanitizeExit"], inherited.sanitizeExit),
    },
  };
}

function flag(value: unknown, otherwise: boolean): boolean {
  return value === undefined || value === null ? otherwise : !!value;
}

/** Sanitizers cannot tell apart the leaks of two parallel steps. */
function overlapError(scope: Scope): string | undefined {
  const running = bareList<Scope>();
  for (let child = scope; child.parent !== undefined; child = child.parent) {
    const { steps } = child.parent;
    for (let index = 0; index < steps.length; index++) {
      const sibling = steps[index];
      if (sibling !== undefined && sibling !== child && !sibling.done) running[running.length] = sibling;
    }
  }
  let sanitized = "";
  let all = "";
  for (let index = 0; index < running.length; index++) {
    const other = running[index];
    if (other === undefined) continue;
    const line = `\n  * ${other.names}`;
    all += line;
    if (usesSanitizer(other)) sanitized += line;
  }
  if (sanitized !== "") return `Started test step while another test step with sanitizers was running:${sanitized}`;
  return all !== "" && usesSanitizer(scope) ? `Started test step with sanitizers while another test step was running:${all}` : undefined;
}

function usesSanitizer({ sanitized }: Scope): boolean {
  return sanitized.sanitizeOps || sanitized.sanitizeResources || sanitized.sanitizeExit;
}

/** Returns the failure that the steps cause in a scope that did not throw, or undefined. */
export function scopeResult({ steps }: Scope): { readonly failedSteps: number } | { readonly incompleteSteps: true } | undefined {
  let failedSteps = 0;
  for (let index = 0; index < steps.length; index++) {
    const one = steps[index];
    if (one?.done === false) return { incompleteSteps: true };
    if (one?.failed === true) failedSteps += 1;
  }
  return failedSteps === 0 ? undefined : { failedSteps };
}

/** Marks steps that still run when their parent has ended as failed. */
export function closeSteps(scope: Scope, report: Report): void {
  scope.done = true;
  for (let index = 0; index < scope.steps.length; index++) {
    const one = scope.steps[index];
    if (one === undefined || one.done) continue;
    closeSteps(one, report);
    one.failed = true;
    tell(one, report, { status: "incomplete", ms: 0 });
  }
}

function tell(
  scope: Scope,
  report: Report,
  end: { readonly status: "ok" | "failed" | "ignored" | "incomplete"; readonly ms: number },
): void {
  const { index, id, level, name, names, stack = "" } = scope;
  report({ type: "step-result", index, id, level, name, names, stack, ...end });
}
