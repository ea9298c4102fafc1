/**
 * The engine's built-ins as they were before any plugin ran.
 *
 * Plugin code may replace or decorate every global and prototype. The parts of the prelude that the host relies on therefore call
 * these captured built-ins and never look one up later. Constructs that are not captured here (spread, destructuring and `for…of`
 * over arrays, regular expressions) read prototypes at run time, so the protocol's own code avoids them.
 */

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys, setPrototypeOf } = Reflect;

export const reflectApply: (target: Callable, self: unknown, args: ArrayLike<unknown>) => unknown = apply;
export const reflectConstruct: (target: Callable, args: ArrayLike<unknown>, newTarget?: Callable) => object = construct;
export const reflectDefineProperty: (target: object, key: PropertyKey, attributes: PropertyDescriptor) => boolean = defineProperty;
export const reflectGet: (target: object, key: PropertyKey, receiver?: unknown) => unknown = Reflect.get;
export const reflectGetOwnPropertyDescriptor: (target: object, key: PropertyKey) => PropertyDescriptor | undefined =
  getOwnPropertyDescriptor;
export const reflectGetPrototypeOf: (target: object) => object | null = getPrototypeOf;
export const reflectHas: (target: object, key: PropertyKey) => boolean = has;
export const reflectOwnKeys: (target: object) => (string | symbol)[] = ownKeys;

/** Any callable value; its caller checks the arguments. */
export type Callable = (...args: never[]) => unknown;

/** Turns a method into a function whose first argument is `this`: `uncurry(String.prototype.slice)(text, 1)`. */
const uncurry = Function.prototype.bind.bind(Function.prototype.call as Callable) as unknown as <F extends Callable>(method: Callable) => F;

/** Returns the getter of a built-in accessor property as a function. */
function uncurryGetter<R>(prototype: object, key: PropertyKey): (self: unknown) => R {
  const get = getOwnPropertyDescriptor(prototype, key)?.get;
  if (get === undefined) throw new TypeError("The engine lacks an accessor that the prelude needs");
  // The caller gives the accessor's type from the standard.
  return uncurry<(self: unknown) => R>(get);
}

/** Creates an array without prototype: indexing it cannot reach a setter that a plugin put on `Array.prototype`. */
export function bareList<T>(): T[] {
  const list: T[] = [];
  setPrototypeOf(list, null);
  return list;
}

/** Returns an argument or undefined: a plain array would read past its end from its prototype. */
export function argumentAt(given: readonly unknown[], index: number): unknown {
  return index < given.length ? given[index] : undefined;
}

/** Creates an object without prototype, for lookups that must see no inherited keys. */
export function bareObject<T>(): Record<string, T> {
  // TypeScript has no type for an object literal with a null prototype.
  return { __proto__: null } as unknown as Record<string, T>;
}

/** Defines a data property as in WebIDL and Deno: writable and configurable, enumerable on request. */
export function define(target: object, key: PropertyKey, value: unknown, enumerable = false): void {
  defineProperty(target, key, { __proto__: null, value, writable: true, enumerable, configurable: true } as PropertyDescriptor);
}

let cleanStack = (stack: string): string => stack;

/** Sets the function that removes the prelude's frames from the stacks of errors created here. */
export function cleanStacksBy(clean: (stack: string) => string): void {
  cleanStack = clean;
}

/** Creates an error class for the prelude whose stacks begin at the plugin's call. */
function ownError<C extends ErrorConstructor>(native: C): C {
  const constructor = function (...given: never[]): object {
    const target: Callable = new.target === constructor || new.target === undefined ? native : new.target;
    const error = reflectConstruct(native, given, target);
    define(error, "stack", cleanStack((error as Error).stack ?? ""));
    return error;
  };
  defineProperty(constructor, "name", { value: native.name });
  defineProperty(constructor, "prototype", { value: native.prototype });
  // Behaves and compares like the native class.
  return constructor as unknown as C;
}

