/**
 * `WeakRef` that keeps its target until the job ends (https://tc39.es/ecma262/#sec-addtokeptobjects).
 *
 * The engine counts references: without this module a target that only a new `WeakRef` refers to would be freed in the next
 * statement.
 */

import { bareList, define, PrimordialPromise, PrimordialTypeError, promiseThen, reflectConstruct, type Callable } from "./primordials.ts";
import { nameFunction } from "../web/webidl.ts";

const kept = bareList<unknown>();
const Native = WeakRef;
const settled = PrimordialPromise.resolve();

function keep(target: unknown): void {
  if (kept.length === 0) promiseThen(settled, release, release);
  kept[kept.length] = target;
}

function release(): void {
  kept.length = 0;
}

export function installWeakRef(global: object): void {
  const constructor = function (target: unknown): object {
    if (new.target === undefined) throw new PrimordialTypeError("Constructor WeakRef requires 'new'");
    const reference = reflectConstruct(Native as unknown as Callable, [target], new.target);
    keep(target);
    return reference;
  };
  nameFunction(constructor, "WeakRef", 1);
  Reflect.defineProperty(constructor, "prototype", { value: Native.prototype, writable: false });
  define(Native.prototype, "constructor", constructor);
  define(global, "WeakRef", constructor);
}
