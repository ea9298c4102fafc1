/**
 * `SharedArrayBuffer` of a fixed length.
 *
 * The engine's bounds of a growable one are those that it may grow to, while its memory stays as it was: views of it read and
 * wrote what lies behind it (`test/attack/engine/buffers-out-of-bounds.test.ts`). Those of `ArrayBuffer` are right.
 */

import { type Callable, define, PrimordialTypeError, reflectConstruct, reflectGet } from "./primordials.ts";
import { nameFunction } from "./webidl.ts";

const ADVICE = "use a resizable ArrayBuffer, which is as good where there is one thread";
const Native = SharedArrayBuffer;

export function installSharedArrayBuffer(global: object): void {
  const { prototype } = Native;
  const constructor = function (length: unknown, options: unknown): object {
    if (new.target === undefined) throw new PrimordialTypeError("Constructor SharedArrayBuffer requires 'new'");
    const isObject = (typeof options === "object" && options !== null) || typeof options === "function";
    if (isObject && reflectGet(options, "maxByteLength") !== undefined)
      throw new PrimordialTypeError(`A growable SharedArrayBuffer is not supported: ${ADVICE}`);
    return reflectConstruct(Native as unknown as Callable, [length], new.target);
  };
  nameFunction(constructor, "SharedArrayBuffer", 1);
  Reflect.defineProperty(constructor, "prototype", { value: prototype, writable: false });
  Reflect.defineProperty(constructor, Symbol.species, Reflect.getOwnPropertyDescriptor(Native, Symbol.species) ?? {});
  define(prototype, "constructor", constructor);
  // So that a program that looks finds that there are none.
  for (const name of ["grow", "growable", "maxByteLength"]) Reflect.deleteProperty(prototype, name);
  define(global, "SharedArrayBuffer", constructor);
}