export const jsonParse: (text: string) => unknown = JSON.parse;
export const jsonStringify: (value: unknown) => string | undefined = JSON.stringify;

export const PrimordialArray: ArrayConstructor = Array;
export const PrimordialArrayBuffer: ArrayBufferConstructor = ArrayBuffer;
export const PrimordialBigInt: BigIntConstructor = BigInt;
export const PrimordialDataView: DataViewConstructor = DataView;
export const PrimordialDate: DateConstructor = Date;
export const PrimordialError: ErrorConstructor = Error;
export const PrimordialMap: MapConstructor = Map;
export const PrimordialNumber: NumberConstructor = Number;
export const PrimordialObject: ObjectConstructor = Object;
export const PrimordialPromise: PromiseConstructor = Promise;
export const PrimordialProxy: ProxyConstructor = Proxy;
export const PrimordialRangeError: RangeErrorConstructor = ownError(RangeError);
export const PrimordialURIError: URIErrorConstructor = ownError(URIError);
export const PrimordialReferenceError: ReferenceErrorConstructor = ownError(ReferenceError);
export const PrimordialRegExp: RegExpConstructor = RegExp;
export const PrimordialSet: SetConstructor = Set;
export const PrimordialString: StringConstructor = String;
export const PrimordialSyntaxError: SyntaxErrorConstructor = ownError(SyntaxError);
export const PrimordialSymbol: SymbolConstructor = Symbol;
export const PrimordialTypeError: TypeErrorConstructor = ownError(TypeError);
export const PrimordialUint8Array: Uint8ArrayConstructor = Uint8Array;

export const arrayIsArray: (value: unknown) => value is unknown[] = Array.isArray;
export const arrayIncludes: (self: readonly unknown[], value: unknown) => boolean = uncurry(Array.prototype.includes);
export const arrayJoin: (self: readonly unknown[], separator: string) => string = uncurry(Array.prototype.join);
export const arraySort: <T>(self: T[], compare?: (a: T, b: T) => number) => T[] = uncurry(Array.prototype.sort);

export const arrayBufferByteLength: (self: unknown) => number = uncurryGetter(ArrayBuffer.prototype, "byteLength");
export const arrayBufferIsView: (value: unknown) => value is ArrayBufferView = ArrayBuffer.isView;
export const arrayBufferResizable: (self: unknown) => boolean = uncurryGetter(ArrayBuffer.prototype, "resizable");
export const arrayBufferMaxByteLength: (self: unknown) => number = uncurryGetter(ArrayBuffer.prototype, "maxByteLength");
export const arrayBufferDetached: (self: unknown) => boolean = uncurryGetter(ArrayBuffer.prototype, "detached");
export const arrayBufferTransfer: (self: unknown) => ArrayBuffer = uncurry(ArrayBuffer.prototype.transfer);

const typedArrayPrototype: object = getPrototypeOf(Uint8Array.prototype) ?? {};
export const typedArrayTag: (self: unknown) => string | undefined = uncurryGetter(typedArrayPrototype, Symbol.toStringTag);
export const typedArrayBuffer: (self: unknown) => ArrayBuffer = uncurryGetter(typedArrayPrototype, "buffer");
export const typedArrayByteLength: (self: unknown) => number = uncurryGetter(typedArrayPrototype, "byteLength");
export const typedArrayByteOffset: (self: unknown) => number = uncurryGetter(typedArrayPrototype, "byteOffset");
export const typedArrayLength: (self: unknown) => number = uncurryGetter(typedArrayPrototype, "length");
export const typedArrayIndexOf: (self: Uint8Array, value: number, from?: number) => number = uncurry(Uint8Array.prototype.indexOf);
export const typedArraySet: (self: Uint8Array, source: ArrayLike<number>, offset?: number) => void = uncurry(Uint8Array.prototype.set);
export const dataViewBuffer: (self: unknown) => ArrayBuffer = uncurryGetter(DataView.prototype, "buffer");
export const dataViewByteLength: (self: unknown) => number = uncurryGetter(DataView.prototype, "byteLength");
export const dataViewByteOffset: (self: unknown) => number = uncurryGetter(DataView.prototype, "byteOffset");

