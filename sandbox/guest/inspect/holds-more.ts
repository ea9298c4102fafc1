/** Objects with state beyond their properties, which a copy of the properties would lose. */

import {
  arrayIsArray,
  type Callable,
  iteratorPrototype,
  objectIsPrototypeOf,
  objectToString,
  PrimordialArray,
  PrimordialMap,
  PrimordialObject,
  PrimordialSet,
  PrimordialString,
  PrimordialSymbol,
  reflectApply,
  reflectGet,
  reflectGetPrototypeOf,
  reflectHas,
} from "../language/primordials.ts";
import { isProxy } from "../language/proxies.ts";

const { prototype: objectPrototype } = PrimordialObject;
const { iterator, matchAll, toStringTag } = PrimordialSymbol;

/**
 * Recognises proxies, `arguments` and, by inheritance because the language offers no other test, generators, the language's own
 * iterators and `FinalizationRegistry`.
 *
 * @returns the name used in errors, or undefined for every other object
 */
export function holdsMore(value: object): string | undefined {
  if (isProxy(value)) return arrayIsArray(value) ? "[object Array]" : "#<Object>";
  const prototype = reflectGetPrototypeOf(value);
  if (prototype === null || prototype === arrayPrototype) return undefined;
  if (prototype === objectPrototype)
    return !reflectHas(value, toStringTag) && objectToString(value) === "[object Arguments]" ? "#<Object>" : undefined;
  for (let index = 0; index < PROTOTYPES.length; index++) {
    const found = PROTOTYPES[index];
    if (found !== undefined && objectIsPrototypeOf(found, value)) return objectToString(value);
  }
  return undefined;
}

const { prototype: arrayPrototype } = PrimordialArray;

function made(self: object, name: PropertyKey, ...args: unknown[]): object {
  return reflectApply(reflectGet(self, name) as Callable, self, args) as object;
}

/** Returns the prototype of a method's result. */
function madeBy(self: object, name: PropertyKey, ...args: unknown[]): object {
  return reflectGetPrototypeOf(made(self, name, ...args)) ?? iteratorPrototype;
}

const PROTOTYPES: readonly object[] = [
  reflectGetPrototypeOf(function* () {}.prototype as object) ?? iteratorPrototype,
  reflectGetPrototypeOf(async function* () {}.prototype as object) ?? iteratorPrototype,
  madeBy([], iterator),
  madeBy(new PrimordialMap(), iterator),
  madeBy(new PrimordialSet(), iterator),
  madeBy(new PrimordialString(""), iterator),
  madeBy(/a/g, matchAll, ""),
  madeBy(made([], iterator), "map", PrimordialString),
  madeBy(reflectGet(iteratorPrototype, "constructor") as object, "from", { next() {} }),
  FinalizationRegistry.prototype,
];
