/** Iterators over pairs that may change meanwhile (https://webidl.spec.whatwg.org/#es-iterator-prototype-object). */

import { define, iteratorPrototype, objectSetPrototypeOf, PrimordialTypeError } from "./primordials.ts";
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
const pairIteratorPrototype: object = {};

/** Live: what is added or removed behind its place is seen. */
export function iteratePairs(pairs: readonly Pair[], pick: (pair: Pair) => unknown): object {
  let index = 0;
  const made = new PairIterator(() => {
    const pair = pairs[index];
    if (pair === undefined) return { value: undefined, done: true };
    index++;
    return { value: pick(pair), done: false };
  });
  objectSetPrototypeOf(made, pairIteratorPrototype);
  return made;
}

export function installPairIterator(name: string): void {
  objectSetPrototypeOf(pairIteratorPrototype, iteratorPrototype);
  const next = function (this: object): IteratorResult<unknown, unknown> {
    return step(this);
  };
  nameFunction(next, "next");
  define(pairIteratorPrototype, "next", next, true);
  tag(pairIteratorPrototype, name);
}
