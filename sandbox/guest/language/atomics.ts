/**
 * `Atomics` (https://tc39.es/ecma262/#sec-atomics-object), which the engine lacks. A plugin has one thread, so every operation is
 * atomic already, and waiting only lets time pass.
 */

import { isLoading } from "../call/channel.ts";
import { performanceNow } from "../call/call-time.ts";
import {
  bareObject,
  define,
  PrimordialNumber,
  PrimordialRangeError,
  PrimordialTypeError,
  typedArrayLength,
  typedArrayTag,
} from "./primordials.ts";
import { nameFunction, tag } from "../web/webidl.ts";

type Integers = Int32Array | BigInt64Array;
type Value = number | bigint;

/** Accepts every integer array except `Uint8ClampedArray`. */
function check(array: unknown): Integers {
  const kind = typeof array === "object" && array !== null ? typedArrayTag(array) : undefined;
  switch (kind) {
    case "Int8Array":
    case "Uint8Array":
    case "Int16Array":
    case "Uint16Array":
    case "Int32Array":
    case "Uint32Array":
    case "BigInt64Array":
    case "BigUint64Array":
      // The array types differ only in the values that they hold.
      return array as Integers;
    default:
      throw new PrimordialTypeError("[object Object] is not an integer typed array.");
  }
}

function checkWaitable(array: unknown): Integers {
  const integers = check(array);
  const kind = typedArrayTag(integers);
  if (kind === "Int32Array" || kind === "BigInt64Array") return integers;
  throw new PrimordialTypeError("[object Array] is not an int32 or BigInt64 typed array.");
}

function place(array: Integers, index: unknown): number {
  const at = index === undefined ? 0 : toInteger(index);
  if (at < 0 || at >= typedArrayLength(array)) throw new PrimordialRangeError("Invalid atomic access index");
  return at;
}

function toInteger(value: unknown): number {
  const number = +(value as number);
  return number !== number ? 0 : number - (number % 1 || 0);
}

function isBig(array: Integers): boolean {
  const kind = typedArrayTag(array);
  return kind === "BigInt64Array" || kind === "BigUint64Array";
}

function toValue(array: Integers, value: unknown): Value {
  // The standard throws for values that do not convert to a BigInt.
  return isBig(array) ? BigInt.asIntN(64, value as bigint) : toInteger(value);
}

/** Stores the result of `change` and returns the old value. */
function update(given: unknown, index: unknown, value: unknown, change: (old: Value, operand: Value) => Value): Value {
  const array = check(given);
  const at = place(array, index);
  const operand = toValue(array, value);
  const old = array[at] ?? 0;
  array[at] = change(old, operand);
  return old;
}

// Both operands are numbers or both are BigInts; the operators work the same for either.
const CHANGES: Readonly<Record<string, (old: Value, operand: Value) => Value>> = {
  add: (old, operand) => (old as number) + (operand as number),
  and: (old, operand) => (old as number) & (operand as number),
  exchange: (_old, operand) => operand,
  or: (old, operand) => (old as number) | (operand as number),
  sub: (old, operand) => (old as number) - (operand as number),
  xor: (old, operand) => (old as number) ^ (operand as number),
};

function compareExchange(given: unknown, index: unknown, expected: unknown, replacement: unknown): Value {
  const array = check(given);
  const at = place(array, index);
  const probe = reread(array, toValue(array, expected));
  const next = toValue(array, replacement);
  const old = array[at] ?? 0;
  if (old === probe) array[at] = next;
  return old;
}

/** Returns a value as an array of this kind would hold it. */
function reread(array: Integers, value: Value): Value {
  const one = new (array.constructor as Int32ArrayConstructor)(1);
  one[0] = value as number;
  return one[0] ?? 0;
}

function wait(given: unknown, index: unknown, value: unknown, timeout: unknown): string {
  const array = checkWaitable(given);
  const at = place(array, index);
  if (array[at] !== toValue(array, value)) return "not-equal";
  const limit = timeout === undefined ? Infinity : PrimordialNumber(timeout);
  if (!(limit < Infinity)) throw new PrimordialTypeError("Atomics.wait cannot be called in this context: no other thread can wake it");
  // Time stands still while a plugin loads.
  if (!isLoading()) for (const end = performanceNow() + limit; performanceNow() < end;);
  return "timed-out";
}

export function installAtomics(global: object): void {
  const atomics = {};
  const members: Record<string, readonly [length: number, run: (...args: unknown[]) => unknown]> = bareObject();
  for (const name of ["add", "and", "exchange", "or", "sub", "xor"]) {
    const change = CHANGES[name];
    if (change !== undefined) members[name] = [3, (array, index, value) => update(array, index, value, change)];
  }
  members["compareExchange"] = [4, (array, index, expected, next) => compareExchange(array, index, expected, next)];
  members["isLockFree"] = [1, (size) => size === 1 || size === 2 || size === 4 || size === 8];
  members["load"] = [2, (array, index) => update(array, index, isBig(check(array)) ? 0n : 0, (old) => old)];
  members["notify"] = [3, (array, index) => (place(checkWaitable(array), index), 0)];
  members["store"] = [
    3,
    (array, index, value) => {
      const stored = toValue(check(array), value);
      update(array, index, stored, (_old, operand) => operand);
      return stored;
    },
  ];
  members["wait"] = [4, (array, index, value, timeout) => wait(array, index, value, timeout)];
  for (const name of Object.keys(members)) {
    const [length, run] = members[name] ?? [0, () => undefined];
    nameFunction(run, name, length);
    define(atomics, name, run);
  }
  tag(atomics, "Atomics");
  define(global, "Atomics", atomics);
}
