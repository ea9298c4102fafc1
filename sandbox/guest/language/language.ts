/** Language features that the engine lacks or implements incorrectly. */

import { AsyncLoop } from "./async-loop.ts";
import { inspect } from "../inspect/inspect.ts";
import { errorHeader } from "../inspect/inspect-error.ts";
import {
  bigIntAsIntN,
  type Callable,
  define,
  iteratorPrototype,
  PrimordialArray,
  PrimordialBigInt,
  PrimordialNumber,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectApply,
  reflectConstruct,
  reflectGet,
  stringIndexOf,
  stringSlice,
} from "./primordials.ts";
import { currentStack } from "../inspect/stack.ts";
import { nameFunction } from "../web/webidl.ts";

const { asyncIterator, iterator } = PrimordialSymbol;

/** In method syntax, because methods are not constructors. */
const METHODS = {
  fromAsync(this: unknown, items: unknown, map?: unknown, self?: unknown): Promise<unknown> {
    return fromAsync(this, items, map, self);
  },

  /** The engine's own returns negative numbers: `asUintN(64, -1n)` is `-1n` there. */
  asUintN(bits: unknown, value: bigint): bigint {
    // `asIntN` is correct, converts its arguments as the standard says, and differs only in the sign.
    const width = +(bits as number);
    const signed = bigIntAsIntN(width, value);
    return signed < 0n ? signed + (1n << PrimordialBigInt(width - (width % 1))) : signed;
  },

  /** V8's API; libraries call it to hide their own frames. The engine's frames have only names, so the name decides. */
  captureStackTrace(target: object, leaveOut?: Callable): void {
    if ((typeof target !== "object" || target === null) && typeof target !== "function") {
      throw new PrimordialTypeError(`Invalid argument: ${inspect(target)} is not an object`);
    }
    define(target, "stack", `${errorHeader(target, undefined)}\n${framesBelow(currentStack(), leaveOut)}`);
  },
};

function framesBelow(stack: string, leaveOut: Callable | undefined): string {
  const name: unknown = typeof leaveOut === "function" ? reflectGet(leaveOut, "name") : undefined;
  if (typeof name !== "string" || name === "") return stack;
  const at = stringIndexOf(stack, `    at ${name} (`);
  return at === -1 ? stack : stringSlice(stack, stringIndexOf(stack, "\n", at) + 1);
}

/** `Array.fromAsync` (https://tc39.es/proposal-array-from-async/). */
async function fromAsync(constructor: unknown, items: unknown, map: unknown, self: unknown): Promise<unknown> {
  if (map !== undefined && typeof map !== "function") throw new PrimordialTypeError("The mapping function is not callable");
  if (items === undefined || items === null) throw new PrimordialTypeError("The items are not iterable");
  const source: object = items;
  const later = reflectGetOf(source, asyncIterator);
  const now = isMethod(later) ? undefined : reflectGetOf(source, iterator);
  const isIterable = isMethod(later) || isMethod(now);
  const length = isIterable ? 0 : toLength(reflectGetOf(source, "length"));
  const maker = typeof constructor === "function" ? (constructor as Callable) : (PrimordialArray as unknown as Callable);
  const result = reflectConstruct(maker, isIterable ? [] : [length]);
  let count = 0;
  const add = async (item: unknown): Promise<void> => {
    const value: unknown = map === undefined ? item : await reflectApply(map as Callable, self, [item, count]);
    if (!Reflect.defineProperty(result, count, { value, writable: true, enumerable: true, configurable: true })) {
      throw new PrimordialTypeError("Cannot add to the result");
    }
    count++;
  };
  if (isIterable)
    await forEachAwaited(isMethod(later) ? new AsyncLoop().openAsync(source, later) : new AsyncLoop().openSync(source, now), add);
  else while (count < length) await add(await reflectGetOf(source, count));
  (result as { length: number }).length = count;
  return result;
}

/** The engine's own `for await` calls `return()` after the end. */
async function forEachAwaited(loop: AsyncLoop, act: (item: unknown) => Promise<void>): Promise<void> {
  try {
    while (loop.take((await loop.next()) as object)) for (const item of loop) await act(item);
  } catch (error) {
    loop.threw = true;
    await closed(loop);
    throw error;
  }
}

async function closed(loop: AsyncLoop): Promise<void> {
  try {
    if (loop.closes()) await loop.closing;
  } catch {
    // The error that ended the loop takes precedence.
  }
}

function reflectGetOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" || typeof value === "function"
    ? reflectGet(value as object, key)
    : (value as Record<PropertyKey, unknown>)[key];
}

function isMethod(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function toLength(value: unknown): number {
  const length = +(value as number);
  return length > 0 ? Math.min(length - (length % 1), PrimordialNumber.MAX_SAFE_INTEGER) : 0;
}

export function installLanguage(global: object): void {
  addMethod(PrimordialBigInt, "asUintN", METHODS.asUintN, 2);
  addMethod(Error, "captureStackTrace", METHODS.captureStackTrace, 2);
  addMethod(PrimordialArray, "fromAsync", METHODS.fromAsync, 1);
  for (const name of ["dispose", "asyncDispose", "metadata"]) {
    Reflect.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`), writable: false, enumerable: false, configurable: false });
  }
  installDispose();
  // The engine calls it for every template literal, including the prelude's, so it must not be replaced.
  Reflect.defineProperty(String.prototype, "concat", { writable: false, configurable: false });
  // Engine-only name; the engine's errors still inherit from it.
  Reflect.deleteProperty(global, "InternalError");
}

function addMethod(...[target, name, method, length]: [target: object, name: string, method: Callable, length: number]): void {
  nameFunction(method, name, length);
  define(target, name, method);
}

/** `Iterator.prototype[Symbol.dispose]` closes the iterator. */
function installDispose(): void {
  const { dispose } = Symbol as unknown as { readonly dispose: symbol };
  const close = function (this: object): void {
    const end = reflectGet(this, "return");
    if (typeof end === "function") reflectApply(end as Callable, this, []);
  };
  nameFunction(close, "[Symbol.dispose]");
  define(iteratorPrototype, dispose, close);
}
