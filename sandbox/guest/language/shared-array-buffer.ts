/**
 * `SharedArrayBuffer` of a fixed length.
 *
 * The engine checks a growable one against its maximum length, while its memory keeps the old size: views of it read and wrote
 * memory behind it (`test/attack/engine/buffers-out-of-bounds.test.ts`). The checks for `ArrayBuffer` are correct.
 */

import { type Callable, define, PrimordialTypeError, reflectConstruct, reflectGet } from "./primordials.ts";
import { nameFunction } from "../web/webidl.ts";

const ADVICE = "use a resizable ArrayBuffer, which is equivalent in a single thread";
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
  // Programs that test for these members must not find them.
  for (const name of ["grow", "growable", "maxByteLength"]) Reflect.deleteProperty(prototype, name);
  define(global, "SharedArrayBuffer", constructor);
}
