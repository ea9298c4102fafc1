/** Iterators over pairs that may change meanwhile (https://webidl.spec.whatwg.org/#es-iterator-prototype-object). */

import { bareObject, define, iteratorPrototype, objectSetPrototypeOf, PrimordialTypeError } from "./primordials.ts";
import { nameFunction, tag } from "./webidl.ts";

export interface Pair {
  name: string;
  value: string;
}

type Step = () => IteratorResult<unknown, unknown>;

/** Each iterator has its step in a private name: no property shows it, no method of a plugin finds it. */
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
/** By the tag that their objects have. */
const prototypes: Record<string, object> = bareObject();

/** Answers what is at a place now; undefined at the end. */
export type ReadAt = (index: number) => { readonly value: unknown } | undefined;

/** Live: what is added or removed behind its place is seen. `name` was installed at boot. */
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

/** The same over a list. */
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
