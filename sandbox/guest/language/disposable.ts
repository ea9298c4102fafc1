/** `SuppressedError`, `DisposableStack` and `AsyncDisposableStack` (https://tc39.es/proposal-explicit-resource-management/). */

import {
  argumentAt,
  bareList,
  type Callable,
  define,
  PrimordialError,
  PrimordialReferenceError,
  PrimordialTypeError,
  reflectApply,
  reflectGet,
} from "./primordials.ts";
import { nameFunction, tag, toDomString } from "../web/webidl.ts";
import { plainError } from "../inspect/stack.ts";

/** Created by `language.ts`, which runs before this module is installed. */
let dispose: symbol;
let asyncDispose: symbol;

/** A disposal function; the one that was added last runs first. */
export type Disposal = () => unknown;

interface SuppressedErrorConstructor {
  new (error: unknown, suppressed: unknown, message?: unknown): Error;
  readonly prototype: object;
}

/** Creates the class; like all error classes it can be called with and without `new`. */
function createSuppressedError(): SuppressedErrorConstructor {
  const constructor = function (...given: unknown[]): Error {
    const message = argumentAt(given, 2);
    const made = plainError(message === undefined ? undefined : toDomString(message));
    const prototype: unknown = new.target === undefined ? constructor.prototype : reflectGet(new.target, "prototype");
    Object.setPrototypeOf(made, typeof prototype === "object" ? prototype : (constructor.prototype as object));
    define(made, "error", argumentAt(given, 0));
    define(made, "suppressed", argumentAt(given, 1));
    return made;
  };
  nameFunction(constructor, "SuppressedError", 3);
  Object.setPrototypeOf(constructor, PrimordialError);
  const prototype: object = Object.create(PrimordialError.prototype) as object;
  define(prototype, "constructor", constructor);
  define(prototype, "name", "SuppressedError");
  define(prototype, "message", "");
  Object.defineProperty(constructor, "prototype", { value: prototype, writable: false, enumerable: false, configurable: false });
  return constructor as unknown as SuppressedErrorConstructor;
}

const SuppressedError = createSuppressedError();

/** The error of the disposal so far; a new error suppresses the previous one. */
export class Failure {
  has = false;
  error: unknown;

  add(error: unknown): void {
    this.error = this.has ? new SuppressedError(error, this.error, "An error was suppressed during disposal") : error;
    this.has = true;
  }
}

class DisposableStack {
  #disposals: Disposal[] = bareList<Disposal>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use(value: unknown): unknown {
    this.#requireOpen("use");
    if (value !== null && value !== undefined) {
      this.#add(methodToDispose(value));
    }
    return value;
  }

  adopt(value: unknown, onDispose: unknown): unknown {
    this.#requireOpen("adopt");
    const method = requireFunction(onDispose);
    this.#add(() => reflectApply(method, undefined, [value]));
    return value;
  }

  defer(onDispose: unknown): void {
    this.#requireOpen("defer");
    const method = requireFunction(onDispose);
    this.#add(() => reflectApply(method, undefined, []));
  }

  move(): DisposableStack {
    this.#requireOpen("move");
    const moved = new DisposableStack();
    moved.#disposals = this.#disposals;
    this.#disposals = bareList<Disposal>();
    this.#disposed = true;
    return moved;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const failure = new Failure();
    const disposals = this.#disposals;
    this.#disposals = bareList<Disposal>();
    for (let index = disposals.length - 1; index >= 0; index--) {
      try {
        disposals[index]?.();
      } catch (error) {
        failure.add(error);
      }
    }
    if (failure.has) throw failure.error;
  }

  #add(disposal: Disposal): void {
    this.#disposals[this.#disposals.length] = disposal;
  }

  #requireOpen(method: string): void {
    if (this.#disposed) throw disposedAlready("DisposableStack", method);
  }
}

class AsyncDisposableStack {
  #disposals: Disposal[] = bareList<Disposal>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use(value: unknown): unknown {
    this.#requireOpen("use");
    // An absent resource still causes one wait.
    if (value === null || value === undefined) this.#add(() => undefined);
    else this.#add(methodToDisposeLater(value));
    return value;
  }

  adopt(value: unknown, onDispose: unknown): unknown {
    this.#requireOpen("adopt");
    const method = requireFunction(onDispose);
    this.#add(() => reflectApply(method, undefined, [value]));
    return value;
  }

  defer(onDispose: unknown): void {
    this.#requireOpen("defer");
    const method = requireFunction(onDispose);
    this.#add(() => reflectApply(method, undefined, []));
  }

  move(): AsyncDisposableStack {
    this.#requireOpen("move");
    const moved = new AsyncDisposableStack();
    moved.#disposals = this.#disposals;
    this.#disposals = bareList<Disposal>();
    this.#disposed = true;
    return moved;
  }

  async disposeAsync(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const failure = new Failure();
    const disposals = this.#disposals;
    this.#disposals = bareList<Disposal>();
    for (let index = disposals.length - 1; index >= 0; index--) {
      try {
        await disposals[index]?.();
      } catch (error) {
        failure.add(error);
      }
    }
    if (failure.has) throw failure.error;
  }

  #add(disposal: Disposal): void {
    this.#disposals[this.#disposals.length] = disposal;
  }

  #requireOpen(method: string): void {
    if (this.#disposed) throw disposedAlready("AsyncDisposableStack", method);
  }
}

export function methodToDispose(value: unknown): Disposal {
  const method = requireMethod(requireObject(value), dispose);
  return () => reflectApply(method, value, []);
}

/** Uses the asynchronous method, else the synchronous one without waiting for its result. */
export function methodToDisposeLater(given: unknown): Disposal {
  const value = requireObject(given);
  const method = reflectGet(value, asyncDispose);
  if (method !== null && method !== undefined) {
    const run = requireFunction(method);
    return () => reflectApply(run, value, []);
  }
  const run = requireMethod(value, dispose);
  return async () => void reflectApply(run, value, []);
}

function requireObject(value: unknown): object {
  if ((typeof value === "object" && value !== null) || typeof value === "function") return value;
  throw new PrimordialTypeError("An object is expected with `using` declarations");
}

function requireMethod(value: object, key: symbol): Callable {
  return requireFunction(reflectGet(value, key));
}

function requireFunction(value: unknown): Callable {
  if (typeof value !== "function") throw new PrimordialTypeError("The value has no function to dispose of it");
  return value as Callable;
}

function disposedAlready(name: string, method: string): Error {
  return new PrimordialReferenceError(`Cannot call ${name}.prototype.${method} on an already-disposed ${name}`);
}

/** Requires `Symbol.dispose`, so it runs after that is installed. */
export function installDisposable(global: object): void {
  ({ dispose, asyncDispose } = Symbol as unknown as { readonly dispose: symbol; readonly asyncDispose: symbol });
  define(global, "SuppressedError", SuppressedError);
  for (const [name, constructor, key, method] of [
    ["DisposableStack", DisposableStack, dispose, DisposableStack.prototype.dispose],
    ["AsyncDisposableStack", AsyncDisposableStack, asyncDispose, AsyncDisposableStack.prototype.disposeAsync],
  ] as const) {
    nameFunction(constructor, name, 0);
    tag(constructor.prototype, name);
    define(constructor.prototype, key, method);
    define(global, name, constructor);
  }
}
