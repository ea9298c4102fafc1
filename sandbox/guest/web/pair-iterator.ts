/** Iterators over pairs that may change during the iteration (https://webidl.spec.whatwg.org/#es-iterator-prototype-object). */

import { bareObject, define, iteratorPrototype, objectSetPrototypeOf, PrimordialTypeError } from "../language/primordials.ts";
import { nameFunction, tag } from "./webidl.ts";

export interface Pair {
  name: string;
  value: string;
}

type Step = () => IteratorResult<unknown, unknown>;

/** Keeps the step in a private field, so that no property shows it and no method of a plugin can reach it. */
class PairIterator {
  #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  static step(this: void, value: object): IteratorResult<unknown, unknown> {
    if (!(#step in value)) throw new PrimordialTypeError("Illegal invocation");
    return value.#step();
  }
}

const { step } = PairIterator;
/** Prototypes by the tag of their objects. */
const prototypes: Record<string, object> = bareObject();

/** Returns the current item at an index, or undefined at the end. */
type ReadAt = (index: number) => { readonly value: unknown } | undefined;

/** Iterates live: items that are added or removed behind the current index are seen. `name` was installed at boot. */
export function iterateLive(name: string, at: ReadAt): object {
  let index = 0;
  const made = new PairIterator(() => {
    const found = at(index);
    if (found === undefined) return { value: undefined, done: true };
    index++;
    return { value: found.value, done: false };
  });
  objectSetPrototypeOf(made, prototypes[name] ?? null);
  return made;
}

/** Iterates over a list of pairs. */
export function iteratePairs<P>(name: string, pairs: readonly P[], pick: (pair: P) => unknown): object {
  return iterateLive(name, (index) => {
    const pair = index < pairs.length ? pairs[index] : undefined;
    return pair === undefined ? undefined : { value: pick(pair) };
  });
}

export function installPairIterator(name: string): void {
  const prototype: object = {};
  objectSetPrototypeOf(prototype, iteratorPrototype);
  const next = function (this: object): IteratorResult<unknown, unknown> {
    return step(this);
  };
  nameFunction(next, "next");
  define(prototype, "next", next, true);
  tag(prototype, name);
  prototypes[name] = prototype;
}
