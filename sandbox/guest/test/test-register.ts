/** `Deno.test` (SPEC PB3): stores the tests that a file registers. Without `bascule test` it does nothing, as under `deno run`. */

import { bareList, define, objectHasOwn, PrimordialTypeError } from "../language/primordials.ts";
import { currentStack } from "../inspect/stack.ts";
import { nameFunction, toDomString } from "../web/webidl.ts";

/** A test, a step or a hook of the author. */
export type TestFunction = (context?: object) => unknown;

export interface TestCase {
  readonly name: string;
  readonly fn: TestFunction;
  readonly ignore: boolean;
  readonly only: boolean;
  readonly sanitizeOps: boolean;
  readonly sanitizeResources: boolean;
  readonly sanitizeExit: boolean;
  /** Permissions in Deno's forms; "inherit", null and undefined mean those of the run. */
  readonly permissions: unknown;
  /** The stack of the registration. */
  readonly stack: string;
}

export type HookName = "beforeAll" | "beforeEach" | "afterEach" | "afterAll";

export const tests: TestCase[] = bareList<TestCase>();
export const hooks: Readonly<Record<HookName, TestFunction[]>> = {
  beforeAll: bareList<TestFunction>(),
  beforeEach: bareList<TestFunction>(),
  afterEach: bareList<TestFunction>(),
  afterAll: bareList<TestFunction>(),
};

let collecting = false;
let defaults = { ops: false, resources: false };

/** Starts to store tests. */
export function beginCollecting(sanitizers: { readonly ops: boolean; readonly resources: boolean }): void {
  collecting = true;
  defaults = sanitizers;
}

type Options = Readonly<Record<string, unknown>>;

export function createTest(): object {
  const test = form({});
  define(test, "ignore", form({ ignore: true }), true);
  define(test, "only", form({ only: true }), true);
  for (const hook of ["beforeAll", "beforeEach", "afterEach", "afterAll"] as const) define(test, hook, registerHook(hook), true);
  define(test, "sanitizer", setSanitizers, true);
  nameFunction(test, "test");
  return test;
}

function form(overrides: Partial<Pick<TestCase, "ignore" | "only">>): object {
  return (first: unknown, second?: unknown, third?: unknown): void => {
    if (!collecting) return;
    const { name, fn, options } = readArguments(first, second, third);
    if (name === "") throw new PrimordialTypeError("The test name can't be empty");
    tests[tests.length] = { ...readOptions(options), ...overrides, name, fn, stack: currentStack() };
  };
}

interface Arguments {
  readonly name: string;
  readonly fn: TestFunction;
  readonly options: Options;
}

/** Reads the forms of https://docs.deno.com/api/deno/~/Deno.test, with Deno's errors. */
function readArguments(first: unknown, second: unknown, third: unknown): Arguments {
  if (typeof first === "string") {
    if (isTestFunction(second)) return { name: first, fn: second, options: NONE };
    if (!isTestFunction(third)) throw new PrimordialTypeError("Missing test function");
    const options = toOptions(second);
    refuseField(options, "fn", "test function is already provided as the third argument");
    refuseField(options, "name", "test name is already provided as the first argument");
    return { name: first, fn: third, options };
  }
  if (isTestFunction(first)) {
    if (second !== undefined && second !== null) throw new PrimordialTypeError("Unexpected second argument to Deno.test()");
    if (first.name === "") throw new PrimordialTypeError("The test function must have a name");
    return { name: first.name, fn: first, options: NONE };
  }
  const options = toOptions(first);
  if (isTestFunction(second)) {
    refuseField(options, "fn", "test function is already provided as the second argument");
    return { name: nameOf(options, second), fn: second, options };
  }
  const { fn } = options;
  if (!isTestFunction(fn)) throw new PrimordialTypeError("Expected 'fn' field in the first argument to be a test function");
  return { name: nameOf(options, fn), fn, options };
}

const NONE: Options = {};

function readOptions(options: Options): Omit<TestCase, "name" | "fn" | "stack"> {
  return {
    ignore: flag(options, "ignore", false),
    only: flag(options, "only", false),
    sanitizeOps: flag(options, "sanitizeOps", defaults.ops),
    sanitizeResources: flag(options, "sanitizeResources", defaults.resources),
    sanitizeExit: flag(options, "sanitizeExit", true),
    permissions: options["permissions"],
  };
}

function flag(options: Options, name: string, otherwise: boolean): boolean {
  const value = objectHasOwn(options, name) ? options[name] : undefined;
  return value === undefined ? otherwise : !!value;
}

function toOptions(value: unknown): Options {
  if (typeof value !== "object" || value === null) throw new PrimordialTypeError("Expected the test's options to be an object");
  return value as Options;
}

function nameOf(options: Options, fn: TestFunction): string {
  const { name } = options;
  return name === undefined || name === null ? fn.name : toDomString(name);
}

function refuseField(options: Options, field: string, why: string): void {
  if (options[field] !== undefined && options[field] !== null)
    throw new PrimordialTypeError(`Unexpected '${field}' field in options, ${why}`);
}

export function isTestFunction(value: unknown): value is TestFunction {
  return typeof value === "function";
}

function registerHook(hook: HookName): object {
  const register = (fn: unknown): void => {
    if (!collecting) return;
    if (!isTestFunction(fn)) throw new PrimordialTypeError(`Expected a function for ${hook} hook`);
    const list = hooks[hook];
    list[list.length] = fn;
  };
  nameFunction(register, hook);
  return register;
}

/** Sets the sanitizers for the tests registered from here on. */
function setSanitizers(options: unknown): void {
  const given = toOptions(options);
  defaults = { ops: flag(given, "ops", defaults.ops), resources: flag(given, "resources", defaults.resources) };
}