export const bigIntAsIntN: (bits: number, value: bigint) => bigint = BigInt.asIntN;
export const bigIntValueOf: (self: unknown) => bigint = uncurry(BigInt.prototype.valueOf);
export const booleanValueOf: (self: unknown) => boolean = uncurry(Boolean.prototype.valueOf);
export const dateGetTime: (self: unknown) => number = uncurry(Date.prototype.getTime);
export const dateNow: () => number = Date.now;
export const dateToISOString: (self: unknown) => string = uncurry(Date.prototype.toISOString);
// ES2026; the engine has it, the library types may not.
export const errorIsError: (value: unknown) => boolean = (Error as unknown as { isError(this: void, value: unknown): boolean }).isError;
export const functionToString: (self: unknown) => string = uncurry(Function.prototype.toString);
export const isFiniteNumber: (value: unknown) => boolean = Number.isFinite;
export const parseFloatText: (text: string) => number = parseFloat;
export const parseIntText: (text: string) => number = parseInt;

export const mapClear: (self: unknown) => void = uncurry(Map.prototype.clear);
export const mapDelete: (self: unknown, key: unknown) => boolean = uncurry(Map.prototype.delete);
export const mapForEach: <K, V>(self: ReadonlyMap<K, V>, visit: (value: V, key: K) => void) => void = uncurry(Map.prototype.forEach);
export const mapGet: <K, V>(self: ReadonlyMap<K, V>, key: K) => V | undefined = uncurry(Map.prototype.get);
export const mapHas: (self: unknown, key: unknown) => boolean = uncurry(Map.prototype.has);
export const mapSet: <K, V>(self: Map<K, V>, key: K, value: V) => void = uncurry(Map.prototype.set);
export const mapSize: (self: unknown) => number = uncurryGetter(Map.prototype, "size");
export const setAdd: (self: unknown, value: unknown) => void = uncurry(Set.prototype.add);
export const setForEach: (self: unknown, visit: (value: unknown) => void) => void = uncurry(Set.prototype.forEach);
export const setSize: (self: unknown) => number = uncurryGetter(Set.prototype, "size");

export const mathCeil: (value: number) => number = Math.ceil;
export const mathFloor: (value: number) => number = Math.floor;
export const mathMax: (a: number, b: number) => number = Math.max;
export const mathMin: (a: number, b: number) => number = Math.min;
export const mathRound: (value: number) => number = Math.round;
export const mathSqrt: (value: number) => number = Math.sqrt;
export const mathTrunc: (value: number) => number = Math.trunc;
export const numberValueOf: (self: unknown) => number = uncurry(Number.prototype.valueOf);

export const objectFreeze: <T extends object>(value: T) => Readonly<T> = Object.freeze;
export const objectIs: (a: unknown, b: unknown) => boolean = Object.is;
export const objectKeys: (value: object) => string[] = Object.keys;
export const objectHasOwn: (value: object, key: PropertyKey) => boolean = Object.hasOwn;
export const objectToString: (self: unknown) => string = uncurry(Object.prototype.toString);
export const objectIsPrototypeOf: (self: unknown, value: unknown) => boolean = uncurry(Object.prototype.isPrototypeOf);
export const objectIsEnumerable: (self: unknown, key: PropertyKey) => boolean = uncurry(Object.prototype.propertyIsEnumerable);
const objectSetPrototypeOf: (value: object, prototype: object | null) => boolean = setPrototypeOf;
export { objectSetPrototypeOf };

export const promiseThen: (self: unknown, onFulfilled: (value: unknown) => void, onRejected: (reason: unknown) => void) => unknown =
  uncurry(Promise.prototype.then);
