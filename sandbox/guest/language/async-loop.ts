/**
 * `for await` for a plugin's modules, by the steps of the standard
 * (https://tc39.es/ecma262/#sec-runtime-semantics-forinofbodyevaluation). The engine's own loop calls `return()` after the end,
 * does not wait for it, and swallows its errors. The loader wraps a `for` around a `for…of` that visits one item each time
 * (`lower-loops.ts`).
 */

import { type Callable, PrimordialSymbol, PrimordialTypeError, reflectApply } from "./primordials.ts";

const { asyncIterator, iterator } = PrimordialSymbol;

interface Source {
  readonly next: () => unknown;
  /** Returns the iterator's close function, or undefined if the iterator cannot be closed. */
  readonly close: () => Callable | undefined;
}

/** One running `for await` loop. */
export class AsyncLoop {
  /** Set when the body or the binding of the item threw: this error takes precedence over errors of closing. */
  threw = false;
  isOpen = false;
  /** The result of `return()`, which the loop has to wait for. */
  closing: unknown;
  #source: Source | undefined;
  #item: unknown;
  #hasItem = false;
  /** Set while an item is bound and the body runs. Leaving the loop then closes the iterator. */
  #isInside = false;

  /** @returns the list that the inner loop visits, which is empty until the first item */
  open(iterable: Record<symbol, unknown>): this {
    const method = iterable[asyncIterator];
    return isAbsent(method) ? this.openSync(iterable, iterable[iterator]) : this.openAsync(iterable, method);
  }

  openAsync(iterable: object, method: unknown): this {
    this.#source = fromAsync(iterable, method);
    this.isOpen = true;
    return this;
  }

  openSync(iterable: object, method: unknown): this {
    this.#source = fromSync(iterable, method);
    this.isOpen = true;
    return this;
  }

  /** False after `break` left the body. */
  get goesOn(): boolean {
    return !this.#isInside;
  }

  next(): unknown {
    return this.#source?.next();
  }

  /** Takes the next item. @returns false at the end */
  take(result: { readonly done?: unknown; readonly value?: unknown }): boolean {
    requireObject(result);
    if (result.done) return false;
    this.#item = result.value;
    this.#hasItem = true;
    return true;
  }

  [Symbol.iterator](): { next(): { done: boolean; value: unknown } } {
    return {
      next: () => {
        this.#isInside = this.#hasItem;
        this.#hasItem = false;
        const value = this.#item;
        this.#item = undefined;
        return { done: !this.#isInside, value };
      },
    };
  }

  /** Calls `return()` if the loop was left before its end. @returns whether the loop has to wait for the result */
  closes(): boolean {
    if (!this.#isInside) return false;
    try {
      const close = this.#source?.close();
      if (close === undefined) return false;
      this.closing = close();
      return true;
    } catch (error) {
      if (this.threw) return false;
      throw error;
    }
  }

  closed(result: unknown): void {
    if (!this.threw) requireObject(result);
  }
}

function fromAsync(iterable: object, method: unknown): Source {
  const made = iteratorOf(iterable, method);
  const { next } = made;
  return {
    next: () => reflectApply(next as Callable, made, []),
    close() {
      const method = made["return"];
      return isAbsent(method) ? undefined : () => reflectApply(method as Callable, made, []);
    },
  };
}

/** https://tc39.es/ecma262/#sec-%asyncfromsynciteratorprototype%-object */
function fromSync(iterable: object, method: unknown): Source {
  const made = iteratorOf(iterable, method);
  const { next } = made;
  const close = async (): Promise<unknown> => {
    const method = made["return"];
    if (isAbsent(method)) return { done: true };
    const result = requireObject(reflectApply(method as Callable, made, []));
    return { done: !!result["done"], value: await result["value"] };
  };
  return {
    async next() {
      const result = requireObject(reflectApply(next as Callable, made, []));
      const done = !!result["done"];
      const { value } = result;
      try {
        return { done, value: await value };
      } catch (error) {
        if (!done) closeQuietly(made);
        throw error;
      }
    },
    close: () => close,
  };
}

function isAbsent(method: unknown): boolean {
  return method === undefined || method === null;
}

function closeQuietly(made: Record<string, unknown>): void {
  try {
    const method = made["return"];
    if (!isAbsent(method)) reflectApply(method as Callable, made, []);
  } catch {
    // The error of the item takes precedence.
  }
}

function iteratorOf(iterable: object, method: unknown): Record<string, unknown> {
  if (typeof method !== "function") throw new PrimordialTypeError('The value of "for await" is not async iterable');
  return requireObject(reflectApply(method as Callable, iterable, []));
}

function requireObject(value: unknown): Record<string, unknown> {
  if ((typeof value === "object" && value !== null) || typeof value === "function") return value as Record<string, unknown>;
  throw new PrimordialTypeError(`Iterator result ${typeof value === "symbol" ? "of a symbol" : `${value as string}`} is not an object`);
}
