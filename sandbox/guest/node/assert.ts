/** `node:assert` (https://nodejs.org/api/assert.html). */

import { deepEqual as equalDeeply } from "./deep-equal.ts";
import { inspect } from "./util.ts";

interface Details {
  readonly message?: string | Error | undefined;
  readonly actual?: unknown;
  readonly expected?: unknown;
  readonly operator?: string;
}

export class AssertionError extends Error {
  readonly code = "ERR_ASSERTION";
  readonly generatedMessage: boolean;
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator: string | undefined;

  constructor({ message, actual, expected, operator }: Details) {
    super(
      typeof message === "string"
        ? message
        : `Expected values to be ${operator ?? "equal"}:\n\n${inspect(actual)}\n\n${inspect(expected)}\n`,
    );
    this.name = "AssertionError";
    this.generatedMessage = message === undefined;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}

type Message = string | Error | undefined;

function check(isRight: boolean, details: Details): void {
  if (isRight) return;
  if (details.message instanceof Error) throw details.message;
  throw new AssertionError(details);
}

export function ok(value: unknown, message?: Message): asserts value {
  check(!!value, {
    message: message ?? `The expression evaluated to a falsy value: ${inspect(value)}`,
    actual: value,
    expected: true,
    operator: "==",
  });
}

export function equal(actual: unknown, expected: unknown, message?: Message): void {
  // eslint-disable-next-line eslint/eqeqeq -- this is what it does
  check(actual == expected || (actual !== actual && expected !== expected), { message, actual, expected, operator: "loosely equal" });
}

export function notEqual(actual: unknown, expected: unknown, message?: Message): void {
  // eslint-disable-next-line eslint/eqeqeq -- this is what it does
  check(actual != expected, { message, actual, expected, operator: "loosely unequal" });
}

export function strictEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(Object.is(actual, expected), { message, actual, expected, operator: "strictly equal" });
}

export function notStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(!Object.is(actual, expected), { message, actual, expected, operator: "strictly unequal" });
}

export function deepEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(equalDeeply(actual, expected, false), { message, actual, expected, operator: "loosely deep-equal" });
}

export function notDeepEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(!equalDeeply(actual, expected, false), { message, actual, expected, operator: "loosely not deep-equal" });
}

export function deepStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(equalDeeply(actual, expected, true), { message, actual, expected, operator: "strictly deep-equal" });
}

export function notDeepStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  check(!equalDeeply(actual, expected, true), { message, actual, expected, operator: "strictly not deep-equal" });
}

export function match(text: string, expression: RegExp, message?: Message): void {
  check(typeof text === "string" && expression.test(text), { message, actual: text, expected: expression, operator: "matching" });
}

export function doesNotMatch(text: string, expression: RegExp, message?: Message): void {
  check(typeof text === "string" && !expression.test(text), { message, actual: text, expected: expression, operator: "not matching" });
}

export function fail(message: Message = "Failed"): never {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, operator: "fail" });
}

export function ifError(value: unknown): void {
  if (value === undefined || value === null) return;
  if (value instanceof Error) throw value;
  throw new AssertionError({
    message: `ifError got unwanted exception: ${inspect(value)}`,
    actual: value,
    expected: null,
    operator: "ifError",
  });
}

/** Expectation for an error: its class, a pattern, a predicate, or members. */
type Expected = RegExp | object | ((error: unknown) => boolean) | (new (...args: never[]) => unknown);

export function throws(act: () => unknown, expected?: Expected | string, message?: Message): void {
  let thrown: { readonly error: unknown } | undefined;
  try {
    act();
  } catch (error) {
    thrown = { error };
  }
  checkThrown(thrown, { what: "exception", expected, message });
}

export async function rejects(
  act: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected | string,
  message?: Message,
): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;
  try {
    await (typeof act === "function" ? act() : act);
  } catch (error) {
    thrown = { error };
  }
  checkThrown(thrown, { what: "rejection", expected, message });
}

export function doesNotThrow(act: () => unknown, message?: Message): void {
  try {
    act();
  } catch (error) {
    throw unwanted("exception", error, message);
  }
}

export async function doesNotReject(act: Promise<unknown> | (() => Promise<unknown>), message?: Message): Promise<void> {
  try {
    await (typeof act === "function" ? act() : act);
  } catch (error) {
    throw unwanted("rejection", error, message);
  }
}

function unwanted(what: string, error: unknown, message: Message): AssertionError {
  const told = error instanceof Error ? error.message : inspect(error);
  return new AssertionError({
    message: `Got unwanted ${what}${typeof message === "string" ? `: ${message}` : "."}\nActual message: "${told}"`,
    actual: error,
  });
}

interface Expectation {
  readonly what: string;
  readonly expected: Expected | string | undefined;
  readonly message: Message;
}

function checkThrown(thrown: { readonly error: unknown } | undefined, { what, expected, message }: Expectation): void {
  const told = typeof expected === "string" ? expected : message;
  if (thrown === undefined) {
    if (told instanceof Error) throw told;
    throw new AssertionError({ message: `Missing expected ${what}${told === undefined ? "." : `: ${told}`}`, expected, operator: what });
  }
  if (expected === undefined || typeof expected === "string") return;
  const { error } = thrown;
  if (expected instanceof RegExp) return check(expected.test(String(error)), { message, actual: error, expected, operator: "matching" });
  if (typeof expected === "function") return checkByFunction(error, expected as (error: unknown) => unknown, message);
  for (const key of expected instanceof Error ? ["name", "message", ...Object.keys(expected)] : Object.keys(expected)) {
    const wanted: unknown = Reflect.get(expected, key);
    const found: unknown = typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
    const isRight = wanted instanceof RegExp && typeof found === "string" ? wanted.test(found) : equalDeeply(found, wanted, true);
    check(isRight, { message, actual: error, expected, operator: `like it in "${key}"` });
  }
}

/** Treats the function as a class if the error is an instance of it or if it is an error class, else as a predicate. */
function checkByFunction(error: unknown, expected: (error: unknown) => unknown, message: Message): void {
  const prototype: unknown = Reflect.get(expected, "prototype");
  if (prototype !== undefined && error instanceof expected) return;
  if (expected === (Error as unknown) || prototype instanceof Error) {
    throw new AssertionError({
      message: typeof message === "string" ? message : `The error is expected to be an instance of "${expected.name}"`,
      actual: error,
      expected,
      operator: "throws",
    });
  }
  check(expected(error) === true, { message: message ?? "The validation function is expected to return true", actual: error, expected });
}