export const promiseReject = <T>(reason: unknown): Promise<T> => new PrimordialPromise<T>((_resolve, reject) => reject(reason));
export const regExpFlags: (self: unknown) => string = uncurryGetter(RegExp.prototype, "flags");
export const regExpSource: (self: unknown) => string = uncurryGetter(RegExp.prototype, "source");

export const stringAt: (self: string, index: number) => string = uncurry(String.prototype.charAt);
export const stringCharCodeAt: (self: string, index: number) => number = uncurry(String.prototype.charCodeAt);
export const stringEndsWith: (self: string, part: string) => boolean = uncurry(String.prototype.endsWith);
export const stringIncludes: (self: string, part: string) => boolean = uncurry(String.prototype.includes);
export const stringIndexOf: (self: string, part: string, from?: number) => number = uncurry(String.prototype.indexOf);
export const stringIsWellFormed: (self: string) => boolean = uncurry(String.prototype.isWellFormed);
export const stringLastIndexOf: (self: string, part: string) => number = uncurry(String.prototype.lastIndexOf);
export const stringPadEnd: (self: string, length: number) => string = uncurry(String.prototype.padEnd);
export const stringPadStart: (self: string, length: number, fill?: string) => string = uncurry(String.prototype.padStart);
export const stringRepeat: (self: string, count: number) => string = uncurry(String.prototype.repeat);
export const stringSlice: (self: string, start: number, end?: number) => string = uncurry(String.prototype.slice);
export const stringStartsWith: (self: string, part: string) => boolean = uncurry(String.prototype.startsWith);
export const stringToLowerCase: (self: string) => string = uncurry(String.prototype.toLowerCase);
export const stringToUpperCase: (self: string) => string = uncurry(String.prototype.toUpperCase);
export const stringToWellFormed: (self: string) => string = uncurry(String.prototype.toWellFormed);
export const stringTrim: (self: string) => string = uncurry(String.prototype.trim);
export const stringValueOf: (self: unknown) => string = uncurry(String.prototype.valueOf);
export const stringFromCharCode: (code: number) => string = String.fromCharCode;
export const numberToString: (self: number, radix: number) => string = uncurry(Number.prototype.toString);
export const symbolToString: (self: unknown) => string = uncurry(Symbol.prototype.toString);
export const symbolValueOf: (self: unknown) => symbol = uncurry(Symbol.prototype.valueOf);
export const weakMapHas: (self: unknown, key: object) => boolean = uncurry(WeakMap.prototype.has);
export const weakSetAdd: (self: unknown, key: object) => unknown = uncurry(WeakSet.prototype.add);
export const weakSetHas: (self: unknown, key: object) => boolean = uncurry(WeakSet.prototype.has);
export const weakRefDeref: (self: unknown) => unknown = uncurry(WeakRef.prototype.deref);

/** `Iterator.prototype`, the base of every iterator of the language. */
export const iteratorPrototype: object = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) ?? {}) ?? {};

/** Splits without a regular expression, because `split` would look up `Symbol.split`. */
export function splitText(text: string, separator: string): string[] {
  const parts = bareList<string>();
  let from = 0;
  for (;;) {
    const at = stringIndexOf(text, separator, from);
    parts[parts.length] = at === -1 ? stringSlice(text, from) : stringSlice(text, from, at);
    if (at === -1) return parts;
    from = at + separator.length;
  }
}

/** `arrayJoin` reads nothing from string elements and nothing from a list's prototype. */
export function replaceText(text: string, part: string, replacement: string): string {
  return stringIncludes(text, part) ? arrayJoin(splitText(text, part), replacement) : text;
}

/** Returns whether `test(value)` does not throw, which checks a brand through a captured method. */
export function answers(test: (value: unknown) => unknown, value: unknown): boolean {
  try {
    test(value);
    return true;
  } catch {
    // The brand check of a built-in method fails by throwing.
    return false;
  }
}
export const sharedArrayBufferByteLength: (self: unknown) => number = uncurryGetter(SharedArrayBuffer.prototype, "byteLength");
