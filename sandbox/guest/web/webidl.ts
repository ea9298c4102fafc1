/**
 * Common parts of web platform interfaces (https://webidl.spec.whatwg.org/).
 *
 * The `expose…` functions run at boot, before any plugin; the conversions run at any time.
 */

import {
  bareObject,
  type Callable,
  define,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectApply,
  reflectDefineProperty,
  reflectGet,
  reflectGetOwnPropertyDescriptor,
  reflectOwnKeys,
  stringToWellFormed,
} from "../language/primordials.ts";

const { iterator, toStringTag } = PrimordialSymbol;

/** A class of the prelude. */
interface Interface {
  readonly prototype: object;
}

/** Gives a class the shape that WebIDL prescribes: enumerable members and a tag. */
export function shapeInterface(constructor: Interface, name: string): void {
  const { prototype } = constructor;
  nameFunction(constructor, name);
  const keys = reflectOwnKeys(prototype);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (key !== undefined && key !== "constructor" && typeof key === "string") makeEnumerable(prototype, key);
  }
  const statics = reflectOwnKeys(constructor);
  for (let index = 0; index < statics.length; index++) {
    const key = statics[index];
    if (typeof key === "string" && key !== "prototype" && key !== "name" && key !== "length") makeEnumerable(constructor, key);
  }
  tag(prototype, name);
}

/** Restores a name that programs can see, because the bundle shortens names. */
export function nameFunction(value: object, name: string, length?: number): void {
  reflectDefineProperty(value, "name", { value: name, configurable: true });
  if (length !== undefined) reflectDefineProperty(value, "length", { value: length, configurable: true });
}

/** Sets the tag that `Object.prototype.toString` shows. */
export function tag(target: object, name: string): void {
  reflectDefineProperty(target, toStringTag, { value: name, writable: false, enumerable: false, configurable: true });
}

/** Defines a constant on an interface and its prototype, like WebIDL's `const`. */
export function constant(target: object, name: string, value: number): void {
  reflectDefineProperty(target, name, { value, writable: false, enumerable: true, configurable: false });
}

function makeEnumerable(target: object, key: string): void {
  const descriptor = reflectGetOwnPropertyDescriptor(target, key);
  if (descriptor === undefined || descriptor.configurable !== true) return;
  descriptor.enumerable = true;
  reflectDefineProperty(target, key, descriptor);
}

/** Shapes the class and defines it on the global object. */
export function exposeInterface(global: object, name: string, constructor: Interface): void {
  shapeInterface(constructor, name);
  define(global, name, constructor);
}

/** Defines a global function: enumerable, as in browsers and Deno. `length` overrides the source's own if the standard differs. */
export function exposeFunction(global: object, name: string, value: Callable, length?: number): void {
  nameFunction(value, name, length);
  define(global, name, value, true);
}

/** @throws {TypeError} if the program passed fewer arguments than the operation needs */
export function requireArguments(given: number, needed: number, what: string): void {
  if (given < needed) {
    throw new PrimordialTypeError(`Failed to ${what}: ${needed} argument${needed === 1 ? "" : "s"} required, but only ${given} present`);
  }
}

/** Converts to WebIDL's `DOMString`. */
export function toDomString(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "symbol") throw new PrimordialTypeError("Cannot convert a Symbol value to a string");
  // Concatenation runs the value's own conversion, as the standard says.
  return `${value as string}`;
}

/** Converts to WebIDL's `USVString`: lone surrogates become U+FFFD. */
export function toUsvString(value: unknown): string {
  return stringToWellFormed(toDomString(value));
}

/** Reads WebIDL's dictionary: undefined and null are empty. @throws {TypeError} if the value is another primitive */
export function toDictionary(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return EMPTY;
  if (typeof value !== "object" && typeof value !== "function") throw new PrimordialTypeError(`${what}: the options are not an object`);
  return value as Record<string, unknown>;
}

const EMPTY: Readonly<Record<string, unknown>> = bareObject();

/**
 * Reads WebIDL's `sequence`: the items of an iterable, whose method is read once.
 *
 * @throws {TypeError} with `message` if the value is not iterable
 */
export function forEachItem(value: unknown, message: string, visit: (item: unknown) => void): void {
  const method = isObject(value) ? reflectGet(value, iterator) : undefined;
  for (const item of iterableBy(value as object, method, message)) visit(item);
}

/** Returns an iterable that uses a method which was read already. @throws {TypeError} with `message` if that is not a function */
export function iterableBy(value: object, method: unknown, message: string): Iterable<unknown> {
  if (typeof method !== "function") throw new PrimordialTypeError(message);
  // The captured symbol has the type of any symbol.
  return { [iterator]: () => reflectApply(method as Callable, value, []) } as unknown as Iterable<unknown>;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Form in which `console.log` shows an instance of an interface. */
export interface Described {
  readonly name: string;
  /** Members to print, by name. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Text printed instead of everything else. */
  readonly text?: string;
  /** Entries printed before the members, like `"key" => "value"`. */
  readonly entries?: readonly string[];
}

const describers: ((value: object) => Described | undefined)[] = [];

/** Registers how `console.log` shows the instances of an interface; `describe` returns undefined for other values. */
export function showAs(describe: (value: object) => Described | undefined): void {
  describers.push(describe);
}

/** Describes an instance of an interface of the prelude, or returns undefined. */
export function describeInterface(value: object): Described | undefined {
  for (let index = 0; index < describers.length; index++) {
    const found = describers[index]?.(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
